// Asks, with `commit_linking: prompt`, whether to link a commit. A commit never waits for a person who cannot
// see the question, and for nobody longer than half a minute. Git gives its hooks nothing on standard input and
// its own standard error as standard output: that one must be a terminal, and we in its foreground.
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs'
import { isatty } from 'node:tty'
import type { LinkAnswer } from '../../commits/link.ts'
import type { Environment } from '../../std/environment.ts'
import { isErrno } from '../../std/errors.ts'
import { readText } from '../../std/file.ts'
import { run } from '../../std/process.ts'

const patienceMs = 30_000
const pollMs = 50

/** Answers yes when there is nobody to ask. */
export async function askOnTerminal(env: Environment, question: string): Promise<LinkAnswer> {
  if (env.ENTIRE_TEST_TTY || !isatty(1)) return 'yes'
  let fd: number
  try {
    fd = openSync('/dev/tty', constants.O_RDWR | constants.O_NONBLOCK)
  } catch {
    return 'yes'
  }
  try {
    if (!(await hasTerminal())) return 'yes'
    writeSync(fd, question)
    const answer = await readLine(fd, Number(env.ENTIRE_TEST_QUESTION_MS ?? patienceMs))
    if (answer === undefined) writeSync(fd, '\nEntire: linked without an answer.\n')
    return answers[answer?.trim().toLowerCase() ?? ''] ?? 'yes'
  } catch {
    return 'yes'
  } finally {
    closeSync(fd)
  }
}

const answers: Record<string, LinkAnswer> = { n: 'no', no: 'no', a: 'always', always: 'always' }

// A process that is not in the foreground would be stopped when it reads from the terminal.
async function hasTerminal(): Promise<boolean> {
  const stat = readText('/proc/self/stat')
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [group, foreground] = fields === undefined ? await groupsFromPs() : [fields[2], fields[5]]
  return group !== undefined && group === foreground
}

async function groupsFromPs(): Promise<string[]> {
  const argv = ['ps', '-o', 'pgid=,tpgid=', '-p', String(process.pid)]
  const { stdout } = await run(argv, { cwd: '/', env: process.env })
  return stdout.toString('utf8').trim().split(/\s+/)
}

async function readLine(fd: number, limitMs: number): Promise<string | undefined> {
  const buffer = Buffer.alloc(256)
  for (const deadline = performance.now() + limitMs; performance.now() < deadline; await Bun.sleep(pollMs)) {
    try {
      return buffer.toString('utf8', 0, readSync(fd, buffer))
    } catch (error) {
      if (!isErrno(error, 'EAGAIN')) throw error
    }
  }
  return undefined
}

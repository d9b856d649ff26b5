// Runs OpenCode to get a session out of its database or into it: what is in there, and what is still on its way, only OpenCode knows.

import { mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { ProjectContext } from '../../model/session-file.ts'
import { EntireError } from '../../std/errors.ts'
import { readBytes, removeFile } from '../../std/file.ts'
import { asObject, parseJson } from '../../std/json.ts'
import { type LimitedResult, runLimited } from '../../std/limited-proc.ts'
import { systemRandom } from '../../std/random.ts'

const timeoutMs = 30_000
const maxBytes = 64 * 1024

/** The session as OpenCode has it now; undefined when it has none. Throws when it cannot say. */
export async function findSession(session: string, place: ProjectContext): Promise<Buffer | undefined> {
  // A seam for tests: what an export would give lies there already.
  if (place.env.ENTIRE_TEST_OPENCODE_MOCK_EXPORT) return readBytes(sessionFile(place.root, session))
  const { result, output } = await exporting(session, place)
  if (result.code === 0 && isSession(output)) return output
  if (/Session not found/i.test(result.stderr)) return undefined
  throw failure('export', result)
}

export async function exportSession(session: string, place: ProjectContext): Promise<Buffer> {
  const found = await findSession(session, place)
  if (found !== undefined) return found
  throw new EntireError('transcript-missing', `OpenCode has no session ${session}.`, {
    hint: 'Files are recorded as usual; the transcript is asked for again next time.',
  })
}

// Into a file: what OpenCode prints to a pipe is cut off where the pipe is full when it ends.
async function exporting(
  session: string,
  place: ProjectContext,
): Promise<{ result: LimitedResult; output: Buffer }> {
  const dir = sessionsDir(place.root)
  // Named like any half-written file, so that what a killed process leaves is swept up.
  const path = join(dir, `export-${systemRandom(4)}.json.${process.pid}.tmp`)
  mkdirSync(dir, { recursive: true, mode: 0o750 })
  try {
    const result = await run(
      ['sh', '-c', 'umask 077; exec opencode export "$1" >"$2"', 'sh', session, path],
      place,
    )
    return { result, output: readBytes(path) ?? Buffer.alloc(0) }
  } finally {
    removeFile(path)
  }
}

function isSession(output: Buffer): boolean {
  return Array.isArray(asObject(parseJson(output.toString('utf8')))?.messages)
}

/** A session that is there already keeps every message it has, and gets those that it lacks. */
export async function importSession(path: string, place: ProjectContext): Promise<void> {
  const result = await run(['opencode', 'import', path], place)
  if (result.code !== 0) throw failure('import', result)
}

/** The sessions of its subagents go with it. */
export async function deleteSession(session: string, place: ProjectContext): Promise<void> {
  const result = await run(['opencode', 'session', 'delete', session], place)
  if (result.code !== 0) throw failure('session delete', result)
}

async function run(argv: string[], { root, env }: ProjectContext): Promise<LimitedResult> {
  // Inside a git hook there are variables that would lead OpenCode's own git astray. Plugins, ours too, have no business here. Where
  // it is, OpenCode takes from PWD.
  const own = Object.entries(env).filter(([name]) => !name.startsWith('GIT_'))
  return await runLimited(argv, {
    cwd: root,
    env: { ...Object.fromEntries(own), PWD: root, OPENCODE_PURE: '1' },
    timeoutMs,
    maxBytes,
  })
}

function failure(what: string, result: LimitedResult): EntireError {
  return new EntireError('agent-failed', `\`opencode ${what}\` gave no session: ${reasonOf(result)}`, {
    hint: 'Files are recorded as usual; the transcript is asked for again next time.',
  })
}

function reasonOf({ startError, timedOut, code, stderr }: LimitedResult): string {
  if (startError !== undefined) return startError
  if (timedOut) return `it did not answer within ${timeoutMs / 1000} seconds.`
  const said = Bun.stripANSI(stderr)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('Exporting session'))
  return said.at(-1) ?? (code === 0 ? 'what it printed is no session.' : `it ended with ${code}.`)
}

// What OpenCode has no file for gets one here, for as long as somebody needs it.

export function sessionsDir(root: string): string {
  return join(root, '.entire', 'tmp')
}

export function sessionFile(root: string, session: string): string {
  return join(sessionsDir(root), `${session}.json`)
}

export function sessionOf(file: string): string {
  return basename(file, '.json')
}

/** Others are not worth asking OpenCode for, which takes its time. */
export function isSessionId(id: string): boolean {
  return /^ses_\w+$/.test(id)
}

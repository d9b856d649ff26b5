// Finds out how `git push` was called: git does not tell its hook whether it only tries, or forces.

import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { run } from '../../std/process.ts'

export interface PushCall {
  /** It only shows what it would do. */
  isDryRun: boolean
  /** It may replace commits of the remote. */
  isForced: boolean
  /** What stands after `push`; undefined when the process was not found. */
  words?: string[]
}

/** How the push that called this hook was called. */
export async function readPushCall(): Promise<PushCall> {
  let pid = process.ppid
  // The hook's shell, shells of hook managers, and git.
  for (let level = 0; level < 8 && pid > 1; level += 1) {
    const found = readProcess(pid) ?? (await askPs(pid))
    if (found === undefined) break
    const words = pushWords(found.words)
    if (words !== undefined)
      return {
        words,
        isDryRun: words.some((word) => /^(?:--dry-run|-[46dfquv]*n[46dfnquv]*)$/.test(word)),
        isForced: words.some((word) => /^(?:--force.*|--mirror|-[46dnquv]*f[46dfnquv]*|\+.*)$/.test(word)),
      }
    pid = found.parent
  }
  return { isDryRun: false, isForced: false }
}

/** The words after `push`; undefined when the process is not a push. */
function pushWords(words: string[]): string[] | undefined {
  if (basename(words[0] ?? '') === 'git-push') return words.slice(1)
  const at = basename(words[0] ?? '') === 'git' ? words.indexOf('push') : -1
  return at < 0 ? undefined : words.slice(at + 1)
}

interface RunningProcess {
  parent: number
  words: string[]
}

function readProcess(pid: number): RunningProcess | undefined {
  try {
    // The name of the program, in parentheses, may contain anything.
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/^.*\) /s, '')
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1)
    return { parent: Number(stat.split(' ')[1]), words }
  } catch {
    return undefined
  }
}

// Where there is no /proc. Words with spaces are torn apart, which does not matter for options.
async function askPs(pid: number): Promise<RunningProcess | undefined> {
  try {
    const options = { cwd: '/', env: process.env }
    const { code, stdout } = await run(['ps', '-o', 'ppid=,command=', '-p', String(pid)], options)
    const [parent = '', ...words] = stdout.toString('utf8').trim().split(/\s+/)
    return code === 0 ? { parent: Number(parent), words } : undefined
  } catch {
    return undefined
  }
}

// The process that answers questions about objects. The hooks of a commit start it before they load the rest of the program.

import { type PipedProcess, startPiped } from '../std/proc.ts'
import { gitEnv } from './env.ts'
import type { Repo } from './repo.ts'

// -z: names may hold newlines. --buffer: many small answers come in few writes, after a `flush`. https://git-scm.com/docs/git-cat-file
export const catFileCommand = ['cat-file', '--batch-command', '--buffer', '-z']

/** A process that was started before it was known what for. */
export interface PrefetchedCatFile {
  process: PipedProcess
  cwd: string
  /** The index that paths are looked up in. */
  index: string | undefined
}

export function startCatFile(
  cwd: string,
  env: Record<string, string | undefined>,
  index: string | undefined,
): PrefetchedCatFile {
  return {
    process: startPiped(['git', ...catFileCommand], { cwd, env: { ...gitEnv(env), ...indexEnv(index) } }),
    cwd,
    index,
  }
}

/** Undefined when it looks at another place; then it ends. */
export function takeIfMatching(
  early: PrefetchedCatFile | undefined,
  repo: Repo,
  index: string | undefined,
): PipedProcess | undefined {
  if (early === undefined || (early.cwd === repo.root && early.index === index && !repo.explicit))
    return early?.process
  void early.process.end()
  return undefined
}

export function indexEnv(index: string | undefined): Record<string, string> {
  return index === undefined ? {} : { GIT_INDEX_FILE: index }
}

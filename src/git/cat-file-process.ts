// Starts the `git cat-file` process that reads objects. The hooks of a commit start it before they load the
// rest of the program.

import type { Environment } from '../std/environment.ts'
import { type PipedProcess, startPiped } from '../std/process.ts'
import { gitEnv } from './env.ts'
import type { Repo } from './repo.ts'

// -z: names may contain newlines. --buffer: git collects small answers until a `flush`.
// https://git-scm.com/docs/git-cat-file
export const catFileCommand = ['cat-file', '--batch-command', '--buffer', '-z']

/** A process started before the repository object exists. */
export interface PrefetchedCatFile {
  process: PipedProcess
  cwd: string
  /** The index in which paths are looked up. */
  index: string | undefined
}

export function startCatFile(cwd: string, env: Environment, index: string | undefined): PrefetchedCatFile {
  return {
    process: startPiped(['git', ...catFileCommand], { cwd, env: { ...gitEnv(env), ...indexEnv(index) } }),
    cwd,
    index,
  }
}

/** The prefetched process, or undefined when it reads another work tree or index; then it is ended. */
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

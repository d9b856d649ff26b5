// Starts `git cat-file` for the hooks of a commit before anything else is loaded, even the runtime's file
// system: the process starts while they load.

import { type PrefetchedCatFile, startCatFile } from '../git/cat-file-process.ts'
import { liveName, pendingName } from '../sessions/file-names.ts'

/** Guesses whether git will be asked. A wrong guess costs a process, or a little time. */
const willAsk: Record<string, () => boolean> = {
  // The index lists at least one session.
  'prepare-commit-msg': () => beginning(`.git/${liveName}`, 14) === '{"sessions":{"',
  'post-commit': () => beginning(`.git/${pendingName}`, 1) === '{',
}

export function prefetchCatFile(hook: string): PrefetchedCatFile | undefined {
  const { env } = process
  // In linked work trees git names the directory; there the process starts once the repository is found.
  if (env.GIT_DIR !== undefined && env.GIT_DIR !== '.git') return undefined
  try {
    // Staged files are looked up in the index of the commit that is being made.
    if (willAsk[hook]?.())
      return startCatFile(process.cwd(), env, hook === 'prepare-commit-msg' ? env.GIT_INDEX_FILE : undefined)
  } catch {
    // Where git cannot be started, the first question reports it.
  }
  return undefined
}

function beginning(file: string, length: number): string {
  try {
    return new TextDecoder().decode(Bun.mmap(file).subarray(0, length))
  } catch {
    return ''
  }
}

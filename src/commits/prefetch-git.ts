// The hooks of a commit start git before anything else is loaded, the file system of the runtime included: while they load, it starts.

import { type PrefetchedCatFile, startCatFile } from '../git/cat-file-process.ts'
import { liveName, pendingName } from '../sessions/file-names.ts'

/** Whether git is going to be asked, as far as one look tells; a wrong guess costs a process, or a little time. */
const willAsk: Record<string, () => boolean> = {
  // It lists at least one session.
  'prepare-commit-msg': () => beginning(`.git/${liveName}`, 14) === '{"sessions":{"',
  'post-commit': () => beginning(`.git/${pendingName}`, 1) === '{',
}

export function prefetchCatFile(hook: string): PrefetchedCatFile | undefined {
  const { env } = process
  // In other work trees git names the directory; there it is started when that is understood.
  if (env.GIT_DIR !== undefined && env.GIT_DIR !== '.git') return undefined
  try {
    // What is staged is looked up in the index of the commit under way.
    if (willAsk[hook]?.())
      return startCatFile(process.cwd(), env, hook === 'prepare-commit-msg' ? env.GIT_INDEX_FILE : undefined)
  } catch {
    // Where git cannot be started, whoever needs it says so.
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

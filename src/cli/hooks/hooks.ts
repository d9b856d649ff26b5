// `entire hooks …`: what agents and git call. It must be quick, must never break its caller, and says on stderr what it did.

import { prefetchCatFile } from '../../commits/prefetch-git.ts'
import { EntireError, isErrno, messageOf } from '../../std/errors.ts'

/** Exit code: 0 for everything that can happen in use; a hook that fails would get in the way of the agent or the commit. */
export async function runHook(args: string[]): Promise<number> {
  const [kind = '', verb = ''] = args
  try {
    if (kind === 'git') {
      const early = prefetchCatFile(verb)
      await (await import('./git-hook.ts')).runGitHook(verb, args.slice(2), early)
    } else await (await import('./agent-hook.ts')).runAgentHook(kind, verb, args)
  } catch (error) {
    await report(error, kind, verb)
  }
  return 0
}

// Not ours to mend, and no bug: a full disk, a quota, a repository that may only be read.
const unwritable = ['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'EFBIG']

async function report(error: unknown, kind: string, verb: string): Promise<void> {
  const { write } = await import('../streams.ts')
  if (isErrno(error, ...unwritable))
    write(2, `[entire] Nothing was recorded: ${messageOf(error)}. The next event tries again.\n`)
  else if (error instanceof EntireError)
    write(2, `[entire] ${error.message}${error.hint === undefined ? '' : ` ${error.hint}`}\n`)
  else
    write(
      2,
      `[entire] hooks ${kind} ${verb} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    )
}

// Runs one hook that an agent or git calls: fast, without ever making the caller fail, and reporting on stderr.

import { prefetchCatFile } from '../../commits/prefetch-cat-file.ts'
import { EntireError, isErrno, messageOf, messageWithHint } from '../../std/errors.ts'

/**
 * Returns the exit code: 0 whatever fails, because a hook that fails would stop the agent or the commit. Only
 * a push is stopped on purpose.
 */
export async function runHook(args: string[]): Promise<number> {
  const [caller = '', hookName = ''] = args
  try {
    if (caller === 'git') {
      const catFile = prefetchCatFile(hookName)
      return await (await import('./git-hook.ts')).runGitHook(hookName, args.slice(2), catFile)
    }
    if (caller === 'catch-up') return await (await import('./agent-hook.ts')).runCatchUp(hookName)
    await (await import('./agent-hook.ts')).runAgentHook(caller, hookName, args)
  } catch (error) {
    await report(error, caller, hookName)
  }
  return 0
}

// A full disk, a quota or a read-only repository: neither a bug nor something Entire can fix.
const unwritable = ['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'EFBIG']

async function report(error: unknown, caller: string, hookName: string): Promise<void> {
  const [{ write }, { cleanLines }] = await Promise.all([
    import('../streams.ts'),
    import('../render/text.ts'),
  ])
  if (isErrno(error, ...unwritable))
    write(2, `[entire] Nothing was recorded: ${cleanLines(messageOf(error))}. The next event tries again.\n`)
  else if (error instanceof EntireError) write(2, `[entire] ${cleanLines(messageWithHint(error))}\n`)
  else write(2, `[entire] ${cleanLines(`hooks ${caller} ${hookName} failed: ${describeBug(error)}`)}\n`)
}

function describeBug(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

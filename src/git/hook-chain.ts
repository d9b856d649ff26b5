// How to run a hook under its backup name without it noticing: some hooks find their work by what they are called.
import type { HookFile } from './hook-file.ts'
import type { HookManager } from './hook-managers.ts'

export interface Chained {
  /** Name within the hooks directory. */
  file: string
  /** `run` it; read it into its own shell with `$0` kept; or run it through a link of the proper name. */
  way: 'run' | 'alias' | { shell: string }
  manager?: HookManager | undefined
}

export function planChain(file: string, hook: HookFile): Chained {
  return { file, way: planWay(hook), manager: hook.manager }
}

function planWay({ head, symlink, manager }: HookFile): Chained['way'] {
  const shell = plainShell(head)
  // A stub of Husky reads a file beside `$0`, and that looks for the user's hook by the last part of `$0`.
  if (shell && (manager === 'husky' || asksItsName.test(head))) return { shell }
  if (asksItsName.test(head)) return 'alias'
  // A program reached by a link called like the hook: the name is the only thing that tells it which hook it is.
  return symlink && head.includes('\0') ? 'alias' : 'run'
}

const asksItsName = /basename (?:-- )?"?\$\{?0\b|\$\{0##\*\/\}|\bbasename\(\$(?:0|PROGRAM_NAME)\)|\bargv\[0\]|\bprocess\.argv\[1\]/

// A bash script that compares BASH_SOURCE with $0 must not be read in: it would take itself for a library.
function plainShell(head: string): string | undefined {
  const shebang = /^#! ?((?:\/usr\/bin\/env )?(?:\/[\w./-]*\/)?(?:sh|dash|bash)(?: -[a-z]+)?)\s*\n/.exec(head)?.[1]
  return head.includes('BASH_SOURCE') ? undefined : shebang
}

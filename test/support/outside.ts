// Watches what must not change while a hostile repository is worked in: everything of the user's outside of the
// work tree, and the hooks and the configuration of git.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { TempRepo } from './repo.ts'

const session = '5e551010-0000-4000-8000-00000000beef'

/** Files of the user, some with the names of ours, to which links of an attacker lead. Returns their directory. */
export function makeOutside({ base }: { base: string }): string {
  const outside = join(base, 'home', 'outside')
  const files = {
    '.bashrc': 'alias ll="ls -l"\n',
    'settings.json': '{"enabled":true}\n',
    'settings.local.json': '{"enabled":true}\n',
    '.gitignore': 'mine\n',
    'entire.log': 'mine\n',
    'logs/entire.log': 'mine\n',
    'tmp/pre-prompt-gone.json': '{"session_id":"gone"}\n',
    'tmp/notes.json.999999.tmp': 'half\n',
    'tmp/rewind/kept': 'mine\n',
    'pre-prompt-gone.json': '{"session_id":"gone"}\n',
    [`pre-prompt-${session}.json`]: '{"session_id":"mine"}\n',
    'pre-task-old.json': '{}\n',
    'notes.json.999999.tmp': 'half\n',
    'rewind/kept': 'mine\n',
    [`metadata/${session}/prompt.txt`]: 'mine\n',
    [`${session}/prompt.txt`]: 'mine\n',
    'a.txt': 'mine\n',
  }
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(outside, name)), { recursive: true })
    writeFileSync(join(outside, name), content)
  }
  return outside
}

/** The session whose files are among those outside. */
export const knownSession = session

/**
 * Kind, permissions and content of everything beside the work tree, and of what git runs. `written` are paths
 * below the base that the story itself writes.
 */
export function readOutside({ base, root, repo }: TempRepo, written: RegExp): Map<string, string> {
  const files = new Map<string, string>()
  const visit = (path: string) => {
    const name = relative(base, path)
    if (path === root || path === repo.commonDir || written.test(name)) return
    const stat = lstatSync(path)
    if (stat.isDirectory()) for (const entry of readdirSync(path)) visit(join(path, entry))
    const content = stat.isSymbolicLink()
      ? readlinkSync(path)
      : stat.isFile()
        ? readFileSync(path, 'latin1')
        : ''
    files.set(name, `${stat.mode.toString(8)} ${content}`)
  }
  visit(base)
  for (const path of ['hooks', 'config', 'info'].map((name) => join(repo.commonDir, name)))
    if (existsSync(path)) visit(path)
  return files
}

/** Text that a person would see: without escape sequences, and without the stack of a bug. */
export function faultsOf(text: string): string[] {
  const control = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/.exec(text)
  const stack = /\n\s+at .*|bug in entire/.exec(text)
  return [
    ...(control === null
      ? []
      : [`control: ${JSON.stringify(text.slice(Math.max(0, control.index - 80), control.index + 40))}`]),
    ...(stack === null ? [] : [`stack: ${text.slice(0, 1_000)}`]),
  ]
}

// What the user's git configuration says, as far as recording depends on it. Reading it costs a process, so the answer is kept
// beside the repository together with the state of every file it came from.

import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { findStat, readText, writeAtomic } from '../std/file.ts'
import { asObject, asString, asStrings, type JsonObject, parseJson } from '../std/json.ts'
import { git } from './exec.ts'
import type { Repo } from './repo.ts'

export interface RepoConfig {
  author: Identity
  hooksDir: string
  /** True when file contents may pass through a filter on their way into git (line endings, LFS). */
  convertsContent: boolean
  /** What starts a comment in a commit message under way; `auto` in the configuration counts as `#`. */
  commentPrefix: string
  /** Names, in the order of the configuration. */
  remotes: string[]
  /** Settings that say where a push goes, by their keys; `branch.<name>.remote` only where it is not origin. */
  pushKeys: Record<string, string>
}

// Counted up when more is kept than before: what an older version kept is then read again.
const cacheVersion = 2
const cacheName = 'entire-config.json'

export async function readConfig(repo: Repo): Promise<RepoConfig> {
  const cached = asObject(parseJson(readText(join(repo.gitDir, cacheName)) ?? ''))
  if (cached !== undefined && signature(repo, asStrings(cached.files)) === cached.signature)
    return parseConfig(repo, asObject(cached.values) ?? {})
  const before = signature(repo, [])
  const { stdout } = await git(repo, ['config', '--list', '--show-origin', '-z'])
  const { files, values, lasting } = parseList(repo, stdout.toString('utf8'))
  // A file edited while git read it must not pass for the one that was read.
  if (!lasting || before !== signature(repo, [])) return parseConfig(repo, values)
  try {
    writeAtomic(
      join(repo.gitDir, cacheName),
      JSON.stringify({ signature: signature(repo, files), files, values }),
    )
  } catch {
    // A repository that cannot be written to is still read; the next event asks git again.
  }
  return parseConfig(repo, values)
}

function parseConfig(repo: Repo, values: JsonObject): RepoConfig {
  const hooksPath = asString(values['core.hookspath'])
  return {
    author: safeIdentity(asString(values['user.name']), asString(values['user.email'])),
    hooksDir: hooksPath ? resolve(repo.root, expandHome(repo, hooksPath)) : join(repo.commonDir, 'hooks'),
    convertsContent: values.converts === true,
    commentPrefix: asString(values.comment) ?? '#',
    remotes: asStrings(values.remotes),
    pushKeys: (asObject(values.push) ?? {}) as Record<string, string>,
  }
}

// `git config --list --show-origin -z` gives origin NUL key LF value NUL; later entries win.
function parseList(repo: Repo, output: string): { files: string[]; values: JsonObject; lasting: boolean } {
  const fields = output.split('\0')
  const files = new Set(defaultFiles(repo))
  const values: JsonObject = {}
  const remotes = new Set<string>()
  const push: Record<string, string> = {}
  let lasting = true
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const origin = resolve(repo.root, (fields[at] as string).replace(/^file:/, ''))
    if (fields[at]?.startsWith('file:')) files.add(origin)
    const [key = '', ...rest] = (fields[at + 1] as string).split('\n')
    const value = rest.join('\n')
    // An included file may not exist yet. Which ones are included can depend on the branch, which no file state tells in every repository.
    if (/^include(if\..*)?\.path$/.test(key)) files.add(resolve(dirname(origin), expandHome(repo, value)))
    if (key.startsWith('includeif.onbranch:')) lasting = false
    if ((key === 'core.commentchar' || key === 'core.commentstring') && value !== '')
      values.comment = value === 'auto' ? '#' : value
    if (['user.name', 'user.email', 'core.hookspath'].includes(key)) values[key] = value
    if (
      (key === 'core.autocrlf' && value !== 'false') ||
      /^filter\..*\.(clean|process)$/.test(key) ||
      key === 'core.attributesfile'
    )
      values.converts = true
    const remote = /^remote\.(.+)\.url$/.exec(key)?.[1]
    if (remote !== undefined) remotes.add(remote)
    if (key === 'remote.pushdefault' || /^branch\..+\.pushremote$/.test(key)) push[key] = value
    if (/^branch\..+\.remote$/.test(key) && value !== 'origin') push[key] = value
  }
  return { files: [...files], values: { ...values, remotes: [...remotes], push }, lasting }
}

// Files that do not exist yet count too: creating one changes the answer.
function defaultFiles(repo: Repo): string[] {
  const home = repo.env.HOME ?? homedir()
  const global = repo.env.GIT_CONFIG_GLOBAL
  return [
    repo.env.GIT_CONFIG_SYSTEM ?? '/etc/gitconfig',
    join(repo.commonDir, 'config'),
    join(repo.gitDir, 'config.worktree'),
    ...(global === undefined
      ? [join(home, '.gitconfig'), join(repo.env.XDG_CONFIG_HOME || join(home, '.config'), 'git', 'config')]
      : [global]),
  ]
}

function signature(repo: Repo, files: string[]): string {
  const states = [...new Set([...defaultFiles(repo), ...files])].map((file) => {
    const stat = findStat(file)
    return `${file} ${stat?.mtimeMs} ${stat?.size} ${stat?.ino}`
  })
  const variables = Object.entries(repo.env).filter(([name]) => name.startsWith('GIT_CONFIG'))
  // A digest, because configuration given in the environment can hold credentials.
  return new Bun.CryptoHasher('sha256')
    .update(JSON.stringify([cacheVersion, states.sort(), variables.sort()]))
    .digest('hex')
}

function expandHome(repo: Repo, path: string): string {
  return path.startsWith('~/') ? join(repo.env.HOME ?? homedir(), path.slice(2)) : path
}

// Who signs our commits: the user as git knows them, or a placeholder, never a prompt.

export interface Identity {
  name: string
  email: string
}

export const unknownIdentity: Identity = { name: 'Unknown', email: 'unknown@local' }

/** Characters that would end a field of a commit header. */
export function safeIdentity(name: string | undefined, email: string | undefined): Identity {
  const clean = (text: string | undefined) => text?.replace(/[<>\n\0]/g, '').trim()
  return { name: clean(name) || unknownIdentity.name, email: clean(email) || unknownIdentity.email }
}

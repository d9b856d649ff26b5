// Reads the git configuration that recording depends on. Asking git costs a process, so the answer is cached
// in the git directory together with the state of every file it came from.

import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { findStat, readText, writeAtomic } from '../std/file.ts'
import { asObject, asString, asStrings, type JsonObject, parseJson } from '../std/json.ts'
import { git } from './exec.ts'
import type { Repo } from './repo.ts'

/** Who signs the commits of the program. */
export interface Identity {
  name: string
  email: string
}

export interface RepoConfig {
  /** The user as git knows them, or a placeholder; never asked for. */
  author: Identity
  hooksDir: string
  /** True when git may filter file contents before it stores them (line endings, LFS). */
  convertsContent: boolean
  /** The prefix of comment lines in git's editor file; `auto` in the configuration counts as `#`. */
  commentPrefix: string
  /** Names of remotes, in the order of the configuration. */
  remotes: string[]
  /** Settings that decide where a push goes, by key; `branch.<name>.remote` only where it is not origin. */
  pushKeys: Record<string, string>
}

// Increased when the cache holds more than before, so that a cache of an older version is not used.
const cacheVersion = 2
const cacheName = 'entire-config.json'

export async function readConfig(repo: Repo): Promise<RepoConfig> {
  const cached = asObject(parseJson(readText(join(repo.gitDir, cacheName)) ?? ''))
  if (cached !== undefined && signature(repo, asStrings(cached.files)) === cached.signature)
    return parseConfig(repo, asObject(cached.values) ?? {})
  const before = signature(repo, [])
  const { stdout } = await git(repo, ['config', '--list', '--show-origin', '-z'])
  const { files, values, isCacheable } = parseList(repo, stdout.toString('utf8'))
  // A file that was edited while git read it must not be cached as read.
  if (!isCacheable || before !== signature(repo, [])) return parseConfig(repo, values)
  try {
    writeAtomic(
      join(repo.gitDir, cacheName),
      JSON.stringify({ signature: signature(repo, files), files, values }),
    )
  } catch {
    // A read-only repository has no cache; the next event asks git again.
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

// `git config --list --show-origin -z` gives `origin NUL key LF value NUL`; later entries win.
function parseList(
  repo: Repo,
  output: string,
): { files: string[]; values: JsonObject; isCacheable: boolean } {
  const fields = output.split('\0')
  const files = new Set(defaultFiles(repo))
  const values: JsonObject = {}
  const remotes = new Set<string>()
  const push: Record<string, string> = {}
  let isCacheable = true
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const origin = resolve(repo.root, (fields[at] as string).replace(/^file:/, ''))
    if (fields[at]?.startsWith('file:')) files.add(origin)
    const [key = '', ...rest] = (fields[at + 1] as string).split('\n')
    const value = rest.join('\n')
    // An included file may not exist yet. If the inclusion depends on the branch, the state of files does not
    // tell whether the answer still holds.
    if (/^include(if\..*)?\.path$/.test(key)) files.add(resolve(dirname(origin), expandHome(repo, value)))
    if (key.startsWith('includeif.onbranch:')) isCacheable = false
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
  return { files: [...files], values: { ...values, remotes: [...remotes], push }, isCacheable }
}

// Includes files that do not exist yet: creating one changes the answer.
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
  // A digest, because configuration in the environment may include credentials.
  return new Bun.CryptoHasher('sha256')
    .update(JSON.stringify([cacheVersion, states.sort(), variables.sort()]))
    .digest('hex')
}

function expandHome(repo: Repo, path: string): string {
  return path.startsWith('~/') ? join(repo.env.HOME ?? homedir(), path.slice(2)) : path
}

const unknownIdentity: Identity = { name: 'Unknown', email: 'unknown@local' }

/** Leaves out characters that would end a field of a commit header. */
function safeIdentity(name: string | undefined, email: string | undefined): Identity {
  const clean = (text: string | undefined) => text?.replace(/[<>\n\0]/g, '').trim()
  return { name: clean(name) || unknownIdentity.name, email: clean(email) || unknownIdentity.email }
}

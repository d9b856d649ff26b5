// Where a rule is tried: a home directory and a repository of its own, so that nothing of the user is read or changed.

import { createHash } from 'node:crypto'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import { limits, protocolVersion } from '../../protocol/external-agent/subcommand.ts'
import { runLimited } from '../../std/limited-proc.ts'

export type Environment = Record<string, string | undefined>

export interface Ground {
  /** The repository. */
  root: string
  home: string
  env: Environment
}

export interface Grounds {
  /** A fresh one for each rule. */
  next(): Ground
  remove(): void
}

export async function makeGrounds(env: Environment): Promise<Grounds> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'entire-agent-check-')))
  const model = join(base, 'model')
  await makeRepo(model, isolate(env, join(base, 'model-home')))
  let count = 0
  return {
    next: () => {
      count += 1
      const place = join(base, String(count))
      const [root, home] = [join(place, 'repo'), join(place, 'home')]
      cpSync(model, root, { recursive: true })
      for (const dir of [home, join(place, 'tmp')]) mkdirSync(dir, { recursive: true })
      return { root, home, env: { ...isolate(env, home), TMPDIR: join(place, 'tmp'), ...callerEnv(root) } }
    },
    remove: () => rmSync(base, { recursive: true, force: true, maxRetries: 3 }),
  }
}

function callerEnv(root: string): Environment {
  return { ENTIRE_REPO_ROOT: root, ENTIRE_PROTOCOL_VERSION: String(protocolVersion) }
}

/** Without what points to the user's own files, and without what git or a running hook has left in it. */
function isolate(env: Environment, home: string): Environment {
  const own = Object.entries(env).filter(([name]) => !/^(?:GIT_|XDG_|ENTIRE_)/.test(name))
  return { ...Object.fromEntries(own), HOME: home, USERPROFILE: home, GIT_CONFIG_NOSYSTEM: '1' }
}

async function makeRepo(root: string, env: Environment): Promise<void> {
  mkdirSync(root, { recursive: true })
  mkdirSync(env.HOME ?? root, { recursive: true })
  writeFileSync(join(root, 'README.md'), '# Conformance\n')
  const author = ['-c', 'user.name=Check', '-c', 'user.email=check@example.com', '-c', 'commit.gpgsign=false']
  for (const words of [
    ['init', '-q', '--template=', '-b', 'main'],
    ['add', 'README.md'],
    [...author, 'commit', '-q', '-m', 'Start'],
  ]) {
    const { code, stderr, startError } = await runLimited(['git', ...words], { cwd: root, env, ...limits })
    if (code !== 0) throw new Error(`git ${words.join(' ')} failed: ${startError ?? stderr}`)
  }
}

// The files of a repository, to see what a plugin has changed in it.

/** A mark of the content by path, without what belongs to git. */
export function readTree(root: string): Map<string, string> {
  const files = new Map<string, string>()
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const name = path.slice(root.length + 1).replaceAll(sep, '/')
    if (entry.isDirectory() || name === '.git' || name.startsWith('.git/')) continue
    files.set(
      name,
      entry.isSymbolicLink()
        ? readlinkSync(path)
        : createHash('sha256').update(readFileSync(path)).digest('hex'),
    )
  }
  return files
}

export function changedPaths(before: Map<string, string>, after: Map<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => before.get(path) !== after.get(path))
    .sort()
}

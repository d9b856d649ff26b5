// Finds what a purge leaves: objects and files of the user, and what remotes still have.

import { homedir } from 'node:os'
import { join } from 'node:path'
import { readPurged } from '../../checkpoints/purged.ts'
import {
  filesBelow,
  findDescendants,
  findReachable,
  findRoots,
  listAlternates,
  listReachableCommits,
  type Root,
  scanObjects,
} from '../../git/all-objects.ts'
import { openObjectReader } from '../../git/cat-file.ts'
import { readConfig } from '../../git/config.ts'
import { git } from '../../git/exec.ts'
import type { Oid } from '../../git/oid.ts'
import { listRefs } from '../../git/refs.ts'
import type { Repo } from '../../git/repo.ts'
import { listSessions } from '../../sessions/store.ts'
import { listWorktrees } from '../../sessions/worktrees.ts'
import { readBytes } from '../../std/file.ts'
import { shellWord } from '../../std/shell.ts'
import { listOwnFiles } from './own-files.ts'
import { findUsersOwn, oidsOf, type PurgeOptions } from './plan.ts'
import { ownedKind, type PurgeTarget, type Sought, soughtId } from './target.ts'

export interface LeftObject {
  oid: Oid
  type: string
  /** Where a commit of the user has it; empty when it is the commit itself, or nothing leads there. */
  path: string
  isBorrowed: boolean
  /** It is only in old commits of the program that something of the user leads to. */
  isHeld: boolean
}

export async function findLeft(
  repo: Repo,
  target: PurgeTarget,
  old: ReadonlySet<Oid>,
  { progress }: PurgeOptions,
): Promise<LeftObject[]> {
  const sought = target.kind === 'secret' ? target.secret : soughtId(target.id)
  const found = await scanObjects(repo, sought, (count) => progress(`Checking all objects: ${count}`))
  const roots = await findRoots(repo, (ref) => ownedKind(ref) !== undefined)
  const dirty = new Set(found.map(({ oid }) => oid))
  const paths = await findReachable(repo, oidsOf(roots), dirty)
  const users = dirty.size === 0 ? new Set<Oid>() : await listReachableCommits(repo, oidsOf(roots))
  const own = await findUsersOwn(repo, dirty, { roots, users, ours: old })
  const hasAlternates = listAlternates(repo).length > 0
  return found.map(({ oid, type }) => ({
    oid,
    type,
    path: paths.get(oid) ?? '',
    isBorrowed: hasAlternates && !paths.has(oid),
    isHeld: paths.has(oid) && !own.has(oid),
  }))
}

/** Something of the user that leads to old commits of the program. */
export interface Holder {
  name: string
  /** What to type to let go of them, where one command does. */
  command?: string
}

export async function findHolders(repo: Repo, old: ReadonlySet<Oid>): Promise<Holder[]> {
  const roots = await findRoots(repo, (ref) => ownedKind(ref) !== undefined)
  const holding = await findDescendants(repo, oidsOf(roots), old)
  const found = roots.filter(({ target }) => holding.has(target))
  const places = Map.groupBy(found, ({ kind, name }) => `${kind} ${name}`)
  return [...places.values()].map((group) => {
    const [{ kind, name }] = group as [Root]
    const [, type = '', short = ''] = /^refs\/(heads|tags)\/(.+)$/.exec(name) ?? []
    if (kind === 'file') return { name }
    if (kind === 'reflog') {
      // The oldest first: the numbers of the others stay.
      const entries = [...new Set(group.map(({ entry = 0 }) => entry))].sort((a, b) => b - a)
      const words = entries.map((entry) => shellWord(`${name}@{${entry}}`))
      return {
        name: `reflog of ${short || name}`,
        command: `git reflog delete --rewrite ${words.join(' ')}`,
      }
    }
    if (type === 'tags') return { name: `tag ${short}`, command: `git tag -d ${shellWord(short)}` }
    if (type === 'heads') return { name: `branch ${short}`, command: `git branch -D ${shellWord(short)}` }
    return { name, command: `git update-ref -d ${shellWord(name)}` }
  })
}

/** Files of the user that contain the secret: in work trees, among git's own, and transcripts of agents. */
export async function findUserFiles(repo: Repo, secret: Sought): Promise<string[]> {
  const worktrees = listWorktrees(repo)
  const own = new Set(listOwnFiles(repo).map(({ path }) => path))
  const lists = await Promise.all(
    worktrees.map(async ({ root, ...rest }) => {
      const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
      const { stdout } = await git({ root, ...rest }, args)
      return stdout
        .toString('utf8')
        .split('\0')
        .filter((name) => name !== '')
        .map((name) => join(root, name))
    }),
  )
  const transcripts = listSessions(repo).flatMap(({ transcriptPath }) => transcriptPath ?? [])
  const inGit = filesBelow(repo.commonDir).filter(
    (path) => !path.startsWith(join(repo.commonDir, 'objects/')),
  )
  const paths = new Set([...lists.flat(), ...transcripts, ...inGit])
  return [...paths].filter((path) => {
    const content = own.has(path) ? undefined : readBytes(path)
    return content !== undefined && secret.isIn(content)
  })
}

/** What a remote still has of what was purged here. */
export interface RemoteLeft {
  remote: string
  ref: string
  oid: Oid
  /** Whether there is a ref of this name here to replace it by. */
  isHere: boolean
  /** The remote's commit is not known here: it may have more than what was purged. */
  isUnknown: boolean
}

export interface RemoteFailure {
  remote: string
  why: string
}

/** Asks all remotes. */
export async function findOnRemotes(repo: Repo): Promise<{ left: RemoteLeft[]; failed: RemoteFailure[] }> {
  const purged = new Set(readPurged(repo).commits)
  const left: RemoteLeft[] = []
  const failed: RemoteFailure[] = []
  if (purged.size === 0) return { left, failed }
  const here = new Map((await listRefs(repo)).map(({ ref, oid }) => [ref, oid]))
  await using objects = openObjectReader(repo)
  for (const remote of (await readConfig(repo)).remotes) {
    const asked = await git(repo, ['ls-remote', '--quiet', '--', remote], {
      accept: asking,
      timeoutMs: 30_000,
    })
    if (asked.code !== 0) {
      failed.push({ remote, why: asked.stderr.trim().split('\n').at(-1) || 'no answer' })
      continue
    }
    for (const line of asked.stdout.toString('utf8').split('\n')) {
      const [oid = '', ref = ''] = line.split('\t')
      const kind = ownedKind(ref)
      if (kind === undefined) continue
      const isUnknown = !purged.has(oid) && (await objects.info(oid)) === undefined
      if (purged.has(oid) || isUnknown) left.push({ remote, ref, oid, isHere: here.has(ref), isUnknown })
    }
  }
  return { left, failed }
}

const asking = [1, 2, 128, 143, 137]

/** The path as a person knows it. */
export function tilde(path: string): string {
  const home = process.env.HOME ?? homedir()
  return path.startsWith(`${home}/`) ? `~/${path.slice(home.length + 1)}` : path
}

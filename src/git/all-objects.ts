// Looks at every object of a repository, reachable or not, and removes objects from it: loose ones by their
// file, packed ones by a new pack without them. Git itself only removes everything that is unreachable.

import { existsSync, lstatSync, readdirSync, readFileSync, statSync, utimesSync } from 'node:fs'
import { join, relative } from 'node:path'
import { readBytes, readText, removeFile, writeAtomic } from '../std/file.ts'
import { writePoint } from '../std/kill-point.ts'
import { git, gitFailure, startGit } from './exec.ts'
import type { Oid } from './oid.ts'
import type { Repo } from './repo.ts'

export interface FoundObject {
  oid: Oid
  type: string
}

const allObjects = ['cat-file', '--batch-all-objects', '--unordered', '--buffer']

/** The objects that contain what is sought. Each is read once, in pieces; `seen` counts them. */
export async function scanObjects(
  repo: Repo,
  sought: { longest: number; isIn(content: Buffer): boolean },
  seen: (objects: number) => void = () => {},
): Promise<FoundObject[]> {
  const command = [...allObjects, '--batch=%(objectname) %(objecttype) %(objectsize)']
  const process = startGit(repo, command)
  const found: FoundObject[] = []
  const overlap = sought.longest - 1
  let header: Buffer = Buffer.alloc(0)
  let tail: Buffer = Buffer.alloc(0)
  let object: FoundObject | undefined
  let [left, count, isFound] = [0, 0, false]
  for (;;) {
    const { value, done } = await process.output.read()
    if (done) break
    for (let at = 0; at < value.length; ) {
      if (object === undefined) {
        const end = value.indexOf(10, at)
        header = Buffer.concat([header, value.subarray(at, end === -1 ? undefined : end)])
        if (end === -1) break
        at = end + 1
        const [oid = '', type = '', size = ''] = header.toString('latin1').split(' ')
        object = { oid, type }
        // A newline follows the content.
        ;[left, isFound, header, tail] = [Number(size) + 1, false, Buffer.alloc(0), Buffer.alloc(0)]
      }
      const piece = value.subarray(at, at + left)
      at += piece.length
      left -= piece.length
      if (!isFound) {
        const joined = tail.length === 0 ? Buffer.from(piece) : Buffer.concat([tail, piece])
        isFound = sought.isIn(joined)
        tail = joined.subarray(Math.max(0, joined.length - overlap))
      }
      if (left > 0) continue
      if (isFound) found.push(object)
      object = undefined
      count += 1
      if (count % 1000 === 0) seen(count)
    }
  }
  const ended = await process.end()
  if (ended.code !== 0) throw gitFailure(command, ended)
  seen(count)
  return found
}

/** The commits among all objects. */
export async function listAllCommits(repo: Repo): Promise<Oid[]> {
  const { stdout } = await git(repo, [...allObjects, '--batch-check=%(objecttype) %(objectname)'])
  return [...stdout.toString('latin1').matchAll(/^commit (\w+)$/gm)].map(([, oid]) => oid as Oid)
}

/**
 * Those of the objects that can be reached from the roots or from an index, each with a path or ''. Of listed
 * commits, the parents do not count.
 */
export async function findReachable(
  repo: Repo,
  roots: Iterable<Oid>,
  wanted: ReadonlySet<Oid>,
  areListed = false,
): Promise<Map<Oid, string>> {
  if (wanted.size === 0) return new Map()
  const args = ['--objects', '--indexed-objects', ...(areListed ? ['--no-walk=unsorted'] : reflogs(repo))]
  const found = new Map<Oid, string>()
  for (const line of await walk(repo, args, roots)) {
    const oid = line.slice(0, line.indexOf(' ') === -1 ? undefined : line.indexOf(' '))
    if (wanted.has(oid)) found.set(oid, line.slice(oid.length + 1))
  }
  return found
}

export async function listReachableCommits(repo: Repo, roots: Iterable<Oid>): Promise<Set<Oid>> {
  return new Set(await walk(repo, reflogs(repo), roots))
}

/** The commits that have one of the others in their history, or are one of them. */
export async function findDescendants(
  repo: Repo,
  roots: Iterable<Oid>,
  ancestors: ReadonlySet<Oid>,
): Promise<Set<Oid>> {
  const found = new Set(ancestors)
  for (const line of await walk(repo, ['--topo-order', '--reverse', '--parents'], roots)) {
    const [oid = '', ...parents] = line.split(' ')
    if (parents.some((parent) => found.has(parent))) found.add(oid)
  }
  return found
}

async function walk(repo: Repo, args: string[], roots: Iterable<Oid>): Promise<string[]> {
  const stdin = [...new Set(roots)].map((oid) => `${oid}\n`).join('')
  if (stdin === '' && args.length === 0) return []
  const { stdout } = await git(
    repo,
    ['rev-list', '--ignore-missing', '--missing=allow-any', ...args, '--stdin'],
    { stdin },
  )
  return stdout
    .toString('latin1')
    .split('\n')
    .filter((line) => line !== '')
}

// Where refs are not files, the reflogs cannot be told apart: then all of them count.
function reflogs({ commonDir }: Repo): string[] {
  return existsSync(join(commonDir, 'reftable')) ? ['--reflog'] : []
}

const oids = /\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b/g

/** Something from which git finds objects. */
export interface Root {
  oid: Oid
  /** What an annotated tag stands for; else the object itself. */
  target: Oid
  /** The ref, the ref of a reflog, or a file below the git directory. */
  name: string
  kind: 'ref' | 'reflog' | 'file'
  /** Which entry of the reflog it is, the newest being 0. */
  entry?: number
}

/**
 * Everything that git or a command that was interrupted starts from, without the refs of one owner: refs and
 * their reflogs, what is checked out in any work tree, a merge or rebase on its way.
 */
export async function findRoots(repo: Repo, isOwned: (ref: string) => boolean): Promise<Root[]> {
  const { commonDir } = repo
  const worktrees = listDir(join(commonDir, 'worktrees')).map((name) => join(commonDir, 'worktrees', name))
  const files = [commonDir, ...worktrees].flatMap((gitDir) => [
    ...listDir(gitDir)
      .filter((name) => /^[A-Z_]*HEAD$|^AUTO_MERGE$/.test(name) && name !== 'FETCH_HEAD')
      .map((name) => join(gitDir, name)),
    ...['rebase-merge', 'rebase-apply', 'sequencer'].flatMap((dir) => filesBelow(join(gitDir, dir))),
    ...(gitDir === commonDir ? [] : filesBelow(join(gitDir, 'refs'))),
  ])
  const logs = [commonDir, ...worktrees].flatMap((gitDir) =>
    filesBelow(join(gitDir, 'logs'))
      .map((path) => ({ path, ref: relative(join(gitDir, 'logs'), path) }))
      .filter(({ ref }) => !isOwned(ref))
      .map(({ path, ref }) => ({ path, name: join(relative(commonDir, gitDir), ref) })),
  )
  const { stdout } = await git(repo, ['for-each-ref', '--format=%(objectname) %(*objectname) %(refname)'])
  const tips = [...stdout.toString('utf8').matchAll(/^(\w+) (\w*) (.+)$/gm)]
    .map(([, oid = '', target, name = '']): Root => ({ oid, target: target || oid, name, kind: 'ref' }))
    .filter(({ name }) => !isOwned(name))
  const named = files.flatMap((path) =>
    readOids(path).map((oid): Root => ({ oid, target: oid, name: relative(commonDir, path), kind: 'file' })),
  )
  const logged = logs.flatMap(({ path, name }) => readReflog(path, name))
  return [...tips, ...named, ...logged].filter(({ oid }) => !/^0+$/.test(oid))
}

function readOids(path: string): Oid[] {
  return (readText(path) ?? '').match(oids) ?? []
}

function readReflog(path: string, name: string): Root[] {
  const lines = (readText(path) ?? '').split('\n').filter((line) => line !== '')
  return lines.flatMap((line, at) => {
    const [before = '', after = ''] = line.split(' ')
    // What was there before is, as a rule, the entry before.
    const named = lines[at - 1]?.split(' ')[1] === before ? [after] : [before, after]
    const entry = lines.length - 1 - at
    return named.map((oid): Root => ({ oid, target: oid, name, kind: 'reflog', entry }))
  })
}

export function filesBelow(dir: string): string[] {
  return listDir(dir).flatMap((name) => {
    const path = join(dir, name)
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (stat?.isDirectory()) return filesBelow(path)
    return stat?.isFile() ? [path] : []
  })
}

function listDir(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch {
    return []
  }
}

/** The object directories from which this one borrows. Nothing is removed there. */
export function listAlternates({ commonDir }: Repo): string[] {
  return (readText(join(commonDir, 'objects/info/alternates')) ?? '')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
}

/** Removes the objects from this repository, and from nowhere else. All others stay, reachable or not. */
export async function removeObjects(repo: Repo, removed: ReadonlySet<Oid>): Promise<void> {
  if (removed.size === 0) return
  const dir = join(repo.commonDir, 'objects')
  const renew = dropSummaries(repo)
  for (const oid of removed) {
    const path = join(dir, oid.slice(0, 2), oid.slice(2))
    if (existsSync(path)) {
      writePoint()
      removeFile(path)
    }
  }
  const hashBytes = ([...removed][0] as Oid).length / 2
  const packs = listDir(join(dir, 'pack'))
    .flatMap((name) => /^(pack-\w+)\.idx$/.exec(name)?.[1] ?? [])
    .map((name) => ({
      base: join(dir, 'pack', name),
      oids: readIndex(join(dir, 'pack', `${name}.idx`), hashBytes),
    }))
    .filter(({ oids: packed }) => packed.some((oid) => removed.has(oid)))
  // Packs about which something special is said are not mixed with others.
  const isMarked = ({ base }: Pack) => marks.some((mark) => existsSync(`${base}.${mark}`))
  const groups = [packs.filter((pack) => !isMarked(pack)), ...packs.filter(isMarked).map((pack) => [pack])]
  for (const group of groups) if (group.length > 0) await replacePacks(repo, group, removed)
  await renew()
}

interface Pack {
  /** The path of its files without the ending. */
  base: string
  oids: Oid[]
}

// The object names in an index of a pack. https://git-scm.com/docs/gitformat-pack
function readIndex(path: string, hashBytes: number): Oid[] {
  const bytes = readFileSync(path)
  const isNew = bytes.readUInt32BE(0) === 0xff744f63
  const fanout = isNew ? 8 : 0
  const count = bytes.readUInt32BE(fanout + 255 * 4)
  const [from, step] = isNew ? [fanout + 1024, hashBytes] : [fanout + 1024 + 4, hashBytes + 4]
  return Array.from({ length: count }, (_, at) =>
    bytes.toString('hex', from + at * step, from + at * step + hashBytes),
  )
}

// These say something about a pack that stays true without the removed objects.
const marks = ['keep', 'promisor']

async function replacePacks(repo: Repo, packs: Pack[], removed: ReadonlySet<Oid>): Promise<void> {
  const dir = join(repo.commonDir, 'objects', 'pack')
  const there = packs.filter(({ base }) => existsSync(`${base}.pack`))
  const rest = new Set(there.flatMap(({ oids: packed }) => packed.filter((oid) => !removed.has(oid))))
  if (rest.size > 0) {
    writePoint()
    const stdin = [...rest].map((oid) => `${oid}\n`).join('')
    const { stdout } = await git(repo, ['pack-objects', '--quiet', join(dir, 'pack')], { stdin })
    const made = join(dir, `pack-${stdout.toString('latin1').trim()}`)
    for (const mark of marks) {
      const text = readBytes(`${there[0]?.base}.${mark}`)
      if (text !== undefined) writeAtomic(`${made}.${mark}`, text, { mode: 0o444 })
    }
    // What is unreachable does not become younger by this.
    const seconds = Math.min(...there.map(({ base }) => statSync(`${base}.pack`).mtimeMs)) / 1000
    utimesSync(`${made}.pack`, seconds, seconds)
  }
  for (const name of listDir(dir).filter((entry) => entry.startsWith('multi-pack-index')))
    removeFile(join(dir, name))
  // Without its pack an index is ignored, so whatever is killed here leaves nothing that can be read.
  for (const { base } of packs) {
    writePoint()
    for (const ending of ['pack', 'idx', 'rev', 'bitmap', 'mtimes', ...marks]) removeFile(`${base}.${ending}`)
  }
}

// A summary of commits that are gone would look like damage. Without one, git is only slower.
function dropSummaries(repo: Repo): () => Promise<void> {
  const info = join(repo.commonDir, 'objects', 'info')
  const isSplit = existsSync(join(info, 'commit-graphs'))
  const graphs = [join(info, 'commit-graph'), ...filesBelow(join(info, 'commit-graphs'))].filter(existsSync)
  for (const path of graphs) removeFile(path)
  return async () => {
    if (graphs.length > 0)
      await git(repo, ['commit-graph', 'write', '--reachable', ...(isSplit ? ['--split=replace'] : [])])
    if (existsSync(join(info, 'packs'))) await git(repo, ['update-server-info'])
  }
}

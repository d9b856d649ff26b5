// Which files on disk are already as a commit has them: by kind, by the executable bit, and by content as git would store it.
import type { ObjectReader } from '../git/cat-file.ts'
import { git } from '../git/exec.ts'
import { blobOid, type Oid } from '../git/oid.ts'
import type { Repo } from '../git/repo.ts'
import { readTree } from '../git/tree.ts'
import { encodePath } from '../std/path-bytes.ts'
import { type Disk, type Place, parentOf } from './rewind-disk.ts'

export interface FileEntry {
  mode: string
  oid: Oid
}

export const linkMode = '120000'
const submoduleMode = '160000'

/** Entries of a commit's tree, by path. Submodules are other people's, and left out. */
export async function readEntries(objects: ObjectReader, commit: Oid, paths: Iterable<string>): Promise<Map<string, FileEntry>> {
  const wanted = new Set(paths)
  const dirs = [...new Set([...wanted].map(parentOf))]
  const lists = await Promise.all(dirs.map((dir) => readTree(objects, dir === '' ? `${commit}^{tree}` : `${commit}:${dir}`)))
  const entries = dirs.flatMap((dir, index) =>
    (lists[index] ?? []).map(({ name, mode, oid, isTree }) => ({ path: dir === '' ? name : `${dir}/${name}`, mode, oid, isTree })),
  )
  return new Map(
    entries
      .filter(({ path, mode, isTree }) => wanted.has(path) && !isTree && mode !== submoduleMode)
      .map(({ path, mode, oid }) => [path, { mode, oid }]),
  )
}

/** Paths that are on disk as the entries say. */
export async function findUnchanged(repo: Repo, disk: Disk, entries: ReadonlyMap<string, FileEntry>): Promise<Set<string>> {
  const hasModes = await readsModes(repo)
  const alike = [...entries].filter(([path, { mode }]) => isAlike(disk.at(path), mode, hasModes))
  const same = new Set<string>()
  const converted: string[] = []
  for (const [path, { oid, mode }] of alike) {
    const content = disk.read(path)
    if (content !== undefined && blobOid(content, oid) === oid) same.add(path)
    // Git asks for one name a line.
    else if (content !== undefined && mode !== linkMode && !path.includes('\n')) converted.push(path)
  }
  const stored = await hashAsStored(repo, converted)
  for (const [index, path] of converted.entries()) if (stored[index] === entries.get(path)?.oid) same.add(path)
  return same
}

function isAlike(place: Place, mode: string, hasModes: boolean): boolean {
  if (mode === linkMode) return place.kind === 'link'
  return place.kind === 'file' && (!hasModes || ((place.mode & 0o100) !== 0) === (mode === '100755'))
}

// Line endings and other filters: what is on disk may be the same to git without being the same bytes. https://git-scm.com/docs/git-hash-object
async function hashAsStored(repo: Repo, paths: string[]): Promise<Oid[]> {
  if (paths.length === 0) return []
  const stdin = Buffer.concat(paths.flatMap((path) => [encodePath(path), Buffer.from('\n')]))
  const { stdout } = await git(repo, ['hash-object', '--stdin-paths'], { stdin, accept: [1, 128] })
  return stdout.toString('latin1').split('\n')
}

// Where files have no executable bit, git is told not to look at it.
async function readsModes(repo: Repo): Promise<boolean> {
  const { stdout } = await git(repo, ['config', '--get', '--type=bool', 'core.fileMode'], { accept: [1, 128] })
  return stdout.toString('latin1').trim() !== 'false'
}

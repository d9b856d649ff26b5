// Reads what differs between HEAD, index and work tree, and where HEAD is, with one `git status`.

import { join } from 'node:path'
import { decodePath, encodePath, nativePath } from '../std/encoding.ts'
import { exists } from '../std/file.ts'
import { git } from './exec.ts'
import type { Oid } from './oid.ts'
import type { Repo } from './repo.ts'

export interface Status {
  /** When git was asked, in milliseconds; files changed later may be missing. */
  at: number
  /** Undefined on an unborn branch. */
  head: Oid | undefined
  /** Undefined when HEAD is detached. */
  branch: string | undefined
  /** Tracked files on disk whose content, mode or presence in the index differs from HEAD. */
  modified: string[]
  deleted: string[]
  untracked: string[]
}

type Changes = Omit<Status, 'at'>

// --no-renames: a snapshot needs a rename as a deletion and an addition, which also costs nothing to find.
// --ignore-submodules=dirty: does not look into submodules. With `all`, a file that a submodule replaced would
// not be listed.
// --no-ahead-behind: counting commits to the upstream branch costs more than the rest.
// https://git-scm.com/docs/git-status
const command = [
  'status',
  '--porcelain=v2',
  '--branch',
  '--no-ahead-behind',
  '-z',
  '--untracked-files=all',
  '--no-renames',
  '--ignore-submodules=dirty',
]

// More paths would not fit on a command line; then a full status is as quick.
const maxArgumentLength = 64_000

/** The status of the whole work tree, or of the given files and directories only. */
export async function readStatus(repo: Repo, paths: string[] = []): Promise<Status> {
  // Arguments are text, so a name that is not UTF-8 cannot be passed.
  const fits =
    paths.join(' ').length < maxArgumentLength && paths.every((path) => typeof nativePath(path) === 'string')
  const at = Date.now()
  if (paths.length === 0 || !fits)
    return onlyBelow({ at, ...parseStatus((await git(repo, command)).stdout) }, paths)
  return { at, ...parseStatus((await git(repo, ['--literal-pathspecs', ...command, '--', ...paths])).stdout) }
}

function onlyBelow(status: Status, paths: string[]): Status {
  if (paths.length === 0) return status
  const wanted = new Set(paths)
  const isWanted = (path: string) => {
    for (let at = path.length; at !== -1; at = path.lastIndexOf('/', at - 1))
      if (wanted.has(path.slice(0, at))) return true
    return false
  }
  const [modified, deleted, untracked] = [status.modified, status.deleted, status.untracked].map((list) =>
    list.filter(isWanted),
  ) as [string[], string[], string[]]
  return { ...status, modified, deleted, untracked }
}

function parseStatus(output: Buffer): Changes {
  const status: Changes = { head: undefined, branch: undefined, modified: [], deleted: [], untracked: [] }
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(0, at)
    const record = output.subarray(at, end === -1 ? output.length : end)
    at += record.length + 1
    parseRecord(record, status)
  }
  // After `git rm --cached` a file is gone from the index but still on disk.
  const untracked = new Set(status.untracked)
  return { ...status, deleted: status.deleted.filter((path) => !untracked.has(path)) }
}

function parseRecord(record: Buffer, status: Changes): void {
  switch (String.fromCharCode(record[0] ?? 0)) {
    case '#': {
      const [, key, value] = record.toString('utf8').split(' ')
      if (key === 'branch.oid' && value !== '(initial)') status.head = value
      if (key === 'branch.head' && value !== '(detached)')
        status.branch = record.toString('utf8').slice('# branch.head '.length)
      break
    }
    case '?': {
      const path = decodePath(record.subarray(2))
      // A trailing slash marks a nested repository, whose files are not recorded.
      if (!path.endsWith('/')) status.untracked.push(path)
      break
    }
    case '1':
      parseChange(record, 8, status)
      break
    case 'u':
      parseChange(record, 10, status)
      break
  }
}

/** True when git tracks the file, so that others may have written it. */
export async function isTracked(repo: Repo, path: string): Promise<boolean> {
  return (await git(repo, ['ls-files', '-z', '--', path])).stdout.length > 0
}

function parseChange(record: Buffer, fieldsBeforePath: number, status: Changes): void {
  let start = 0
  for (let field = 0; field < fieldsBeforePath; field += 1) start = record.indexOf(0x20, start) + 1
  const head = record.subarray(0, start).toString('latin1')
  const path = decodePath(record.subarray(start))
  const [, , , ...modes] = head.split(' ')
  // The status letters do not tell: in a conflict a D says what the other side did.
  const onDisk = modes[fieldsBeforePath === 8 ? 2 : 3] ?? ''
  if (isFile(onDisk)) status.modified.push(path)
  else if (modes.slice(0, fieldsBeforePath === 8 ? 2 : 3).some(isFile)) status.deleted.push(path)
}

// Neither absent nor a submodule.
function isFile(mode: string): boolean {
  return mode !== '000000' && mode !== '160000'
}

/**
 * Of untracked files, those that git ignores. It stops at one that is behind a link or in another repository.
 * https://git-scm.com/docs/git-check-ignore
 */
export async function findIgnored(repo: Repo, paths: string[]): Promise<Set<string>> {
  if (paths.length === 0) return new Set()
  const stdin = Buffer.concat(paths.flatMap((path) => [encodePath(path), Buffer.from([0])]))
  const { stdout } = await git(repo, ['check-ignore', '-z', '--stdin'], { stdin, accept: [1, 128] })
  const ignored = new Set<string>()
  for (let at = 0; at < stdout.length; ) {
    const end = stdout.indexOf(0, at)
    ignored.add(decodePath(stdout.subarray(at, end)))
    at = end + 1
  }
  return ignored
}

/** What no status tells of, because git was told not to look. */
export interface Overlooked {
  /** Files marked assume-unchanged or skip-worktree that are on disk otherwise than in the index. */
  files: string[]
  /** Repositories inside of this one that are not its submodules. */
  repositories: string[]
}

// More are marked only in a sparse checkout, where the files are not on disk.
const mostOverlooked = 1_000

export async function readOverlooked(repo: Repo): Promise<Overlooked> {
  const [listed, untracked] = await Promise.all([
    // https://git-scm.com/docs/git-ls-files
    git(repo, ['ls-files', '-v', '--stage', '-z']),
    git(repo, ['ls-files', '--others', '--directory', '--exclude-standard', '-z']),
  ])
  return {
    files: await findChanged(repo, listed.stdout.toString('latin1').split('\0')),
    repositories: untracked.stdout
      .toString('utf8')
      .split('\0')
      .filter((path) => path.endsWith('/') && exists(join(repo.root, path, '.git'))),
  }
}

async function findChanged(repo: Repo, lines: string[]): Promise<string[]> {
  const marked = lines
    .map((line) => /^([a-z]|S) 100\d+ ([0-9a-f]+) 0\t(.*)$/s.exec(line))
    .flatMap((match) =>
      match === null ? [] : [{ oid: match[2], path: decodePath(Buffer.from(match[3] ?? '', 'latin1')) }],
    )
    .filter(({ path }) => !path.includes('\n') && exists(join(repo.root, path)))
    .slice(0, mostOverlooked)
  if (marked.length === 0) return []
  const stdin = Buffer.concat(marked.flatMap(({ path }) => [encodePath(path), Buffer.from('\n')]))
  const { stdout } = await git(repo, ['hash-object', '--stdin-paths'], { stdin, accept: [128] })
  const oids = stdout.toString('latin1').split('\n')
  return marked.filter(({ oid }, index) => oids[index] !== oid).map(({ path }) => path)
}

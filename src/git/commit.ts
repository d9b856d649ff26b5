// What a commit is and what it changed: one `git log` for a commit, one `git diff` for all that is staged.

import { join } from 'node:path'
import { decodePath } from '../std/encoding.ts'
import { exists } from '../std/file.ts'
import { readCurrentBranch } from './branches.ts'
import type { ObjectReader } from './cat-file.ts'
import { git } from './exec.ts'
import type { Oid } from './oid.ts'
import type { Repo } from './repo.ts'
import { parseTree, type TreeEntry } from './tree.ts'

export interface ChangedFile {
  path: string
  /** Undefined when the file was added. */
  before: Oid | undefined
  /** Undefined when the file was deleted. */
  after: Oid | undefined
}

export interface CommitInfo {
  oid: Oid
  parents: Oid[]
  /** Undefined when HEAD is detached or the commit is not at its tip. */
  branch: string | undefined
  committedAt: number
  message: string
  files: ChangedFile[]
}

const format = '%H%x00%P%x00%D%x00%ct%x00%B%x00'

/** The commit and what it changed against its first parent. */
export async function readCommit(repo: Repo, rev: string): Promise<CommitInfo | undefined> {
  return (await readCommits(repo, ['-1', rev]))[0]
}

/** Commits named by arguments of `git log`, newest first. */
export async function readCommits(repo: Repo, args: string[]): Promise<CommitInfo[]> {
  const result = await git(
    repo,
    [
      'log',
      `--format=${format}`,
      '--raw',
      '-z',
      '-r',
      '--root',
      '--diff-merges=first-parent',
      '--no-abbrev',
      '--no-renames',
      '--decorate=full',
      // Named, because the user may hide branches from decorations.
      '--decorate-refs=HEAD',
      '--decorate-refs=refs/heads/',
      '--no-show-signature',
      ...args,
      '--',
    ],
    { accept: [128] },
  )
  return result.code === 0 ? parseLog(result.stdout) : []
}

/** What is staged, as the commit under way sees it: `git commit <file>` and `-a` use an index of their own, named in the environment. */
export async function readStaged(repo: Repo): Promise<ChangedFile[]> {
  const index = repo.env.GIT_INDEX_FILE
  const result = await git(
    repo,
    ['diff', '--cached', '--raw', '-z', '--no-abbrev', '--no-renames', '--ignore-submodules=all'],
    {
      env: index === undefined ? {} : { GIT_INDEX_FILE: index },
    },
  )
  return parseRaw(result.stdout, 0).files
}

/**
 * Those of the paths whose staged content is not that of HEAD, read with the objects of an event: no process of its own. Modes are not
 * seen, nor is a file that is empty, which may only be announced (`git add -N`).
 */
export async function readStagedAmong(objects: ObjectReader, paths: string[]): Promise<ChangedFile[]> {
  const files = paths.map(async (path) => {
    const [before, after] = await Promise.all([objects.info(`HEAD:${path}`), objects.info(`:0:${path}`)])
    return { path, before: before?.oid, after: after?.oid, isEmpty: after?.size === 0 }
  })
  return (await Promise.all(files)).flatMap(({ isEmpty, ...file }) =>
    file.before === file.after || isEmpty ? [] : [file],
  )
}

// A record is its fields, one more NUL, and, when files changed, a newline and their lines. Read from start to end: no marker could be
// told from a message or a name that holds it.
function parseLog(output: Buffer): CommitInfo[] {
  const commits: CommitInfo[] = []
  for (let at = 0; at < output.length; ) {
    const field = () => {
      const end = output.indexOf(0, at)
      const text = output.toString('utf8', at, end === -1 ? output.length : end)
      at = end === -1 ? output.length : end + 1
      return text
    }
    const [oid, parents, decoration, time, message] = [field(), field(), field(), field(), field()]
    if (output[at] === 0) at += 1
    const { files, end } = parseRaw(output, output[at] === 0x0a ? at + 1 : at)
    at = end
    commits.push({
      oid,
      parents: parents === '' ? [] : parents.split(' '),
      branch: /HEAD -> refs\/heads\/(.+?)(?=, |$)/.exec(decoration)?.[1],
      committedAt: Number(time),
      message,
      files,
    })
  }
  return commits
}

// `:100644 100644 <before> <after> M NUL path NUL`, as often as there are changed files.
function parseRaw(output: Buffer, start: number): { files: ChangedFile[]; end: number } {
  const files: ChangedFile[] = []
  let at = start
  while (output[at] === 0x3a) {
    const headEnd = output.indexOf(0, at)
    const pathEnd = output.indexOf(0, headEnd + 1)
    const [, , before = '', after = ''] = output.toString('latin1', at, headEnd).split(' ')
    files.push({
      path: decodePath(output.subarray(headEnd + 1, pathEnd)),
      before: presentOid(before),
      after: presentOid(after),
    })
    at = pathEnd + 1
  }
  return { files, end: at }
}

function presentOid(oid: string): Oid | undefined {
  return /^0+$/.test(oid) ? undefined : oid
}

// The commit that was just made and what it changed, read with the objects of an event: no process of its own.

/** Undefined when there is no commit. */
export async function readHeadCommit(repo: Repo, objects: ObjectReader): Promise<CommitInfo | undefined> {
  const [head, files, still, branch] = await Promise.all([
    objects.contents('HEAD'),
    changedBy(objects, 'HEAD'),
    objects.info('HEAD'),
    readCurrentBranch(repo),
  ])
  if (head?.type !== 'commit') return undefined
  const text = head.content.toString('utf8')
  const end = text.indexOf('\n\n')
  const header = end === -1 ? text : text.slice(0, end)
  const values = (key: string) =>
    header.split('\n').flatMap((line) => (line.startsWith(`${key} `) ? line.slice(key.length + 1) : []))
  return {
    oid: head.oid,
    parents: values('parent'),
    branch,
    committedAt: Number(/ (\d+) [+-]\d+$/.exec(values('committer')[0] ?? '')?.[1] ?? 0),
    message: end === -1 ? '' : text.slice(end + 2),
    // Somebody may have moved HEAD between our questions.
    files: still?.oid === head.oid ? files : await changedBy(objects, head.oid),
  }
}

async function changedBy(objects: ObjectReader, commit: string): Promise<ChangedFile[]> {
  return await changedFiles(objects, `${commit}^1^{tree}`, `${commit}^{tree}`)
}

// In which files two trees differ, read with the objects of an event: no process of its own.

export type Skip = (path: string) => boolean

/** Trees by any name, or '' for none. Only subtrees that differ are read; `skip` leaves out a directory. */
export async function differingPaths(
  objects: ObjectReader,
  from: string,
  to: string,
  skip: Skip,
): Promise<string[]> {
  return (await changedFiles(objects, from, to, skip)).map(({ path }) => path)
}

export async function changedFiles(
  objects: ObjectReader,
  from: string,
  to: string,
  skip: Skip = () => false,
  below = '',
): Promise<ChangedFile[]> {
  if (from === to) return []
  const [ours, theirs] = await Promise.all(
    [from, to].map((name) => (name === '' ? undefined : objects.contents(name))),
  )
  const differing = differingEntries(ours, theirs)
  const found = [...differing].map(async ([name, [a, b]]) => {
    const path = `${below}${name}`
    if (skip(path)) return []
    const [before, after] = [fileOid(a), fileOid(b)]
    const files = before === undefined && after === undefined ? [] : [{ path, before, after }]
    const inside =
      a?.isTree || b?.isTree ? await changedFiles(objects, treeOid(a), treeOid(b), skip, `${path}/`) : []
    return [...files, ...inside]
  })
  return (await Promise.all(found)).flat()
}

type Pair = [TreeEntry | undefined, TreeEntry | undefined]
type StoredTree = Awaited<ReturnType<ObjectReader['contents']>>

function differingEntries(a: StoredTree, b: StoredTree): Map<string, Pair> {
  const oidBytes = (a ?? b)?.oid.length ?? 0
  const [ours, theirs] = [contentOf(a), contentOf(b)]
  const same = sameEntries(ours, theirs, oidBytes / 2)
  const pairs = new Map<string, Pair>()
  for (const entry of parseTree(ours.subarray(same), oidBytes / 2)) pairs.set(entry.name, [entry, undefined])
  for (const entry of parseTree(theirs.subarray(same), oidBytes / 2)) {
    const before = pairs.get(entry.name)?.[0]
    if (before?.oid === entry.oid && before.mode === entry.mode) pairs.delete(entry.name)
    else pairs.set(entry.name, [before, entry])
  }
  return pairs
}

function contentOf(tree: StoredTree): Buffer {
  return tree?.type === 'tree' ? tree.content : Buffer.alloc(0)
}

// Entries are sorted: those before the first change are the same bytes in both, and need not be understood.
function sameEntries(a: Buffer, b: Buffer, oidBytes: number): number {
  for (let at = 0; at < a.length; ) {
    const end = a.indexOf(0, at) + 1 + oidBytes
    if (end > b.length || a.compare(b, at, end, at, end) !== 0) return at
    at = end
  }
  return a.length
}

function fileOid(entry: TreeEntry | undefined): string | undefined {
  return entry?.isTree ? undefined : entry?.oid
}

function treeOid(entry: TreeEntry | undefined): string {
  return entry?.isTree ? entry.oid : ''
}

// What git is in the middle of.

/** A rebase, cherry-pick or revert makes commits that are not new work. */
export function isReplayingCommits(repo: Repo): boolean {
  return ['rebase-merge', 'rebase-apply', 'CHERRY_PICK_HEAD', 'REVERT_HEAD'].some((name) =>
    exists(join(repo.gitDir, name)),
  )
}

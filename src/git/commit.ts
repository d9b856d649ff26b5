// Reads commits with the files they changed, and what is staged for the next one.

import { join } from 'node:path'
import { decodePath } from '../std/encoding.ts'
import { exists } from '../std/file.ts'
import { given } from '../std/given.ts'
import { readCurrentBranch } from './branches.ts'
import type { ObjectReader } from './cat-file.ts'
import { git } from './exec.ts'
import type { Oid } from './oid.ts'
import type { Repo } from './repo.ts'
import { type ChangedFile, changedFiles } from './tree-diff.ts'

export interface CommitInfo {
  oid: Oid
  parents: Oid[]
  /** Undefined when HEAD is detached or the commit is not at the tip of the branch. */
  branch: string | undefined
  committedAt: number
  message: string
  files: ChangedFile[]
}

const format = '%H%x00%P%x00%D%x00%ct%x00%B%x00'

/** A commit and what it changed against its first parent. */
export async function readCommit(repo: Repo, rev: string): Promise<CommitInfo | undefined> {
  return (await readCommits(repo, ['-1', rev]))[0]
}

/** The commits named by arguments of `git log`, newest first: one process. */
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
      // Named explicitly, because the user may hide branches from decorations.
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

/** HEAD and what it changed, read without a process of its own; undefined when there is no commit. */
export async function readHeadCommit(repo: Repo, objects: ObjectReader): Promise<CommitInfo | undefined> {
  const [head, files, headAfterwards, branch] = await Promise.all([
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
    // HEAD may have moved between the questions.
    files: headAfterwards?.oid === head.oid ? files : await changedBy(objects, head.oid),
  }
}

async function changedBy(objects: ObjectReader, commit: string): Promise<ChangedFile[]> {
  return await changedFiles(objects, `${commit}^1^{tree}`, `${commit}^{tree}`)
}

/**
 * What is staged for the commit under way. `git commit <file>` and `-a` use an index of their own, named in
 * the environment.
 */
export async function readStaged(repo: Repo): Promise<ChangedFile[]> {
  const index = repo.env.GIT_INDEX_FILE
  const result = await git(
    repo,
    ['diff', '--cached', '--raw', '-z', '--no-abbrev', '--no-renames', '--ignore-submodules=all'],
    { env: given({ GIT_INDEX_FILE: index }) },
  )
  return parseRaw(result.stdout, 0).files
}

/**
 * The paths whose staged content differs from HEAD, read without a process of its own. Ignores modes, and
 * empty files, which may only be announced (`git add -N`).
 */
export async function readStagedAmong(objects: ObjectReader, paths: string[]): Promise<ChangedFile[]> {
  const files = paths.map(async (path) => {
    const [before, after] = await Promise.all([objects.info(`HEAD:${path}`), objects.info(`:0:${path}`)])
    // In HEAD the path may be a directory: then the file is new.
    const committed = before?.type === 'tree' ? undefined : before?.oid
    return { path, before: committed, after: after?.oid, isEmpty: after?.size === 0 }
  })
  return (await Promise.all(files)).flatMap(({ isEmpty, ...file }) =>
    file.before === file.after || isEmpty ? [] : [file],
  )
}

/** True during a rebase, cherry-pick or revert, whose commits are not new work. */
export function isReplayingCommits(repo: Repo): boolean {
  return ['rebase-merge', 'rebase-apply', 'CHERRY_PICK_HEAD', 'REVERT_HEAD'].some((name) =>
    exists(join(repo.gitDir, name)),
  )
}

// A record is its fields, one more NUL and, when files changed, a newline and their lines. Parsed from start
// to end, because any separator could also occur in a message or a name.
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

// `:100644 100644 <before> <after> M NUL path NUL` for each changed file.
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

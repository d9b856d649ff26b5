// Saves the user's index before a reset and restores it on undo: staged content may exist nowhere else.

import { closeSync, copyFileSync, openSync, readdirSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { readStaged } from '../git/commit.ts'
import { git } from '../git/exec.ts'
import type { Oid } from '../git/oid.ts'
import type { Repo } from '../git/repo.ts'
import { isErrno } from '../std/errors.ts'
import { exists, readBytes, removeFile } from '../std/file.ts'
import { given } from '../std/given.ts'
import { writePoint } from '../std/kill-point.ts'

export interface SavedIndex {
  /** The file, as git wrote it. */
  index?: Buffer
  /** Content that only the index holds. */
  staged: Oid[]
}

export async function readIndex(repo: Repo): Promise<SavedIndex> {
  const path = join(repo.gitDir, 'index')
  if (!exists(path)) return { staged: [] }
  const [changes, conflicts, content] = await Promise.all([
    readStaged(repo),
    readConflicts(repo),
    readWholeIndex(repo, path),
  ])
  const staged = [...changes.flatMap(({ after }) => after ?? []), ...conflicts]
  return { staged, ...given({ index: content }) }
}

async function readConflicts(repo: Repo): Promise<Oid[]> {
  const { stdout } = await git(repo, ['ls-files', '--unmerged', '-z'])
  return stdout
    .toString('latin1')
    .split('\0')
    .flatMap((line) => line.split(/[ \t]/)[1] ?? [])
}

// A split index has two files, and neither is complete alone.
// https://git-scm.com/docs/git-update-index#_split_index
async function readWholeIndex(repo: Repo, path: string): Promise<Buffer | undefined> {
  if (!readdirSync(repo.gitDir).some((name) => name.startsWith('sharedindex.'))) return readBytes(path)
  const copy = join(repo.gitDir, `entire-index.${process.pid}.tmp`)
  try {
    copyFileSync(path, copy)
    await git(repo, ['update-index', '--no-split-index'], { env: { GIT_INDEX_FILE: copy } })
    return readBytes(copy)
  } finally {
    removeFile(copy)
  }
}

/** False when another git process is changing the index. */
export function writeIndex(repo: Repo, content: Buffer): boolean {
  const lock = join(repo.gitDir, 'index.lock')
  let fd: number
  writePoint()
  try {
    // Git's own protocol: the process that creates this file may write. https://git-scm.com/docs/api-lockfile
    fd = openSync(lock, 'wx')
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return false
    throw error
  }
  try {
    for (let at = 0; at < content.length; ) at += writeSync(fd, content, at)
    renameSync(lock, join(repo.gitDir, 'index'))
  } catch (error) {
    removeFile(lock)
    throw error
  } finally {
    closeSync(fd)
  }
  writePoint()
  return true
}

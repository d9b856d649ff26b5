// What clean, reset and doctor take away is kept for a while: a commit for each act, on a ref of its own that
// is never pushed.

import { basename } from 'node:path'
import { moveRefs, type RefTip } from '../git/refs.ts'
import type { Repo } from '../git/repo.ts'
import { newKeptRef, trashPrefix } from '../sessions/kept-refs.ts'
import type { GitSession, Recorder } from '../sessions/work.ts'
import { readBytes, removeFile } from '../std/file.ts'

export interface TrashedFile {
  /** Where it was. */
  path: string
  /** Where the trash has it. */
  name: string
  content: Buffer
}

export interface TrashContent {
  branches: RefTip[]
  files: TrashedFile[]
}

export interface TrashRecord {
  /** The command that put it there. */
  by: string
  branches: RefTip[]
  files: { name: string; path: string }[]
}

/** Undefined when there is no such file. */
export function readForTrash(
  path: string,
  kind: 'sessions' | 'prompts' | 'tmp',
  name = basename(path),
): TrashedFile | undefined {
  const content = readBytes(path)
  return content && { path, name: `${kind}/${name}`, content }
}

/** Adds the commit that keeps it to the import under way. Nothing is removed yet. */
export async function addToTrash(
  { recorder, git }: { recorder: Recorder; git: GitSession },
  by: string,
  rubbish: TrashContent,
): Promise<string> {
  const { branches, files } = rubbish
  const record: TrashRecord = { by, branches, files: files.map(({ name, path }) => ({ name, path })) }
  const ref = newKeptRef(recorder, trashPrefix)
  git.writes().commit({
    ref,
    parent: undefined,
    // Without a parent to start from, the tree begins empty and the branches are kept reachable as they are.
    mergeParents: [...new Set(branches.map(({ oid }) => oid))],
    message: `Removed by entire ${by}\n\n${JSON.stringify(record)}\n`,
    author: (await git.config()).author,
    seconds: Math.floor(recorder.clock().getTime() / 1000),
    changes: files.map(({ name, content }) => ({ path: name, mode: '100644', content })),
  })
  return ref
}

/**
 * After the import: files first, because a branch without a session is found again, a session without its
 * branch is not.
 */
export async function removeTrashed(repo: Repo, { branches, files }: TrashContent): Promise<void> {
  for (const { path, content } of files) if (readBytes(path)?.equals(content)) removeFile(path)
  await moveRefs(
    repo,
    branches.map(({ ref, oid }) => ({ ref, to: undefined, from: oid })),
  )
}

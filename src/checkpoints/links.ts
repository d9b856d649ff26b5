// Finds the checkpoints that commits are linked to: by their trailers, or by notes for commits made without
// the commit hook.

import type { ObjectReader } from '../git/cat-file.ts'
import type { LogEntry } from '../git/log.ts'
import { isOid } from '../git/oid.ts'
import { readCheckpointIds } from '../git/trailers.ts'
import { readTree } from '../git/tree.ts'
import { isCheckpointId } from '../model/checkpoint.ts'
import { notesRef } from './layout.ts'

export interface LinkedCommit {
  commit: LogEntry
  /** Ids from trailers and notes, in that order. */
  checkpoints: string[]
}

/** The commits that are linked to checkpoints, by trailer or by note. */
export async function linkCheckpoints(objects: ObjectReader, history: LogEntry[]): Promise<LinkedCommit[]> {
  const notes = await readNotesOf(
    objects,
    history.map(({ oid }) => oid),
  )
  return history
    .map((commit) => ({
      commit,
      checkpoints: [...new Set([...readCheckpointIds(commit.message), ...(notes.get(commit.oid) ?? [])])],
    }))
    .filter(({ checkpoints }) => checkpoints.length > 0)
}

/** The checkpoint ids in all notes, by commit. */
export async function readNotes(objects: ObjectReader): Promise<Map<string, string[]>> {
  const blobs = await listNotes(objects, `${notesRef}^{tree}`, '')
  const contents = await Promise.all(blobs.map((note) => objects.contents(note.oid)))
  const links = blobs.map((note, index): [string, string[]] => [
    note.commit,
    parseNote(contents[index]?.content.toString('utf8') ?? ''),
  ])
  return new Map(links.filter(([, ids]) => ids.length > 0))
}

/** The same for the given commits only, at a cost that does not grow with the number of notes. */
export async function readNotesOf(objects: ObjectReader, commits: string[]): Promise<Map<string, string[]>> {
  if ((await objects.info(notesRef)) === undefined) return new Map()
  const read = commits.map(async (commit): Promise<[string, string[]]> => {
    const found = await Promise.all(notePaths(commit).map((path) => objects.contents(`${notesRef}:${path}`)))
    return [commit, parseNote(found.find((note) => note?.type === 'blob')?.content.toString('utf8') ?? '')]
  })
  return new Map((await Promise.all(read)).filter(([, ids]) => ids.length > 0))
}

// As deep as git fans out the tree for sixteen million notes.
function notePaths(commit: string): string[] {
  const pairs = [commit.slice(0, 2), commit.slice(2, 4), commit.slice(4, 6)]
  return [0, 1, 2, 3].map((depth) => [...pairs.slice(0, depth), commit.slice(depth * 2)].join('/'))
}

/** A note that was appended to contains several links, each in a paragraph of its own. */
function parseNote(text: string): string[] {
  const ids = [...text.matchAll(/^Entire-Checkpoint:[ \t]*(\S+)[ \t]*$/gm)].map((match) => match[1] as string)
  return [...new Set(ids)].filter(isCheckpointId)
}

// Git fans out the tree when there are many notes: ab/cd/ef… is the note of commit abcdef….
async function listNotes(
  objects: ObjectReader,
  tree: string,
  prefix: string,
): Promise<{ commit: string; oid: string }[]> {
  const entries = await readTree(objects, tree)
  const lists = await Promise.all(
    entries.map(async (entry) => {
      const commit = prefix + entry.name
      if (entry.isTree) return /^[0-9a-f]{2}$/.test(entry.name) ? listNotes(objects, entry.oid, commit) : []
      return isOid(commit) ? [{ commit, oid: entry.oid }] : []
    }),
  )
  return lists.flat()
}

// Reads the sessions of a stored checkpoint as a writer needs them: with their numbers, and with the moves
// that bring a checkpoint of an earlier version to the current layout.

import type { ObjectReader } from '../git/cat-file.ts'
import type { TreeChange } from '../git/fast-import.ts'
import { readTree, type TreeEntry } from '../git/tree.ts'
import type { SessionRecord } from '../model/checkpoint.ts'
import { asObject, type JsonObject, parseJson } from '../std/json.ts'
import { type CheckpointCopy, findCopies } from './copies.ts'
import { checkpointDir, checkpointRef, chunkName, hashName, inDir, sessionPaths } from './layout.ts'
import { splitPrompts } from './prompt-files.ts'
import { findTranscriptChunks, isTranscriptChunk } from './read.ts'
import { listSlots, parseSessionRecord } from './record.ts'

/** A session of a stored checkpoint, in its numbered directory. */
export interface Slot {
  number: number
  record: SessionRecord
  /** Its metadata as stored, with the fields of other writers. */
  stored: JsonObject
  files: TreeEntry[]
}

export interface Slots {
  /** Sorted by number, without sessions whose metadata is missing. */
  sessions: Slot[]
  /** The numbers that the head names, including those of missing sessions. */
  numbers: number[]
  /** The first unused number. */
  next: number
  /** The head as stored. If it was a session's own record: the fields that other sessions lack. */
  head: JsonObject
  /** Moves a checkpoint of an earlier version to the current layout and place. */
  moves: TreeChange[]
}

/** The sessions of the copy that readers would take; the caller may add to them. */
export async function readSlots(objects: ObjectReader, id: string): Promise<Slots> {
  let first: Slots | undefined
  for await (const copy of findCopies(objects, id)) {
    const found = await readCopySlots(objects, id, copy)
    if (found.sessions.length > 0) return found
    first ??= found
  }
  return first ?? { sessions: [], numbers: [], next: 0, head: {}, moves: [] }
}

export function addSlot(slots: Slots, record: SessionRecord): Slot {
  const slot: Slot = { number: slots.next, record, stored: {}, files: [] }
  slots.sessions.push(slot)
  slots.numbers.push(slot.number)
  slots.next += 1
  return slot
}

/** The prompts that the session's part of the checkpoint has. */
export async function readPrompts(objects: ObjectReader, { files }: Slot): Promise<string[]> {
  const entry = files.find(({ name }) => name === 'prompt.txt')
  const file = entry && (await objects.contents(entry.oid))
  return splitPrompts(file?.content.toString('utf8') ?? '')
}

/** True for the files of a session's part. Other files beside them belong to other programs. */
export function isPartFile(name: string): boolean {
  return isTranscriptChunk(name) || [hashName, 'prompt.txt', 'context.md', 'metadata.json'].includes(name)
}

async function readCopySlots(objects: ObjectReader, id: string, copy: CheckpointCopy): Promise<Slots> {
  const dirs = copy.entries.filter((entry) => entry.isTree && /^\d{1,9}$/.test(entry.name))
  const [head, here, ...inside] = await Promise.all([
    readJson(objects, copy.entries),
    objects.info(`${checkpointRef(id)}:${checkpointDir(id)}`),
    ...dirs.map(async (dir) => {
      const files = await readTree(objects, dir.oid)
      return { number: Number(dir.name), files, stored: await readJson(objects, files) }
    }),
  ])
  const top = parseSessionRecord(head)
  const sessions = inside.flatMap(({ stored, ...slot }): Slot[] => {
    const record = parseSessionRecord(stored, head)
    return record === undefined
      ? []
      : [{ ...slot, record: { ...record, checkpoint: id }, stored: stored as JsonObject }]
  })
  const listed = top === undefined ? listSlots(head?.sessions) : []
  const numbers = [...new Set([...sessions.map(({ number }) => number), ...listed])]
  let next = Math.max(-1, ...numbers, ...inside.map(({ number }) => number)) + 1
  const moves: TreeChange[] = []
  if (here?.oid !== copy.tree) moves.push({ path: checkpointDir(id), mode: '040000', oid: copy.tree })
  if (copy.splitPath !== undefined) moves.push(...(await joinSplit(objects, id, copy, dirs)))
  if (top !== undefined && head !== undefined) {
    // The session at the top was the newest one, so it comes last.
    const number = next
    const files = copy.entries.filter(({ name, isTree }) => !isTree && isPartFile(name))
    moves.push(...moveDown(id, number, files))
    sessions.push({ number, record: { ...top, checkpoint: id }, stored: head, files })
    numbers.push(number)
    next += 1
  }
  const byNumber = (a: number, b: number) => a - b
  return {
    sessions: sessions.sort((a, b) => byNumber(a.number, b.number)),
    numbers: numbers.sort(byNumber),
    next,
    head: top === undefined ? (head ?? {}) : sharedFields(head),
    moves,
  }
}

function sharedFields(head: JsonObject = {}): JsonObject {
  return Object.fromEntries(
    Object.entries(head).filter(([key]) => ['agent', 'agents', 'created_at'].includes(key)),
  )
}

function moveDown(id: string, number: number, files: TreeEntry[]): TreeChange[] {
  const { dir } = sessionPaths(checkpointDir(id), number)
  return files.flatMap(({ name, oid }): TreeChange[] => [
    { path: inDir(checkpointDir(id), name), deleted: true },
    { path: inDir(dir, name.replace(/^full\.log/, 'full.jsonl')), mode: '100644', oid },
  ])
}

// Transcripts in separate trees are found only from where their metadata is, so they move along with it.
async function joinSplit(
  objects: ObjectReader,
  id: string,
  { splitPath }: CheckpointCopy,
  dirs: TreeEntry[],
): Promise<TreeChange[]> {
  const changes = dirs.map(async ({ name, oid }): Promise<TreeChange[]> => {
    const { transcript } = sessionPaths(checkpointDir(id), Number(name))
    const chunks = await findTranscriptChunks(objects, { dir: oid, splitPath: `${splitPath}/${name}` })
    return chunks.map((chunk, index) => ({ path: chunkName(index, transcript), mode: '100644', oid: chunk }))
  })
  return (await Promise.all(changes)).flat()
}

async function readJson(objects: ObjectReader, dir: TreeEntry[]): Promise<JsonObject | undefined> {
  const file = dir.find(({ name, isTree }) => name === 'metadata.json' && !isTree)
  const object = file && (await objects.contents(file.oid))
  return object && asObject(parseJson(object.content.toString('utf8')))
}

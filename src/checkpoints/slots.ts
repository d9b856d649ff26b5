// The sessions of a stored checkpoint as a writer needs them: each with its number, and what must move first when an earlier version left
// the checkpoint in another form or in another place.
import type { ObjectReader } from '../git/cat-file.ts'
import type { TreeChange } from '../git/fast-import.ts'
import { readTree, type TreeEntry } from '../git/tree.ts'
import type { SessionRecord } from '../model/checkpoint.ts'
import { asObject, type JsonObject, parseJson } from '../std/json.ts'
import { checkpointDir, checkpointRef, chunkName, hashName, inDir, sessionPaths } from './layout.ts'
import { findPlaces, type Place } from './places.ts'
import { findTranscriptPieces, isTranscriptPiece } from './read.ts'
import { listSlots, parseSession } from './record.ts'

export interface Slot {
  number: number
  record: SessionRecord
  /** Its metadata as they are stored, fields of other writers included. */
  stored: JsonObject
  files: TreeEntry[]
}

export interface Slots {
  /** By number; a session whose metadata is lost is not among them. */
  sessions: Slot[]
  /** Numbers that the head names, those of lost sessions included. */
  numbers: number[]
  /** The first number that nothing is stored under. */
  next: number
  /** The head as it is stored; of one that was a session's, what the other sessions do not say themselves. */
  head: JsonObject
  /** Brings everything to where `sessions` say it is. */
  moves: TreeChange[]
}

const nothingStored: Slots = { sessions: [], numbers: [], next: 0, head: {}, moves: [] }

/** Of several copies the one that readers would take. */
export async function readSlots(objects: ObjectReader, id: string): Promise<Slots> {
  let best = nothingStored
  for await (const place of findPlaces(objects, id)) {
    const found = await readPlace(objects, id, place)
    if (found.sessions.length > 0) return found
    if (best === nothingStored) best = found
  }
  return best
}

/** The files that a session's part is written to. Whatever else lies beside them belongs to somebody else. */
export function isPartFile(name: string): boolean {
  return isTranscriptPiece(name) || [hashName, 'prompt.txt', 'context.md', 'metadata.json'].includes(name)
}

async function readPlace(objects: ObjectReader, id: string, place: Place): Promise<Slots> {
  const dirs = place.entries.filter((entry) => entry.isTree && /^\d{1,9}$/.test(entry.name))
  const [head, here, ...inside] = await Promise.all([
    readJson(objects, place.entries),
    objects.info(`${checkpointRef(id)}:${checkpointDir(id)}`),
    ...dirs.map(async (dir) => {
      const files = await readTree(objects, dir.oid)
      return { number: Number(dir.name), files, stored: await readJson(objects, files) }
    }),
  ])
  const top = parseSession(head)
  const sessions = inside.flatMap(({ stored, ...slot }): Slot[] => {
    const record = parseSession(stored, head)
    return record === undefined ? [] : [{ ...slot, record: { ...record, checkpoint: id }, stored: stored as JsonObject }]
  })
  const listed = top === undefined ? listSlots(head?.sessions) : []
  const numbers = [...new Set([...sessions.map(({ number }) => number), ...listed])]
  let next = Math.max(-1, ...numbers, ...inside.map(({ number }) => number)) + 1
  const moves: TreeChange[] = []
  if (here?.oid !== place.tree) moves.push({ path: checkpointDir(id), mode: '040000', oid: place.tree })
  if (place.splitPath !== undefined) moves.push(...(await joinSplit(objects, id, place, dirs)))
  if (top !== undefined && head !== undefined) {
    // It was the newest one, so it comes after those that were put aside.
    const number = next
    const files = place.entries.filter(({ name, isTree }) => !isTree && isPartFile(name))
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
    head: top === undefined ? (head ?? {}) : whatOthersLack(head),
    moves,
  }
}

function whatOthersLack(head: JsonObject = {}): JsonObject {
  return Object.fromEntries(Object.entries(head).filter(([key]) => ['agent', 'agents', 'created_at'].includes(key)))
}

function moveDown(id: string, number: number, files: TreeEntry[]): TreeChange[] {
  const { dir } = sessionPaths(checkpointDir(id), number)
  return files.flatMap(({ name, oid }): TreeChange[] => [
    { path: inDir(checkpointDir(id), name), deleted: true },
    { path: inDir(dir, name.replace(/^full\.log/, 'full.jsonl')), mode: '100644', oid },
  ])
}

// Transcripts in trees of their own are found only by the place their metadata are in.
async function joinSplit(objects: ObjectReader, id: string, { splitPath }: Place, dirs: TreeEntry[]): Promise<TreeChange[]> {
  const changes = dirs.map(async ({ name, oid }): Promise<TreeChange[]> => {
    const { transcript } = sessionPaths(checkpointDir(id), Number(name))
    const pieces = await findTranscriptPieces(objects, { dir: oid, splitPath: `${splitPath}/${name}` })
    return pieces.map((piece, index) => ({ path: chunkName(index, transcript), mode: '100644', oid: piece }))
  })
  return (await Promise.all(changes)).flat()
}

async function readJson(objects: ObjectReader, dir: TreeEntry[]): Promise<JsonObject | undefined> {
  const file = dir.find(({ name, isTree }) => name === 'metadata.json' && !isTree)
  const object = file && (await objects.contents(file.oid))
  return object && asObject(parseJson(object.content.toString('utf8')))
}

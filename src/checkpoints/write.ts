// Checkpoints: the permanent record of a commit, with all sessions that have a part in it.

import type { ObjectReader } from '../git/cat-file.ts'
import type { Identity } from '../git/config.ts'
import type { FastImport, TreeChange } from '../git/fast-import.ts'
import type { Oid } from '../git/oid.ts'
import { readTree, type TreeEntry } from '../git/tree.ts'
import type { SessionRecord } from '../model/checkpoint.ts'
import { given } from '../std/given.ts'
import { asObject, formatJson, type JsonObject, parseJson } from '../std/json.ts'
import { type CheckpointCopy, findCopies } from './copies.ts'
import {
  branchName,
  checkpointDir,
  checkpointRef,
  chunkName,
  formatHash,
  hashName,
  inDir,
  metadataRef,
  sessionPaths,
} from './layout.ts'
import { findTranscriptPieces, isTranscriptPiece } from './read.ts'
import { formatCheckpointRecord, formatSessionRecord, listSlots, parseSessionRecord } from './record.ts'
import { sumTokens } from './token-record.ts'

/** What a session brings to a checkpoint, redacted. */
export interface SessionPart {
  record: SessionRecord
  chunks: { oid: Oid }[]
  /** Hex sha256 over the redacted transcript. */
  contentHash: string
  prompts: string
  context: string
  /** Shadow branch the session was on. */
  shadow?: string
  /** Further files below the checkpoint's directory, by relative path. */
  files?: { path: string; content: Buffer }[]
}

export interface WriteContext {
  objects: ObjectReader
  writes: FastImport
  author: Identity
  seconds: number
  cliVersion: string
}

/** Adds the sessions to the checkpoint, each in the slot it had before or in a new one: one commit, however many they are. */
export async function writeCheckpoint(
  writing: WriteContext,
  id: string,
  parts: SessionPart[],
): Promise<void> {
  const [slots, parent] = await Promise.all([readSlots(writing.objects, id), findParent(writing.objects, id)])
  const changes = parts.flatMap((part) => {
    const before = slots.sessions.find(({ record }) => record.session === part.record.session)
    const slot = before ?? addSlot(slots, part.record)
    slot.record = part.record
    const metadata = { content: Buffer.from(formatJson(formatSessionRecord(part.record, slot.stored))) }
    return partChanges(id, slot, part, metadata)
  })
  writing.writes.commit({
    ref: checkpointRef(id),
    parent,
    message: checkpointMessage(id, parts),
    author: writing.author,
    seconds: writing.seconds,
    changes: [...slots.moves, ...changes, rootChange(id, slots, writing.cliVersion)],
  })
}

/** Has git look up what the checkpoint is going to be built on. */
export async function prefetchCheckpointParent(
  objects: ObjectReader,
  writes: FastImport,
  id: string,
): Promise<void> {
  const parent = await findParent(objects, id)
  if (parent !== undefined) writes.prefetchCommit(parent)
}

/** Replaces what was provisional in a checkpoint written in the middle of a turn. Returns false when there is no such checkpoint. */
export async function finaliseCheckpoint(
  writing: WriteContext,
  id: string,
  part: Omit<SessionPart, 'record'> & { session: string },
): Promise<boolean> {
  const slots = await readSlots(writing.objects, id)
  const slot = slots.sessions.find(({ record }) => record.session === part.session) ?? slots.sessions.at(-1)
  if (slot === undefined) return false
  const metadata = slot.files.find(({ name }) => name === 'metadata.json')
  writing.writes.commit({
    ref: checkpointRef(id),
    parent: await findParent(writing.objects, id),
    message: `Finalize transcript for Checkpoint: ${id}\n`,
    author: writing.author,
    seconds: writing.seconds,
    changes: [
      ...slots.moves,
      // The metadata file stays as it is, fields of other versions included.
      ...partChanges(id, slot, part, metadata === undefined ? undefined : { oid: metadata.oid }),
      ...(slots.moves.length === 0 ? [] : [rootChange(id, slots, writing.cliVersion)]),
    ],
  })
  return true
}

function addSlot(slots: Slots, record: SessionRecord): Slot {
  const slot: Slot = { number: slots.next, record, stored: {}, files: [] }
  slots.sessions.push(slot)
  slots.numbers.push(slot.number)
  slots.next += 1
  return slot
}

// A clone has the branch only as a remote-tracking one until the first checkpoint is written.
async function findParent(objects: ObjectReader, id: string): Promise<Oid | undefined> {
  const ref = checkpointRef(id)
  const local = await objects.info(ref)
  if (local !== undefined || ref !== metadataRef) return local?.oid
  return (await objects.info(`refs/remotes/origin/${branchName(ref)}`))?.oid
}

function partChanges(
  id: string,
  slot: Slot,
  part: Omit<SessionPart, 'record'>,
  metadata: { oid: Oid } | { content: Buffer } | undefined,
): TreeChange[] {
  const paths = sessionPaths(checkpointDir(id), slot.number)
  const old = slot.files.filter(({ name }) => isPartFile(name))
  const text = (path: string, content: string): TreeChange[] =>
    content === '' ? [] : [{ path, mode: '100644', content: Buffer.from(content) }]
  return [
    ...old.map(({ name }) => ({ path: inDir(paths.dir, name), deleted: true as const })),
    ...part.chunks.map(({ oid }, index) => ({
      path: chunkName(index, paths.transcript),
      mode: '100644' as const,
      oid,
    })),
    ...(part.chunks.length === 0 ? [] : text(paths.contentHash, formatHash(part.contentHash))),
    ...text(paths.prompt, part.prompts),
    ...text(paths.context, part.context),
    ...(metadata === undefined ? [] : [{ path: paths.metadata, mode: '100644' as const, ...metadata }]),
    ...(part.files ?? []).map(({ path, content }) => ({
      path: inDir(checkpointDir(id), path),
      mode: '100644' as const,
      content,
    })),
  ]
}

function rootChange(id: string, { sessions, numbers, head }: Slots, cliVersion: string): TreeChange {
  const records = sessions.map(({ record }) => record)
  const newest = records.at(-1) as SessionRecord
  const tokens = sumTokens(records.map((record) => record.tokens))
  const record = {
    cliVersion,
    checkpoint: id,
    strategy: newest.strategy,
    ...given({ branch: newest.branch }),
    steps: records.reduce((sum, { steps }) => sum + steps, 0),
    files: [...new Set(records.flatMap(({ files }) => files))].sort(),
    ...given({ tokens }),
  }
  const content = Buffer.from(formatJson(formatCheckpointRecord(record, numbers, head)))
  return { path: inDir(checkpointDir(id), 'metadata.json'), mode: '100644', content }
}

function checkpointMessage(id: string, parts: SessionPart[]): string {
  const lines = parts.flatMap(({ record, shadow }) => [
    `Entire-Session: ${record.session}`,
    `Entire-Strategy: ${record.strategy}`,
    ...(record.agent === undefined ? [] : [`Entire-Agent: ${record.agent}`]),
    ...(shadow === undefined ? [] : [`Ephemeral-branch: ${shadow}`]),
    ...(record.isTask
      ? [`Entire-Metadata-Task: ${inDir(checkpointDir(id), `tasks/${record.toolUse}`)}`]
      : []),
  ])
  // Sessions of one commit share most of it; each line says something once.
  return `Checkpoint: ${id}\n\n${[...new Set(lines)].join('\n')}\n`
}

// The sessions of a stored checkpoint as a writer needs them: each with its number, and what must move first when an earlier version left
// the checkpoint in another form or in another place.

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
  for await (const place of findCopies(objects, id)) {
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

async function readPlace(objects: ObjectReader, id: string, place: CheckpointCopy): Promise<Slots> {
  const dirs = place.entries.filter((entry) => entry.isTree && /^\d{1,9}$/.test(entry.name))
  const [head, here, ...inside] = await Promise.all([
    readJson(objects, place.entries),
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

// Transcripts in trees of their own are found only by the place their metadata are in.
async function joinSplit(
  objects: ObjectReader,
  id: string,
  { splitPath }: CheckpointCopy,
  dirs: TreeEntry[],
): Promise<TreeChange[]> {
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

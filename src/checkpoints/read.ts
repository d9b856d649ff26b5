// Reads stored checkpoints of any age, from any of their copies. Independent questions go to git at the same
// time.

import type { ObjectReader } from '../git/cat-file.ts'
import type { Oid } from '../git/oid.ts'
import type { Repo } from '../git/repo.ts'
import { readTree, type TreeEntry } from '../git/tree.ts'
import type { TranscriptCutter } from '../model/agent.ts'
import type { CheckpointRecord, SessionRecord } from '../model/checkpoint.ts'
import { addTokens, type TokenUsage } from '../model/tokens.ts'
import { EntireError } from '../std/errors.ts'
import { given } from '../std/given.ts'
import { asObject, type JsonObject, parseJson } from '../std/json.ts'
import { type CheckpointCopy, findCopies, listCopies, openCopy } from './copies.ts'
import { hashName, parseHash } from './layout.ts'
import { parsePrompts } from './prompt-files.ts'
import { listSlots, parseCheckpointRecord, parseSessionRecord } from './record.ts'
import { joinStored } from './transcript-chunks.ts'

interface SessionLocation {
  /** Object name of the session's directory. */
  dir: Oid
  /** Path of its transcript's directory, where transcripts are in separate trees. */
  splitPath?: string
}

export interface StoredSession extends SessionRecord, SessionLocation {
  /** Its record as stored, with the fields of other writers, and without those they left out. */
  stored?: JsonObject
}

export interface StoredCheckpoint extends CheckpointRecord {
  /** In the order they were added; the last one represents the checkpoint. */
  sessions: StoredSession[]
  /** The number of further sessions whose records are missing or unreadable. */
  lostSessions: number
}

/** The checkpoint, or undefined when it is not stored here. An unreadable copy gives way to the next one. */
export async function readCheckpoint(
  objects: ObjectReader,
  id: string,
): Promise<StoredCheckpoint | undefined> {
  for await (const copy of findCopies(objects, id)) {
    const checkpoint = await readCopy(objects, id, copy)
    if (checkpoint !== undefined) return checkpoint
  }
  return undefined
}

/** All checkpoints, newest first. The local copy takes precedence. */
export async function listCheckpoints(repo: Repo, objects: ObjectReader): Promise<StoredCheckpoint[]> {
  const read = [...(await listCopies(repo, objects))].map(async ([id, name]) => {
    const copy = await openCopy(objects, name)
    return (copy && (await readCopy(objects, id, copy))) ?? (await readCheckpoint(objects, id))
  })
  const checkpoints = (await Promise.all(read)).filter((checkpoint) => checkpoint !== undefined)
  return checkpoints.sort((a, b) => createdAt(b) - createdAt(a))
}

/** The ids of all checkpoints that start with a prefix, in upper or lower case. */
export async function findCheckpointIds(
  repo: Repo,
  objects: ObjectReader,
  prefix: string,
): Promise<string[]> {
  return [...(await listCopies(repo, objects, prefix.toLowerCase())).keys()].sort()
}

/** Joins chunks that an agent has cut in its own way. */
export type TranscriptJoiner = Pick<TranscriptCutter, 'join'>

/**
 * The stored transcript, or the shortened one that an abandoned layout kept; undefined when the session has
 * neither.
 */
export async function readTranscript(
  objects: ObjectReader,
  session: StoredSession,
  joiner?: TranscriptJoiner,
): Promise<Buffer | undefined> {
  const full = await findTranscriptChunks(objects, session)
  const chunks = full.length > 0 ? full : await findChunksIn(objects, session.dir, ['transcript.jsonl'])
  const contents = await Promise.all(chunks.map((oid) => objects.contents(oid)))
  const found = contents.filter((object) => object !== undefined).map((object) => object.content)
  if (found.length < chunks.length)
    throw new EntireError(
      'transcript-missing',
      `A chunk of the transcript of session ${session.session} is missing in this repository.`,
      { hint: '`git fsck` shows what else is missing; a clone of the remote may still have it.' },
    )
  if (found.length === 0) return undefined
  return await joinStored(found, joiner && (await readHash(objects, session)), joiner)
}

/** Hex sha256 of the whole transcript. Steps have one only when the agent has cut the transcript. */
export async function readHash(objects: ObjectReader, { dir }: SessionLocation): Promise<string | undefined> {
  const file = await objects.contents(`${dir}:${hashName}`)
  return parseHash(file?.content.toString('utf8') ?? '')
}

const transcriptNames = ['full.jsonl', 'full.log', 'raw_transcript']

export function isTranscriptChunk(name: string): boolean {
  return transcriptNames.some(
    (base) => name === base || (name.startsWith(`${base}.`) && /^\d+$/.test(name.slice(base.length + 1))),
  )
}

/** Object names of the chunks of a full transcript, in order; empty when the session has none. */
export async function findTranscriptChunks(objects: ObjectReader, session: SessionLocation): Promise<Oid[]> {
  for (const dir of [...(await findSplitDirs(objects, session)), session.dir]) {
    const chunks = await findChunksIn(objects, dir, transcriptNames)
    if (chunks.length > 0) return chunks
  }
  return []
}

async function findChunksIn(objects: ObjectReader, dir: Oid, names: string[]): Promise<Oid[]> {
  const entries = await readTree(objects, dir)
  const chunks = names.map((name) => chunksOf(entries, name)).find((found) => found.length > 0) ?? []
  await objects.prefetchBlobs(dir, chunks)
  return chunks
}

export async function readStoredPrompts(objects: ObjectReader, session: StoredSession): Promise<string[]> {
  const entry = (await readTree(objects, session.dir)).find(({ name }) => name === 'prompt.txt')
  const file = entry && (await unlessUnfetched(objects.contents(entry.oid)))
  return parsePrompts(file?.content.toString('utf8') ?? '')
}

/** Undefined when a partial clone cannot get it; the reasons are collected. */
async function unlessUnfetched<T>(reading: Promise<T>, reasons: EntireError[] = []): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (!isUnfetched(error)) throw error
    reasons.push(error)
    return undefined
  }
}

export function isUnfetched(error: unknown): error is EntireError {
  return error instanceof EntireError && error.code === 'not-fetched'
}

async function readCopy(
  objects: ObjectReader,
  id: string,
  { tree, entries, splitPath }: CheckpointCopy,
): Promise<StoredCheckpoint | undefined> {
  const slots = entries
    .filter((entry) => entry.isTree && /^\d{1,9}$/.test(entry.name))
    .sort((a, b) => Number(a.name) - Number(b.name))
  const inside = await Promise.all(slots.map((slot) => readTree(objects, slot.oid)))
  const files = [...entries, ...inside.flat()].filter(
    ({ name }) => name === 'metadata.json' || name === 'prompt.txt',
  )
  const reasons: EntireError[] = []
  const oids = files.map((file) => file.oid)
  await unlessUnfetched(objects.prefetchBlobs(tree, oids), reasons)
  const [head, ...records] = await Promise.all(
    [entries, ...inside].map((dir) => unlessUnfetched(readRecord(objects, dir))),
  )
  const sessions = slots.flatMap(({ name, oid }, index): StoredSession[] => {
    const record = parseSessionRecord(records[index], head)
    if (record === undefined) return []
    return [
      {
        ...record,
        checkpoint: id,
        dir: oid,
        ...given({ stored: records[index] }),
        ...given({ splitPath: splitPath === undefined ? undefined : `${splitPath}/${name}` }),
      },
    ]
  })
  const numbers = new Set([...slots.map(({ name }) => Number(name)), ...listSlots(head?.sessions)])
  const lostSessions = numbers.size - sessions.length
  // Earlier versions kept the newest session at the top instead of in a directory.
  const top = parseSessionRecord(head)
  if (top !== undefined) sessions.push({ ...top, checkpoint: id, dir: tree, ...given({ stored: head }) })
  if (sessions.length === 0 && reasons[0] !== undefined) throw reasons[0]
  if (head === undefined && sessions.length === 0) return undefined
  const isHead = head !== undefined && top === undefined
  const joined = combineSessions(
    sessions,
    isHead ? parseCheckpointRecord({ ...head, checkpoint_id: id }) : undefined,
  )
  return { ...joined, checkpoint: id, sessions, lostSessions }
}

async function readRecord(objects: ObjectReader, dir: TreeEntry[]): Promise<JsonObject | undefined> {
  const file = dir.find((entry) => entry.name === 'metadata.json')
  const object = file && (await objects.contents(file.oid))
  return object && asObject(parseJson(object.content.toString('utf8')))
}

function chunksOf(entries: TreeEntry[], name: string): Oid[] {
  const indexOf = (entry: TreeEntry) => {
    if (entry.name === name) return 0
    return entry.name.startsWith(`${name}.`)
      ? Number(/^\d+$/.exec(entry.name.slice(name.length + 1))?.[0] ?? Number.NaN)
      : Number.NaN
  }
  const chunks = entries
    .map((entry) => ({ oid: entry.oid, index: indexOf(entry) }))
    .filter(({ index }) => !Number.isNaN(index))
  return chunks.sort((a, b) => a.index - b.index).map(({ oid }) => oid)
}

// The abandoned layout moved its transcripts, a hundred checkpoints at a time, to numbered refs.
const splitRefs = [
  'current',
  ...Array.from({ length: 64 }, (_, index) => String(index + 1).padStart(13, '0')),
]

async function findSplitDirs(objects: ObjectReader, { splitPath }: SessionLocation): Promise<Oid[]> {
  if (splitPath === undefined) return []
  const names = splitRefs.map((name) => `refs/entire/checkpoints/v2/full/${name}:${splitPath}`)
  const found = await Promise.all(names.map((name) => objects.info(name)))
  return found.flatMap((object) => (object?.type === 'tree' ? [object.oid] : []))
}

function createdAt(checkpoint: StoredCheckpoint): number {
  return Date.parse(checkpoint.sessions.at(-1)?.createdAt ?? '') || 0
}

/** The head of a checkpoint is the union of its sessions; they fill in what the stored head lacks. */
function combineSessions(
  sessions: SessionRecord[],
  head: CheckpointRecord | undefined,
): Omit<CheckpointRecord, 'checkpoint'> {
  const newest = sessions.at(-1)
  const cliVersion = head?.cliVersion ?? newest?.cliVersion
  const branch = head?.branch ?? newest?.branch
  const tokens = head?.tokens ?? sum(sessions)
  return {
    ...given({ cliVersion }),
    strategy: head?.strategy || newest?.strategy || '',
    ...given({ branch }),
    steps: head?.steps ?? sessions.reduce((steps, session) => steps + session.steps, 0),
    files:
      head && head.files.length > 0
        ? head.files
        : [...new Set(sessions.flatMap((session) => session.files))].sort(),
    sessionCount: sessions.length,
    ...given({ tokens }),
  }
}

function sum(sessions: SessionRecord[]): TokenUsage | undefined {
  const usages = sessions.flatMap((session) => session.tokens ?? [])
  return usages.length === 0 ? undefined : usages.reduce(addTokens)
}

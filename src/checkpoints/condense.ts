// Checkpoints: the permanent record of a commit, with all sessions that have a part in it.
import type { ObjectReader } from '../git/cat-file.ts'
import type { Import, TreeChange } from '../git/fast-import.ts'
import type { Identity } from '../git/identity.ts'
import type { Oid } from '../git/oid.ts'
import type { CheckpointRecord, SessionRecord } from '../model/checkpoint.ts'
import { formatJson, parseJson } from '../std/json.ts'
import { branchOf, checkpointDir, checkpointRef, chunkName, inDir, metadataRef, sessionPaths } from './layout.ts'
import { formatCheckpoint, formatSession, parseCheckpoint, parseSession } from './record.ts'
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

export interface Writing {
  objects: ObjectReader
  writes: Import
  author: Identity
  seconds: number
  cliVersion: string
}

/** Adds the sessions to the checkpoint, each in the slot it had before or in a new one: one commit, however many they are. */
export async function writeCheckpoint(writing: Writing, id: string, parts: SessionPart[]): Promise<void> {
  const [slots, parent] = await Promise.all([readSlots(writing.objects, id), findParent(writing.objects, id)])
  const changes = parts.flatMap((part) => {
    const found = slots.findIndex((record) => record.session === part.record.session)
    const slot = found === -1 ? slots.length : found
    slots[slot] = part.record
    return partChanges(id, slot, part, { content: Buffer.from(formatJson(formatSession(part.record))) })
  })
  writing.writes.commit({
    ref: checkpointRef(id),
    parent,
    message: checkpointMessage(id, parts),
    author: writing.author,
    seconds: writing.seconds,
    changes: [...changes, rootChange(id, slots, writing.cliVersion)],
  })
}

/** Replaces what was provisional in a checkpoint written in the middle of a turn. Returns false when there is no such checkpoint. */
export async function finaliseCheckpoint(
  writing: Writing,
  id: string,
  part: Omit<SessionPart, 'record'> & { session: string },
): Promise<boolean> {
  const slots = await readSlots(writing.objects, id)
  if (slots.length === 0) return false
  const found = slots.findIndex((record) => record.session === part.session)
  const slot = found === -1 ? slots.length - 1 : found
  const metadata = await writing.objects.info(`${checkpointRef(id)}:${sessionPaths(checkpointDir(id), slot).metadata}`)
  writing.writes.commit({
    ref: checkpointRef(id),
    parent: await findParent(writing.objects, id),
    message: `Finalize transcript for Checkpoint: ${id}\n`,
    author: writing.author,
    seconds: writing.seconds,
    // The metadata file stays as it is, fields of other versions included.
    changes: partChanges(id, slot, part, metadata === undefined ? undefined : { oid: metadata.oid }),
  })
  return true
}

/** Metadata of every session of a checkpoint, in slot order; empty when it does not exist. */
export async function readSlots(objects: ObjectReader, id: string): Promise<SessionRecord[]> {
  const tree = `${checkpointRef(id)}:`
  const dir = checkpointDir(id)
  const root = await objects.contents(`${tree}${inDir(dir, 'metadata.json')}`)
  const count = parseCheckpoint(parseJson(root?.content.toString('utf8') ?? ''))?.sessionCount ?? 0
  const files = await Promise.all(
    Array.from({ length: count }, (_, slot) => objects.contents(`${tree}${sessionPaths(dir, slot).metadata}`)),
  )
  return files.map((file, slot) => parseSession(parseJson(file?.content.toString('utf8') ?? '')) ?? missingRecord(id, slot))
}

// A slot whose metadata is lost keeps its place, so that the others keep theirs.
function missingRecord(id: string, slot: number): SessionRecord {
  return { checkpoint: id, session: `missing-${slot}`, strategy: '', createdAt: '', steps: 0, files: [], transcriptStart: 0 }
}

// A clone has the branch only as a remote-tracking one until the first checkpoint is written.
async function findParent(objects: ObjectReader, id: string): Promise<Oid | undefined> {
  const ref = checkpointRef(id)
  const local = await objects.info(ref)
  if (local !== undefined || ref !== metadataRef) return local?.oid
  return (await objects.info(`refs/remotes/origin/${branchOf(ref)}`))?.oid
}

function partChanges(
  id: string,
  slot: number,
  part: Omit<SessionPart, 'record'>,
  metadata: { oid: Oid } | { content: Buffer } | undefined,
): TreeChange[] {
  const paths = sessionPaths(checkpointDir(id), slot)
  const text = (path: string, content: string): TreeChange[] =>
    content === '' ? [] : [{ path, mode: '100644', content: Buffer.from(content) }]
  return [
    { path: paths.dir, deleted: true },
    ...part.chunks.map(({ oid }, index) => ({ path: chunkName(index, paths.transcript), mode: '100644' as const, oid })),
    ...(part.chunks.length === 0 ? [] : text(paths.contentHash, `sha256:${part.contentHash}`)),
    ...text(paths.prompt, part.prompts),
    ...text(paths.context, part.context),
    ...(metadata === undefined ? [] : [{ path: paths.metadata, mode: '100644' as const, ...metadata }]),
    ...(part.files ?? []).map(({ path, content }) => ({ path: inDir(checkpointDir(id), path), mode: '100644' as const, content })),
  ]
}

function rootChange(id: string, slots: SessionRecord[], cliVersion: string): TreeChange {
  const newest = slots.at(-1) as SessionRecord
  const tokens = sumTokens(slots.map((slot) => slot.tokens))
  const record: CheckpointRecord = {
    cliVersion,
    checkpoint: id,
    strategy: newest.strategy,
    ...(newest.branch === undefined ? {} : { branch: newest.branch }),
    steps: slots.reduce((sum, slot) => sum + slot.steps, 0),
    files: [...new Set(slots.flatMap((slot) => slot.files))].sort(),
    sessionCount: slots.length,
    ...(tokens === undefined ? {} : { tokens }),
  }
  return { path: inDir(checkpointDir(id), 'metadata.json'), mode: '100644', content: Buffer.from(formatJson(formatCheckpoint(record))) }
}

function checkpointMessage(id: string, parts: SessionPart[]): string {
  const lines = parts.flatMap(({ record, shadow }) => [
    `Entire-Session: ${record.session}`,
    `Entire-Strategy: ${record.strategy}`,
    ...(record.agent === undefined ? [] : [`Entire-Agent: ${record.agent}`]),
    ...(shadow === undefined ? [] : [`Ephemeral-branch: ${shadow}`]),
    ...(record.isTask ? [`Entire-Metadata-Task: ${inDir(checkpointDir(id), `tasks/${record.toolUse}`)}`] : []),
  ])
  // Sessions of one commit share most of it; each line says something once.
  return `Checkpoint: ${id}\n\n${[...new Set(lines)].join('\n')}\n`
}

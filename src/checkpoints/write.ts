// Writes checkpoints: the permanent record of a commit, with all sessions that have a part in it.

import type { ObjectReader } from '../git/cat-file.ts'
import type { Identity } from '../git/config.ts'
import type { FastImport, TreeChange } from '../git/fast-import.ts'
import type { Oid } from '../git/oid.ts'
import type { SessionRecord } from '../model/checkpoint.ts'
import type { TokenUsage } from '../model/tokens.ts'
import { given } from '../std/given.ts'
import { formatJson } from '../std/json.ts'
import {
  branchName,
  checkpointDir,
  checkpointRef,
  chunkName,
  formatHash,
  inDir,
  metadataRef,
  sessionPaths,
} from './layout.ts'
import { checkpointContext, joinPrompts, mergePrompts } from './prompt-files.ts'
import { formatCheckpointRecord, formatSessionRecord, formatTokenRecord, sumTokens } from './record.ts'
import { addSlot, isPartFile, readPrompts, readSlots, type Slot, type Slots } from './slots.ts'

/** A session's part of a checkpoint, redacted. */
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

/** Adds sessions to a checkpoint in one commit, each in the slot it had before or in a new one. */
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

/** Makes git look up the commit that the checkpoint will be built on. */
export async function prefetchCheckpointParent(
  objects: ObjectReader,
  writes: FastImport,
  id: string,
): Promise<void> {
  const parent = await findParent(objects, id)
  if (parent !== undefined) writes.prefetchCommit(parent)
}

/** The rest of a session's part of a checkpoint that was written in the middle of a turn. */
export interface FinalPart
  extends Pick<SessionPart, 'chunks' | 'contentHash'>,
    Pick<SessionRecord, 'redactions'> {
  session: string
  /** Those noted since; the checkpoint may have others, of another program, which stay. */
  prompts: string[]
  /** Those of the session in this checkpoint, if they have become more. */
  tokens?: TokenUsage
}

/** Completes a checkpoint that was written in the middle of a turn. Returns false when there is none. */
export async function finaliseCheckpoint(
  writing: WriteContext,
  id: string,
  part: FinalPart,
): Promise<boolean> {
  const slots = await readSlots(writing.objects, id)
  const slot = slots.sessions.find(({ record }) => record.session === part.session) ?? slots.sessions.at(-1)
  if (slot === undefined) return false
  const metadata = slot.files.find(({ name }) => name === 'metadata.json')
  const { tokens } = part
  const prompts = mergePrompts(await readPrompts(writing.objects, slot), part.prompts)
  const texts = { prompts: joinPrompts(prompts), context: checkpointContext(prompts) }
  Object.assign(slot.record, given({ tokens }))
  writing.writes.commit({
    ref: checkpointRef(id),
    parent: await findParent(writing.objects, id),
    message: `Finalize transcript for Checkpoint: ${id}\n`,
    author: writing.author,
    seconds: writing.seconds,
    changes: [
      ...slots.moves,
      ...partChanges(id, slot, { ...part, ...texts }, metadata && finalMetadata(slot, metadata, part)),
      ...(slots.moves.length === 0 && tokens === undefined
        ? []
        : [rootChange(id, slots, writing.cliVersion)]),
    ],
  })
  return true
}

/** The metadata file stays as it is, with the fields of other versions, unless more was redacted or spent. */
function finalMetadata(
  { stored }: Slot,
  { oid }: { oid: Oid },
  { redactions, tokens }: Pick<FinalPart, 'redactions' | 'tokens'>,
): { oid: Oid } | { content: Buffer } {
  const changed = given({ redactions, token_usage: tokens && formatTokenRecord(tokens) })
  if (Object.keys(changed).length === 0) return { oid }
  return { content: Buffer.from(formatJson({ ...stored, ...changed })) }
}

// Until its first checkpoint is written, a clone has the branch only as a remote-tracking one.
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
  // Sessions of one commit share most lines, and each line appears once.
  return `Checkpoint: ${id}\n\n${[...new Set(lines)].join('\n')}\n`
}

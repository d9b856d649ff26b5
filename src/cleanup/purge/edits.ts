// Says what a purge takes out of the history of each kind of ref: a secret is replaced, a checkpoint or a
// session is removed as a whole.

import { formatHash, hashName, parseHash } from '../../checkpoints/layout.ts'
import { isTranscriptChunk } from '../../checkpoints/read.ts'
import { formatCheckpointRecord, parseSessionRecord, sumTokens } from '../../checkpoints/record.ts'
import { isPartFile } from '../../checkpoints/slots.ts'
import { isAnyStep } from '../../checkpoints/step.ts'
import { digestOf, joinChunks } from '../../checkpoints/transcript-chunks.ts'
import type { ObjectReader } from '../../git/cat-file.ts'
import type { Oid } from '../../git/oid.ts'
import type { EditedEntry, HistoryEdit, HistoryRewriter } from '../../git/rewrite-history.ts'
import { readTree, type TreeEntry } from '../../git/tree.ts'
import { isCheckpointId } from '../../model/checkpoint.ts'
import { given } from '../../std/given.ts'
import { asObject, asString, formatJson, parseJson } from '../../std/json.ts'
import { mapMessage, mapRecord, recordPath } from './records.ts'
import { type OwnedKind, type PurgeTarget, type Secret, withoutSecret } from './target.ts'

export interface EditContext {
  objects: ObjectReader
  rewriter: HistoryRewriter
  /** Objects with the secret in them that belong to the user as well. */
  keeps: ReadonlySet<Oid>
  /** Checkpoints that have been changed or removed, by id. */
  affected: Set<string>
  removedCheckpoints: Set<string>
  /** The sessions of the checkpoint that is purged. */
  sessions: string[]
}

export function editsOf(target: PurgeTarget, context: EditContext): Record<OwnedKind, HistoryEdit> {
  const steps = editOf(target, 'steps', context)
  return {
    checkpoints: editOf(target, 'checkpoints', context),
    checkpoint: editOf(target, 'checkpoint', context),
    links: editOf(target, 'links', context),
    steps,
    'removed steps': target.kind === 'checkpoint' ? editOf(target, 'removed steps', context) : steps,
  }
}

function editOf(target: PurgeTarget, kind: OwnedKind, context: EditContext): HistoryEdit {
  if (target.kind === 'secret') return redacting(target.secret, kind, context)
  if (kind === 'links') return withoutLinks(context)
  if (target.kind === 'checkpoint') {
    if (kind === 'removed steps') return withoutTranscripts(context.sessions)
    return kind === 'checkpoints' ? withoutCheckpoint(target.id, context) : unchanged
  }
  return kind === 'steps' ? withoutSteps(target.id, context) : withoutSession(target.id, kind, context)
}

const unchanged: HistoryEdit = {
  key: () => undefined,
  tree: async (_path, entries) => entries,
  blob: async () => undefined,
  commit: (text) => text,
  dropsEmpty: false,
}

function redacting(
  secret: Secret,
  kind: OwnedKind,
  { objects, rewriter, keeps, affected }: EditContext,
): HistoryEdit {
  const redact = (text: string) =>
    withoutSecret(Buffer.from(text, 'latin1'), secret)?.toString('latin1') ?? text
  const clean = (name: string) => withoutSecret(Buffer.from(name), secret)?.toString() ?? name
  return {
    // Only the ids of checkpoints are in paths, and only there.
    key: (path) => (kind === 'checkpoints' ? path.split('/').slice(0, 2).join('/') : kind),
    tree: async (_path, entries) => {
      const taken = new Set(entries.map(({ name }) => name))
      return entries.map((entry) => {
        let name = clean(entry.name)
        while (name !== entry.name && taken.has(name)) name = `${name}_`
        taken.add(name)
        return { ...entry, name }
      })
    },
    blob: async (path, oid) => {
      // A step shows the user's files as they are; a checkpoint holds none of them.
      if (keeps.has(oid) && kind.endsWith('steps')) return undefined
      const content = (await objects.contents(oid))?.content
      const redacted = content && withoutSecret(content, secret)
      if (redacted !== undefined && kind === 'checkpoints') noteAffected(affected, path)
      return mapRecord(path, redacted ?? content, rewriter) ?? redacted
    },
    finish: (before, after) => withHash({ objects, rewriter }, before, after),
    commit: (text) => mapMessage(redact(text), rewriter),
    dropsEmpty: false,
  }
}

function noteAffected(affected: Set<string>, path: string): void {
  const id = path.split('/').slice(0, 2).join('')
  if (isCheckpointId(id)) affected.add(id)
}

// The digest of a transcript is beside its chunks. One that only the agent can compute stays as it is.
async function withHash(
  { objects, rewriter }: Pick<EditContext, 'objects' | 'rewriter'>,
  before: TreeEntry[],
  after: EditedEntry[],
): Promise<EditedEntry[]> {
  const old = before.find(({ name }) => name === hashName)
  const chunks = (entries: TreeEntry[]) =>
    entries.filter(({ name, isTree }) => !isTree && isTranscriptChunk(name))
  if (old === undefined || chunks(before).every(({ oid }, at) => oid === chunks(after)[at]?.oid)) return after
  const join = async (entries: TreeEntry[]) =>
    digestOf(
      joinChunks(
        await Promise.all(entries.map(async ({ oid }) => (await rewriter.contents(oid)) ?? Buffer.alloc(0))),
      ),
    )
  const stored = parseHash((await objects.contents(old.oid))?.content.toString('utf8') ?? '')
  if ((await join(chunks(before))) !== stored) return after
  const content = Buffer.from(formatHash(await join(chunks(after))))
  return after.map((entry) => (entry.name === hashName ? { ...entry, content } : entry))
}

function withoutCheckpoint(id: string, { affected, removedCheckpoints }: EditContext): HistoryEdit {
  const [shard, rest] = [id.slice(0, 2), id.slice(2)]
  return {
    ...unchanged,
    key: (path) => (path === '' || path === shard ? path : undefined),
    tree: async (path, entries) => {
      const kept = path === shard ? entries.filter(({ name }) => name !== rest) : entries
      if (kept.length < entries.length) for (const ids of [affected, removedCheckpoints]) ids.add(id)
      return kept
    },
    dropsEmpty: true,
  }
}

// The steps that became a checkpoint hold what was said, too.
function withoutTranscripts(sessions: string[]): HistoryEdit {
  return {
    ...unchanged,
    key: (path) => (['', '.entire', '.entire/metadata'].includes(path) ? path : undefined),
    tree: async (path, entries) =>
      path === '.entire/metadata' ? entries.filter(({ name }) => !sessions.includes(name)) : entries,
  }
}

function withoutLinks({ objects, removedCheckpoints }: EditContext): HistoryEdit {
  const strip = async (oid: Oid) => {
    const before = (await objects.contents(oid))?.content.toString('latin1') ?? ''
    const isGone = (line: string) =>
      [...removedCheckpoints].some((id) => line.trim() === `Entire-Checkpoint: ${id}`)
    const lines = before.split('\n')
    return lines.some(isGone) ? lines.filter((line) => !isGone(line)).join('\n') : undefined
  }
  return {
    ...unchanged,
    key: () => 'links',
    tree: async (_path, entries) => {
      const texts = await Promise.all(entries.map(({ isTree, oid }) => (isTree ? undefined : strip(oid))))
      return entries.filter((_, at) => texts[at]?.trim() !== '')
    },
    blob: async (_path, oid) => {
      const text = await strip(oid)
      return text === undefined ? undefined : Buffer.from(text, 'latin1')
    },
    dropsEmpty: true,
  }
}

function withoutSession(id: string, kind: OwnedKind, context: EditContext): HistoryEdit {
  const isHome = (path: string) =>
    kind === 'checkpoint' ? path === '' : /^[0-9a-f]{2}\/[0-9a-f]{10}$/.test(path)
  return {
    ...unchanged,
    key: (path) => (path === '' || isHome(path) || /^[0-9a-f]{2}$/.test(path) ? path : undefined),
    tree: async (path, entries) => {
      if (!isHome(path)) return entries
      const kept = await dropSession(context.objects, entries, id)
      const checkpoint = path.replace('/', '')
      if (kept !== entries && checkpoint !== '') context.affected.add(checkpoint)
      if (kept.length === 0 && checkpoint !== '') context.removedCheckpoints.add(checkpoint)
      return kept
    },
    // A checkpoint that other sessions have a part in stays.
    commit: (text) => {
      const lines = text.split('\n')
      return lines
        .filter((line) => line !== `Entire-Session: ${Buffer.from(id).toString('latin1')}`)
        .join('\n')
    },
    dropsEmpty: true,
  }
}

/** The directory of a checkpoint without the session; empty when it had no other. */
async function dropSession(objects: ObjectReader, entries: TreeEntry[], id: string): Promise<EditedEntry[]> {
  const readJson = async (dir: TreeEntry[]) => {
    const file = dir.find(({ name, isTree }) => name === 'metadata.json' && !isTree)
    return file && asObject(parseJson((await objects.contents(file.oid))?.content.toString('utf8') ?? ''))
  }
  const head = await readJson(entries)
  const slots = entries.filter(({ name, isTree }) => isTree && /^\d{1,9}$/.test(name))
  const records = await Promise.all(
    slots.map(async (slot) => parseSessionRecord(await readJson(await readTree(objects, slot.oid)), head)),
  )
  const gone = new Set(slots.filter((_, at) => records[at]?.session === id).map(({ name }) => name))
  // Earlier versions kept the newest session at the top.
  const top = parseSessionRecord(head)
  if (gone.size === 0 && top?.session !== id) return entries
  const left = records.filter((record) => record !== undefined && record.session !== id) as NonNullable<
    (typeof records)[number]
  >[]
  if (left.length === 0 && (top === undefined || top.session === id)) return []
  const kept = entries.filter(
    ({ name, isTree }) => !gone.has(name) && (top?.session !== id || isTree || !isPartFile(name)),
  )
  const newest = left.at(-1)
  if (top !== undefined || newest === undefined) return kept
  const numbers = slots.map(({ name }) => Number(name)).filter((number) => !gone.has(String(number)))
  const tokens = sumTokens(left.map((record) => record.tokens))
  const record = {
    ...given({ cliVersion: asString(head?.cli_version), branch: newest.branch, tokens }),
    checkpoint: asString(head?.checkpoint_id) ?? newest.checkpoint,
    strategy: newest.strategy,
    steps: left.reduce((sum, { steps }) => sum + steps, 0),
    files: [...new Set(left.flatMap(({ files }) => files))].sort(),
  }
  const content = Buffer.from(formatJson(formatCheckpointRecord(record, numbers, head)))
  return kept.map((entry) => (entry.name === 'metadata.json' ? { ...entry, content } : entry))
}

const stepDirs = ['', '.entire', '.entire/metadata', '.entire/undo', 'sessions', 'prompts', 'tmp']

function withoutSteps(id: string, { objects, rewriter }: EditContext): HistoryEdit {
  const names = new Set([id, `${id}.json`, `${id}.json.corrupt`, `${id}.txt`, `pre-prompt-${id}.json`])
  const own = stepDirs.slice(2)
  return {
    key: (path) => (stepDirs.includes(path) ? path : undefined),
    tree: async (path, entries) =>
      own.includes(path) ? entries.filter(({ name }) => !names.has(name)) : entries,
    blob: async (path, oid) =>
      path === recordPath ? mapRecord(path, (await objects.contents(oid))?.content, rewriter, id) : undefined,
    commit: (text) => (isAnyStep(text) && isOfSession(text, id) ? undefined : mapMessage(text, rewriter, id)),
    dropsEmpty: false,
  }
}

function isOfSession(text: string, id: string): boolean {
  return text.split('\n').includes(`Entire-Session: ${Buffer.from(id).toString('latin1')}`)
}

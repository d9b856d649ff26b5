// Says what a purge takes out of the history of each kind of ref, and out of the program's own files: a secret
// is replaced, a checkpoint or a session is removed as a whole.

import { basename } from 'node:path'
import {
  formatHash,
  hashName,
  isShadowRef,
  metadataBranch,
  notesRef,
  parseHash,
} from '../checkpoints/layout.ts'
import { isTranscriptChunk } from '../checkpoints/read.ts'
import { formatCheckpointRecord, parseSessionRecord, sumTokens } from '../checkpoints/record.ts'
import { isPartFile } from '../checkpoints/slots.ts'
import { isAnyStep } from '../checkpoints/step.ts'
import { digestOf, joinChunks } from '../checkpoints/transcript-chunks.ts'
import type { ObjectReader } from '../git/cat-file.ts'
import type { Oid } from '../git/oid.ts'
import type { EditedEntry, HistoryEdit, HistoryRewriter } from '../git/rewrite-history.ts'
import { readTree, type TreeEntry } from '../git/tree.ts'
import { isCheckpointId } from '../model/checkpoint.ts'
import { given } from '../std/given.ts'
import {
  asArray,
  asObject,
  asString,
  asStrings,
  formatJson,
  type JsonObject,
  parseJson,
} from '../std/json.ts'
import { sha256Start } from '../std/sha256.ts'

export type PurgeTarget = { kind: 'secret'; forms: Buffer[] } | { kind: 'checkpoint' | 'session'; id: string }

/** What the history of a ref holds. */
export type OwnedKind = 'checkpoints' | 'checkpoint' | 'links' | 'steps' | 'removed steps'

/** Undefined for refs of the user. */
export function ownedKind(ref: string): OwnedKind | undefined {
  const plain = ref.replace(/^refs\/(?:entire-remotes\/[^/]+|remotes\/[^/]+(?=\/entire\/))\//, (start) =>
    start.startsWith('refs/remotes') ? 'refs/heads/' : 'refs/',
  )
  if (plain === notesRef) return 'links'
  if (branches.includes(plain) || /^refs\/(?:entire\/checkpoints\/v2|entire-fetch-tmp)\//.test(plain))
    return 'checkpoints'
  if (/^refs\/entire\/checkpoints\/\w\w\/\w+$/.test(plain)) return 'checkpoint'
  if (plain.startsWith('refs/entire/removed/')) return 'removed steps'
  return isShadowRef(plain) || /^refs\/entire\/(?:trash|undo)\//.test(plain) ? 'steps' : undefined
}

const branches = [metadataBranch, 'entire/sessions/v1', 'entire/sessions'].map((name) => `refs/heads/${name}`)

// Commits of the program that no ref leads to any more. Merges and links may be the user's own.
const ownSubject =
  /\n\n(?:Checkpoint: \w+|Finalize transcript for Checkpoint: \w+|Merge remote session logs|Update summary for checkpoint \w+|Link \w{12} to checkpoint \w+|Removed by entire \w+|Steps whose branch was removed|Work tree before (?:rewind|reset|undo|redo))(?: \(session: [^\n]*\))?\n/

/** What a commit holds that the program made; undefined for one of the user. */
export function kindOfCommit(text: string): OwnedKind | undefined {
  const subject = ownSubject.exec(text)
  if (isAnyStep(text)) return 'removed steps'
  if (subject?.index !== text.indexOf('\n\n')) return undefined
  if (subject[0].includes('\n\nLink ')) return 'links'
  if (/\n\n(?:Removed|Steps|Work tree)/.test(subject[0])) return 'steps'
  return /\b[0-9A-Z]{26}\b/.test(subject[0]) ? 'checkpoint' : 'checkpoints'
}

/** The forms in which a text may be stored: as it is, and inside of JSON strings, up to three levels deep. */
export function formsOf(secret: string): Buffer[] {
  const forms = new Set([secret])
  for (let level = 0; level < 3; level += 1)
    for (const form of [...forms])
      for (const write of escapes) forms.add(write(JSON.stringify(form).slice(1, -1)))
  // The longest first: a shorter one may be a part of it.
  return [...forms].sort((a, b) => b.length - a.length).map((form) => Buffer.from(form))
}

const unicode = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`

/** What writers of JSON escape besides what they must. */
const escapes: ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replaceAll('/', '\\/'),
  (text) => text.replace(/[<>&\u2028\u2029]/g, unicode),
  (text) => text.replace(/[^\x00-\x7f]/g, unicode),
]

const replacement = 'REDACTED'

/** Undefined when the text does not contain the secret. */
export function withoutSecret(content: Buffer, forms: readonly Buffer[]): Buffer | undefined {
  if (!forms.some((form) => content.includes(form))) return undefined
  // In a binary file what follows stays where it is.
  const isBinary = content.includes(0)
  let text = content.toString('latin1')
  for (const form of forms)
    text = text.replaceAll(form.toString('latin1'), isBinary ? '*'.repeat(form.length) : replacement)
  return Buffer.from(text, 'latin1')
}

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
  if (target.kind === 'secret') return redacting(target.forms, kind, context)
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
  forms: Buffer[],
  kind: OwnedKind,
  { objects, rewriter, keeps, affected }: EditContext,
): HistoryEdit {
  const redact = (text: string) =>
    withoutSecret(Buffer.from(text, 'latin1'), forms)?.toString('latin1') ?? text
  const clean = (name: string) => withoutSecret(Buffer.from(name), forms)?.toString() ?? name
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
      if (keeps.has(oid)) return undefined
      const content = (await objects.contents(oid))?.content
      const redacted = content && withoutSecret(content, forms)
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

const recordPath = '.entire/undo/record.json'

/** What takes the place of a commit; undefined when nothing does. */
function placeOf(rewriter: HistoryRewriter, oid: Oid): Oid | undefined {
  const commits = rewriter.commits.get(oid)
  return commits === undefined ? oid : commits[0]
}

// The record of a safety step names the tips of the shadow branch, and the sessions of then.
function mapRecord(
  path: string,
  content: Buffer | undefined,
  rewriter: HistoryRewriter,
  session?: string,
): Buffer | undefined {
  const record = path === recordPath ? asObject(parseJson(content?.toString('utf8') ?? '')) : undefined
  if (record === undefined) return undefined
  const { shadow, ...rest } = record
  const change = asObject(shadow)
  const [before, after] = ['before', 'after'].map((key) => placeOf(rewriter, asString(change?.[key]) ?? ''))
  const isOther = (value: unknown, key: string) =>
    asString(asObject(asObject(value)?.[key] ?? value)?.session_id) !== session
  const mapped = {
    ...rest,
    ...(change === undefined || before === undefined || after === undefined
      ? {}
      : { shadow: { ...change, before, after } }),
    sessions: asArray(record.sessions)
      .filter((saved) => session === undefined || isOther(saved, 'state'))
      .map((saved) => mapSaved(saved, rewriter)),
    logs: asArray(record.logs).filter(
      (log) => session === undefined || asString(asObject(log)?.session) !== session,
    ),
  }
  const text = JSON.stringify(mapped)
  return text === content?.toString('utf8') ? undefined : Buffer.from(text)
}

function mapSaved(saved: unknown, rewriter: HistoryRewriter): JsonObject {
  const record = asObject(saved) ?? {}
  const state = asObject(record.state)
  return state === undefined ? record : { ...record, state: mapState(state, rewriter) }
}

// The trash lists the branches it keeps in its message.
function mapMessage(text: string, rewriter: HistoryRewriter, session?: string): string {
  const end = text.indexOf('\n\n') + 2
  if (!text.startsWith('Removed by entire ', end)) return text
  const start = text.indexOf('\n\n', end) + 2
  const record = asObject(parseJson(Buffer.from(text.slice(start), 'latin1').toString('utf8')))
  if (record === undefined) return text
  const mapped = {
    ...record,
    branches: asArray(record.branches).flatMap((branch) => {
      const oid = placeOf(rewriter, asString(asObject(branch)?.oid) ?? '')
      return oid === undefined ? [] : [{ ...asObject(branch), oid }]
    }),
    files: asArray(record.files).filter(
      (file) => session === undefined || !(asString(asObject(file)?.name) ?? '').includes(session),
    ),
  }
  return `${text.slice(0, start)}${Buffer.from(`${JSON.stringify(mapped)}\n`).toString('latin1')}`
}

/** The state of a session: its chunks are the new ones, or it reads its transcript again. */
function mapState(state: JsonObject, rewriter: HistoryRewriter): JsonObject {
  const cursor = asObject(state.transcript_cursor)
  const chunks = asArray(cursor?.chunks).map((chunk): JsonObject => asObject(chunk) ?? {})
  const oids = chunks.map((chunk) => asString(chunk.oid) ?? '')
  if (!oids.some((oid) => rewriter.changed.has(oid) || rewriter.dropped.has(oid))) return state
  const { transcript_cursor: _, ...rest } = state
  if (oids.some((oid) => rewriter.dropped.has(oid))) return rest
  const { digest: _digest, ...kept } = cursor ?? {}
  const mapped = chunks.map((chunk, at) => {
    const oid = rewriter.changed.get(oids[at] as Oid)
    return oid === undefined ? chunk : { ...chunk, oid, bytes: rewriter.sizeOf(oid) ?? 0 }
  })
  return { ...state, transcript_cursor: { ...kept, chunks: mapped, hash: sha256Start(), hashed: 0 } }
}

/**
 * The new content of a file of the program; undefined when it stays, null when it is removed. `name` is its path
 * in the git directory or in the work tree.
 */
export function editFile(
  target: PurgeTarget,
  name: string,
  content: Buffer,
  rewriter: HistoryRewriter,
): Buffer | null | undefined {
  const redacted = target.kind === 'secret' ? withoutSecret(content, target.forms) : undefined
  if (target.kind === 'session' && isFileOf(name, target.id)) return null
  const text = (redacted ?? content).toString('utf8')
  const id = target.kind === 'secret' ? undefined : target.id
  const record =
    name.endsWith('.json') && basename(name) !== 'entire-pending.json' ? asObject(parseJson(text)) : undefined
  const edited = record === undefined ? editLines(text, id) : editRecord(text, record, { name, id, rewriter })
  return edited === text ? redacted : Buffer.from(edited)
}

function isFileOf(name: string, session: string): boolean {
  const places = (part: string) => [part.indexOf(session), part.indexOf(`-${session}`) + 1]
  const isWhole = (part: string, at: number) =>
    (at === 0 || part[at - 1] === '-') && /^(?:$|[.-])/.test(part.slice(at + session.length))
  return name
    .split('/')
    .some((part) => part.includes(session) && places(part).some((at) => isWhole(part, at)))
}

// Logs and notes have a line for each event.
function editLines(text: string, id: string | undefined): string {
  if (id === undefined || !text.includes(id)) return text
  return text
    .split('\n')
    .filter((line) => !line.includes(id))
    .join('\n')
}

function editRecord(
  text: string,
  record: JsonObject,
  { name, id, rewriter }: { name: string; id: string | undefined; rewriter: HistoryRewriter },
): string {
  const mapped = text.replace(/\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b/g, (oid) => placeOf(rewriter, oid) ?? oid)
  if (name.includes('entire-sessions/')) {
    const before = asObject(parseJson(mapped)) ?? record
    const state = mapState(before, rewriter)
    const { last_checkpoint_id: last, turn_checkpoint_ids: turn, ...rest } = state
    const isKept = (checkpoint: string) => checkpoint !== id
    const after = {
      ...state,
      ...(last === undefined ? {} : { last_checkpoint_id: [asString(last) ?? ''].find(isKept) }),
      ...(turn === undefined ? {} : { turn_checkpoint_ids: asStrings(turn).filter(isKept) }),
    }
    const isSame = state === before && last !== id && !asStrings(turn).includes(id ?? '')
    return isSame ? mapped : formatJson(given({ ...rest, ...after }))
  }
  if (basename(name) !== 'entire-live.json') return mapped
  // What is remembered of the last step may no longer be true of it.
  const { last_step: _, last_link: link, sessions, ...rest } = record
  if (rewriter.commits.size === 0 && !(id !== undefined && text.includes(id))) return mapped
  return JSON.stringify({
    sessions: Object.fromEntries(Object.entries(asObject(sessions) ?? {}).filter(([key]) => key !== id)),
    ...(asObject(link)?.checkpoint === id || link === undefined ? {} : { last_link: link }),
    ...rest,
  })
}

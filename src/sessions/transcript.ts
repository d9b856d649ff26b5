// Reads what the transcript of a session says since the last save, and brings it into the form that is
// stored.

import type { FreshBlob } from '../checkpoints/chunk-store.ts'
import { formatTokenRecord, parseTokenRecord } from '../checkpoints/record.ts'
import { digestTranscript } from '../checkpoints/transcript-digest.ts'
import { readAppended, type TranscriptUpdate } from '../checkpoints/transcript-store.ts'
import type { Oid } from '../git/oid.ts'
import type { Agent, AskedPrompt, TranscriptReading, TypedCommand } from '../model/agent.ts'
import type { Session, TranscriptCursor } from '../model/session.ts'
import {
  addTokens,
  hasTokens,
  noTokens,
  subtractTokens,
  type TokenUsage,
  totalTokens,
} from '../model/tokens.ts'
import { EntireError, messageWithHint } from '../std/errors.ts'
import { fileSize, readText } from '../std/file.ts'
import { given } from '../std/given.ts'
import { asCount, asNumber, asObject, asStrings } from '../std/json.ts'
import type { EventWork } from './event-work.ts'
import {
  findTranscriptReference,
  type HandOver,
  readThroughFile,
  recordingStart,
} from './fetched-transcript.ts'
import { noteTokens } from './turn-notes.ts'
import { readTurnStart } from './turn-start-state.ts'

/** What a transcript says since the last save, and its redacted form, not stored yet. */
export interface TurnTranscript {
  files: string[]
  prompts: string[]
  summary: string
  /** The entries of its prompts, where the agent keeps what was abandoned. */
  asked: AskedPrompt[]
  /** Commands that the person ran from within the agent. */
  typed: TypedCommand[]
  tokens: TokenUsage
  /** Tokens of an agent that keeps totals beside its transcript. */
  growth: TokenUsage
  /** The prompts, which no hook reported, are about to be noted. */
  isNoted?: boolean
  model: string | undefined
  lastId: string | undefined
  cursor: TranscriptCursor
  /** It has grown since the last save. */
  isNew: boolean
  /** What is not stored yet. */
  blobs: FreshBlob[]
  /** Its tokens may have been counted before. */
  isUncertain: boolean
}

export interface TranscriptRequest extends Pick<EventWork, 'recorder' | 'agent' | 'session' | 'objects'> {
  /** Any object id of the repository, for its length. */
  sampleOid: Oid
  handOver?: HandOver
  /** Only so many bytes are read, of a log that has lines. */
  until?: number
  /** How much of a long transcript is read at once, if not as much as an event reads. */
  pieceBytes?: number
}

/** A transcript since the last save, redacted but not parsed. Parsing hands on the blobs that are left. */
export interface RedactedTranscript {
  /** Not stored yet: storing one takes it off the list. */
  blobs: FreshBlob[]
  parse(): Promise<TurnTranscript | undefined>
}

/** Undefined when there is no transcript to read; the reason is logged. */
export async function readTurnTranscript(request: TranscriptRequest): Promise<TurnTranscript | undefined> {
  return await (await redactTurnTranscript(request))?.parse()
}

/** The first half of `readTurnTranscript`: its lines can be stored before they are parsed. */
export async function redactTurnTranscript(
  request: TranscriptRequest,
): Promise<RedactedTranscript | undefined> {
  const path = await findTranscriptReference(request)
  if (path === undefined) return undefined
  const redacted = await unlessUnreadable(request, async () => {
    try {
      if (request.session.cursor === undefined) await leaveOutCopied(request, path)
      return await redact(request, path, request.session.cursor)
    } catch (error) {
      // A stored chunk is gone when its branch was deleted and collected: the live transcript still has it.
      if (error instanceof EntireError && error.code === 'not-found')
        return await redact(request, path, undefined)
      throw error
    }
  })
  return redacted && { blobs: redacted.blobs, parse: () => unlessUnreadable(request, redacted.parse) }
}

// An error that has a message for the person is shown, and the session continues without this part.
async function unlessUnreadable<T>(
  { recorder, session }: TranscriptRequest,
  read: () => Promise<T | undefined>,
): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof EntireError)) throw error
    recorder.say(`[entire] ${messageWithHint(error)}`)
    recorder.log.write('warn', error.message, { session_id: session.id })
    return undefined
  }
}

// What a fork has copied was counted in the session it comes from.
async function leaveOutCopied(request: TranscriptRequest, path: string): Promise<void> {
  const { agent, session } = request
  const { identify } = agent.transcript
  if (identify === undefined || session.recordedFrom?.isCopy) return
  const { findCopiedPart } = await import('./copied-transcript.ts')
  const copied = findCopiedPart(request, path, identify)
  if (copied === undefined) return
  session.recordedFrom = { ...recordingStart(request), bytes: copied.bytes, isCopy: true }
  session.transcriptStart = copied.items
}

/**
 * Gives the digest of the stored transcript. Chunks that git collected are stored again from the live
 * transcript; when that is gone too, the session continues without one.
 */
export async function digestSessionTranscript(
  request: TranscriptRequest & Pick<EventWork, 'storeBlob'>,
): Promise<string> {
  const { session, objects, recorder } = request
  if (session.cursor === undefined) return ''
  try {
    return await digestTranscript(objects, session.cursor)
  } catch (error) {
    if (!(error instanceof EntireError && error.code === 'not-found')) throw error
    recorder.log.write('warn', error.message, { session_id: session.id })
  }
  const path = session.transcriptPath
  const again = path === undefined ? undefined : await (await redact(request, path, undefined))?.parse()
  if (again === undefined) {
    delete session.cursor
    return ''
  }
  useTranscript(request, again)
  return await digestTranscript(objects, again.cursor)
}

/** Stores this part of the transcript and counts it: the session has seen it from now on. */
export function useTranscript(
  work: Pick<EventWork, 'session' | 'storeBlob'>,
  transcript: TurnTranscript,
): void {
  const { session } = work
  for (const blob of transcript.blobs) work.storeBlob(blob)
  transcript.blobs = []
  session.cursor = transcript.cursor
  session.turnFiles = [...new Set([...session.turnFiles, ...transcript.files])]
  if (transcript.model !== undefined) session.model = transcript.model
  count(session, transcript)
  const { items, behind } = transcript.cursor
  if (behind === undefined && items < session.transcriptStart) session.transcriptStart = 0
  if (behind === undefined)
    for (const turn of session.turns) if (items < turn.start) turn.start = session.transcriptStart
}

/**
 * Counts what was said since the last save, before the transcript is replaced by an earlier one. False when there is
 * nothing to count.
 */
export async function countUnread(request: TranscriptRequest): Promise<boolean> {
  const { session } = request
  const transcript = session.cursor && (await readTurnTranscript(request))
  const carry = transcript?.cursor.carry
  if (session.cursor === undefined || transcript === undefined || carry === undefined) return false
  session.cursor = { ...session.cursor, carry }
  return count(session, transcript)
}

function count(session: Session, transcript: TurnTranscript): boolean {
  // Without names of messages, only what exceeds the tokens already counted is certainly new.
  const read = transcript.isUncertain ? subtractTokens(transcript.tokens, session.tokens) : transcript.tokens
  const tokens = addTokens(read, transcript.growth)
  transcript.tokens = transcript.growth = noTokens
  if (!hasTokens(tokens) && totalTokens(tokens) === 0) return false
  session.tokens = addTokens(session.tokens ?? noTokens, tokens)
  noteTokens(session, tokens)
  return true
}

async function redact(
  request: TranscriptRequest,
  path: string,
  cursor: TranscriptCursor | undefined,
): Promise<RedactedTranscript | undefined> {
  const { agent, recorder, session } = request
  const blobs: FreshBlob[] = []
  const until = request.until === undefined ? undefined : { from: 0, to: request.until }
  const part = agent.sections === undefined ? until : agent.sections.find(path, session.id)
  if (agent.sections !== undefined && part === undefined) return undefined
  const unparsed = await readThroughFile(request, path, cursor, (file, known) =>
    readAppended({
      format: agent.transcript,
      cutter: agent.cutter,
      path: file,
      cursor: known,
      redact: async (text, found) => (await recorder.redaction()).json(text, found),
      store: (blob) => blobs.push(blob),
      objects: request.objects,
      sampleOid: request.sampleOid,
      last: session.cursor,
      metadata: session.metadata,
      part,
      // In a session recorded from its middle on, what came before the first recorded turn is stored, not
      // counted.
      ignoreBefore: known === undefined ? recordingStart(request).bytes : 0,
      isCopy: session.recordedFrom?.isCopy === true,
      turnFrom: readTurnStart(recorder.repo, session.id)?.bytes ?? 0,
      ...given({
        pieceBytes: asCount(Number(recorder.env.ENTIRE_TEST_PIECE_BYTES)) || request.pieceBytes,
      }),
    }),
  )
  if (unparsed === undefined) return undefined
  const isNew = blobs.length > 0
  return {
    blobs,
    parse: async () => ({ ...describe(request, path, await unparsed.parse()), isNew, blobs }),
  }
}

function describe(
  work: TranscriptRequest,
  path: string,
  read: TranscriptUpdate,
): Omit<TurnTranscript, 'isNew' | 'blobs'> {
  const { update, growth = noTokens } = countTotals(work, path, read)
  const { reading, isUncertain } = update
  const { parts, cursor } = readSubagents(work, path, update)
  const subagents = parts.map((part) => part.tokens).reduce(addTokens, noTokens)
  return {
    files: [...reading.files, ...parts.flatMap((part) => part.files)],
    prompts: reading.prompts,
    summary: reading.summary ?? '',
    asked: reading.asked ?? [],
    typed: reading.typed ?? [],
    tokens: hasTokens(subagents) ? addTokens(reading.tokens, { ...noTokens, subagents }) : reading.tokens,
    growth,
    model: reading.model,
    lastId: reading.lastId,
    cursor,
    isUncertain,
  }
}

const maxSubagentBytes = 64 * 1024 * 1024

const rememberedSubagents = 64

/** What finished subagents did since they last finished, and the cursor that remembers it. */
function readSubagents(
  { agent, session }: TranscriptRequest,
  mainTranscript: string,
  { cursor, reading }: TranscriptUpdate,
): { parts: TranscriptReading[]; cursor: TranscriptCursor } {
  const before = session.cursor?.carry
  const counted = new Map(Object.entries(asObject(before?.delegated) ?? {}))
  // Earlier versions noted only their names.
  const named = asStrings(before?.subagents)
  const parts = [...new Set(reading.subagents)].flatMap((id) => {
    const lines = readSubagentLines(agent, mainTranscript, id)
    if (lines === undefined) return []
    const from = asNumber(counted.get(id)) ?? (named.includes(id) ? lines.length : 0)
    counted.delete(id)
    counted.set(id, lines.length)
    return [agent.transcript.readLines(lines.slice(from), undefined)]
  })
  if (counted.size === 0) return { parts, cursor }
  const delegated = Object.fromEntries([...counted].slice(-rememberedSubagents))
  return { parts, cursor: { ...cursor, carry: { ...cursor.carry, delegated } } }
}

function readSubagentLines(agent: Agent, mainTranscript: string, id: string): string[] | undefined {
  const path = agent.subagents?.transcriptPath(mainTranscript, id)
  const size = path === undefined ? undefined : fileSize(path)
  if (path === undefined || size === undefined || size > maxSubagentBytes) return undefined
  return (readText(path) ?? '').trimEnd().split('\n')
}

const maxBytes = 4 * 1024 * 1024

type Totals = Pick<TranscriptReading, 'tokens' | 'model'>

/** Reads the running total of tokens that some agents keep beside their transcript. */
export function readTotals(
  { transcript: { totals } }: Agent,
  transcript: string | undefined,
): Totals | undefined {
  if (totals === undefined || transcript === undefined) return undefined
  const path = totals.path(transcript)
  return (fileSize(path) ?? maxBytes) < maxBytes ? totals.parse(readText(path) ?? '') : undefined
}

/** What the total grew by since it was last counted, and the update that remembers it. */
function countTotals(
  { recorder, agent, session, until }: TranscriptRequest,
  path: string,
  read: TranscriptUpdate,
): { update: TranscriptUpdate; growth?: TokenUsage } {
  const { cursor, reading } = read
  // The total is that of the whole.
  const totals = until === undefined ? readTotals(agent, path) : undefined
  if (totals === undefined) return { update: read }
  // Before the first reading nothing was counted, and tokens spent before the turn do not count.
  const counted =
    parseTokenRecord(session.cursor?.carry?.totals) ??
    session.tokens ??
    recordingStart({ recorder, session }).totals ??
    noTokens
  return {
    update: {
      ...read,
      cursor: { ...cursor, carry: { ...cursor.carry, totals: formatTokenRecord(totals.tokens) } },
      reading: { ...totals, ...reading },
    },
    growth: subtractTokens(totals.tokens, hasShrunk(totals.tokens, counted) ? noTokens : counted),
  }
}

// The file was restored, or the agent started a new one.
function hasShrunk(total: TokenUsage, counted: TokenUsage): boolean {
  return total.input < counted.input || total.output < counted.output || total.cacheRead < counted.cacheRead
}

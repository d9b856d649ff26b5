// What the transcript says about the turn so far, and its stored form. Read once per event; stored only if something refers to it.

import { readFileSync } from 'node:fs'
import type { FreshBlob } from '../checkpoints/chunk-store.ts'
import { formatTokenRecord, parseTokenRecord } from '../checkpoints/token-record.ts'
import { digestTranscript } from '../checkpoints/transcript-digest.ts'
import { readAppended, type TranscriptUpdate } from '../checkpoints/transcript-store.ts'
import type { Agent, TranscriptReading } from '../model/agent.ts'
import type { TranscriptCursor } from '../model/session.ts'
import {
  addTokens,
  hasTokens,
  noTokens,
  subtractTokens,
  type TokenUsage,
  totalTokens,
} from '../model/tokens.ts'
import { EntireError } from '../std/errors.ts'
import { fileSize, readText } from '../std/file.ts'
import { findTranscriptReference, readThroughFile } from './fetched-transcript.ts'
import { readTurnStart } from './turn-start-state.ts'
import type { EventWork, TurnTranscript } from './work.ts'

export type TranscriptWork = Pick<EventWork, 'recorder' | 'agent' | 'session' | 'objects' | 'storeEarly'>

/** Undefined when there is no transcript to read; the reason is logged. */
export async function readTurnTranscript(
  work: TranscriptWork,
  like: string,
): Promise<TurnTranscript | undefined> {
  const path = await findTranscriptReference(work)
  if (path === undefined) return undefined
  try {
    return await read(work, path, work.session.cursor, like)
  } catch (error) {
    if (!(error instanceof EntireError)) throw error
    // A stored piece can be gone when its branch was deleted and collected: the live transcript still has it.
    if (error.code === 'not-found') return await readAgain(work, path, like)
    work.recorder.say(`[entire] ${error.message} ${error.hint ?? ''}`)
    work.recorder.log.write('warn', error.message, { session_id: work.session.id })
    return undefined
  }
}

// What was counted when the lost pieces were stored is not counted again.
async function readAgain(
  work: TranscriptWork,
  path: string,
  like: string,
): Promise<TurnTranscript | undefined> {
  const transcript = await read(work, path, undefined, like)
  return transcript && { ...transcript, restarted: true }
}

/**
 * The fingerprint of the stored transcript. Pieces that git collected are stored again from the live transcript; when that is gone,
 * too, the session goes on without.
 */
export async function sealTranscript(
  work: TranscriptWork & Pick<EventWork, 'storeBlob'>,
  like: string,
): Promise<string> {
  const { session, objects } = work
  if (session.cursor === undefined) return ''
  try {
    return await digestTranscript(objects, session.cursor)
  } catch (error) {
    if (!(error instanceof EntireError && error.code === 'not-found')) throw error
    work.recorder.log.write('warn', error.message, { session_id: session.id })
  }
  delete session.cursor
  const again =
    session.transcriptPath === undefined ? undefined : await readAgain(work, session.transcriptPath, like)
  if (again === undefined) return ''
  useTranscript(work, again)
  return await digestTranscript(objects, again.cursor)
}

/** Read once per event, whichever action needs it first. */
export async function turnTranscript(work: EventWork, like: string): Promise<TurnTranscript | undefined> {
  work.transcript ??= readTurnTranscript(work, like)
  return work.transcript
}

/** From here on the session has seen this part of its transcript. */
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
  // A rewritten transcript is read from its beginning: only what exceeds the tokens already counted is new.
  const read = transcript.restarted ? subtractTokens(transcript.tokens, session.tokens) : transcript.tokens
  const tokens = addTokens(read, transcript.growth)
  transcript.tokens = transcript.growth = noTokens
  if (hasTokens(tokens) || totalTokens(tokens) > 0) {
    session.tokens = addTokens(session.tokens ?? noTokens, tokens)
    session.checkpointTokens = addTokens(session.checkpointTokens ?? noTokens, tokens)
  }
  if (transcript.cursor.items < session.transcriptStart) session.transcriptStart = 0
}

async function read(
  work: TranscriptWork,
  path: string,
  cursor: TranscriptCursor | undefined,
  like: string,
): Promise<TurnTranscript | undefined> {
  const blobs: FreshBlob[] = []
  let isNew = false
  const part = work.agent.sections?.find(path, work.session.id)
  if (work.agent.sections !== undefined && part === undefined) return undefined
  const update = await readThroughFile(work, path, cursor, (file, known) =>
    readAppended({
      format: work.agent.transcript,
      cutter: work.agent.pieces,
      path: file,
      cursor: known,
      redact: async (text) => (await work.recorder.redaction()).json(text),
      store: (blob) => {
        isNew = true
        blobs.push(blob)
      },
      // Git compresses it while we read what it says.
      stored: async () => await work.storeEarly?.(blobs),
      objects: work.objects,
      sampleOid: like,
      metadata: work.session.metadata,
      part,
      // A session that was recorded from its middle on: what came before the first turn we saw is stored, not counted.
      ignoreBefore:
        known === undefined ? (readTurnStart(work.recorder.repo, work.session.id)?.bytes ?? 0) : 0,
    }),
  )
  return update && { ...describe(work, path, update), isNew, blobs }
}

function describe(
  work: TranscriptWork,
  path: string,
  read: TranscriptUpdate,
): Omit<TurnTranscript, 'isNew' | 'blobs'> {
  const { update, growth = noTokens } = countTotals(work, path, read)
  const { reading, cursor, restarted } = update
  const parts = reading.subagents.flatMap((id) => readSubagent(work.agent, path, id) ?? [])
  const subagents = parts.map((part) => part.tokens).reduce(addTokens, noTokens)
  return {
    files: [...reading.files, ...parts.flatMap((part) => part.files)],
    prompts: reading.prompts,
    summary: reading.summary ?? '',
    tokens: hasTokens(subagents) ? addTokens(reading.tokens, { ...noTokens, subagents }) : reading.tokens,
    growth,
    model: reading.model,
    lastId: reading.lastId,
    cursor,
    restarted,
  }
}

const maxSubagentBytes = 64 * 1024 * 1024

function readSubagent(agent: Agent, mainTranscript: string, id: string) {
  const path = agent.subagents?.transcriptPath(mainTranscript, id)
  const size = path === undefined ? undefined : fileSize(path)
  if (path === undefined || size === undefined || size > maxSubagentBytes) return undefined
  return agent.transcript.readLines(readFileSync(path, 'utf8').trimEnd().split('\n'), undefined)
}

// Usage that an agent keeps as a running total in a file beside its transcript: only what exceeds what was counted is new.

const maxBytes = 4 * 1024 * 1024

type Totals = Pick<TranscriptReading, 'tokens' | 'model'>

/** Undefined for agents that keep none, and while there are none. */
export function readTotals(
  { transcript: { totals } }: Agent,
  transcript: string | undefined,
): Totals | undefined {
  if (totals === undefined || transcript === undefined) return undefined
  const path = totals.path(transcript)
  return (fileSize(path) ?? maxBytes) < maxBytes ? totals.parse(readText(path) ?? '') : undefined
}

/** What the total grew by, and the update that remembers it. Nothing for agents without totals. */
export function countTotals(
  { recorder, agent, session }: Pick<EventWork, 'recorder' | 'agent' | 'session'>,
  path: string,
  { cursor, reading, restarted }: TranscriptUpdate,
): { update: TranscriptUpdate; growth?: TokenUsage } {
  const totals = readTotals(agent, path)
  if (totals === undefined) return { update: { cursor, reading, restarted } }
  // Before the first look nothing was counted, and what came before the turn does not count.
  const counted =
    parseTokenRecord(session.cursor?.carry?.totals) ??
    session.tokens ??
    readTurnStart(recorder.repo, session.id)?.totals ??
    noTokens
  return {
    update: {
      cursor: { ...cursor, carry: { ...cursor.carry, totals: formatTokenRecord(totals.tokens) } },
      reading: { ...totals, ...reading },
      restarted,
    },
    growth: subtractTokens(totals.tokens, hasShrunk(totals.tokens, counted) ? noTokens : counted),
  }
}

// Another file by the same name: one that was restored, or that the agent began anew.
function hasShrunk(total: TokenUsage, counted: TokenUsage): boolean {
  return total.input < counted.input || total.output < counted.output || total.cacheRead < counted.cacheRead
}

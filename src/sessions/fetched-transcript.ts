// Reads transcripts that an agent hands over on request: puts them into a temporary file, so that the same
// code stores them, and asks the agent what they mean.

import { closeSync, readSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import type { AppendedPart, TranscriptUpdate } from '../checkpoints/transcript-store.ts'
import type { TranscriptAnalyser, TranscriptAnalysis } from '../model/agent.ts'
import type { RecordingStart, TranscriptCursor } from '../model/session.ts'
import type { ProjectContext } from '../model/session-file.ts'
import { noTokens } from '../model/tokens.ts'
import { fileSize, findStat, openRegular, readBytes, readText, removeFile, writeAtomic } from '../std/file.ts'
import { asObject, parseJson } from '../std/json.ts'
import type { EventWork, Recorder } from './event-work.ts'
import { temporaryDir } from './places.ts'
import { readTurnStart } from './turn-start-state.ts'

/**
 * The hook before a commit, which saves no state, keeps what a plugin said, and the hook after it takes it: asking again
 * would cost as many processes.
 */
export type HandOver = 'take' | { keepWith: Recorder['redaction'] }

type Reading = Pick<EventWork, 'recorder' | 'agent' | 'session'> & { handOver?: HandOver }

function placeOf({ repo, env }: Reading['recorder']): ProjectContext {
  return { root: repo.root, env }
}

/** The name of the session's transcript: from its events, else from the agent. */
export async function findTranscriptReference({
  agent,
  session,
  recorder,
}: Reading): Promise<string | undefined> {
  if (session.transcriptPath !== undefined || agent.source === undefined) return session.transcriptPath
  const reference = await agent.source.locate(session.id, placeOf(recorder))
  if (reference !== undefined) session.transcriptPath = reference
  return reference
}

/** A part of a transcript that only its agent may be able to parse. */
export interface UnparsedPart {
  parse(): TranscriptUpdate | Promise<TranscriptUpdate>
}

/** The cursor keeps the agent's name for the transcript, because the file is another one every time. */
export async function readThroughFile(
  work: Reading,
  reference: string,
  cursor: TranscriptCursor | undefined,
  read: (path: string, cursor: TranscriptCursor | undefined) => Promise<AppendedPart | undefined>,
): Promise<UnparsedPart | undefined> {
  const { agent, recorder } = work
  if (agent.source === undefined) return await read(reference, cursor)
  const stamp = agent.source.isFile ? stampOf(reference) : undefined
  if (stamp !== undefined && cursor?.path === reference && cursor.carry?.stamp === stamp)
    return { parse: () => unchanged(cursor) }
  const fetched = await agent.source.fetch(reference, placeOf(recorder))
  // Named like any half-written file, so that `sweep` removes what a killed process leaves.
  const name = `transcript-${recorder.random(4)}.txt.${process.pid}.tmp`
  const path = 'file' in fetched ? fetched.file : join(temporaryDir(recorder.repo), name)
  try {
    if ('bytes' in fetched) writeAtomic(path, fetched.bytes)
    const part = await read(
      path,
      cursor && { ...cursor, path: cursor.path === reference ? path : cursor.path },
    )
    if (part === undefined) return undefined
    const bytes = 'bytes' in fetched ? fetched.bytes : (readBytes(path) ?? Buffer.alloc(0))
    return {
      parse: async () => {
        const update = part.parse()
        const read = await analyse(work, { ...update, cursor: { ...update.cursor, path: reference } }, bytes)
        return stamp === undefined
          ? read
          : withStamp(read, readBytes(reference)?.equals(bytes) ? stamp : null)
      },
    }
  } finally {
    if ('bytes' in fetched) removeFile(path)
  }
}

// It is replaced, or grows, when something is said.
function stampOf(reference: string): string | undefined {
  const stat = isAbsolute(reference) ? findStat(reference) : undefined
  return stat?.isFile() ? `${stat.ino}:${stat.size}:${stat.mtimeMs}` : undefined
}

function unchanged(cursor: TranscriptCursor): TranscriptUpdate {
  const reading = { items: 0, files: [], prompts: [], tokens: noTokens, subagents: [] }
  return { cursor, reading, restarted: false, isUncertain: false }
}

// A plugin may read its transcript from elsewhere, and only name a file: then there is nothing to compare.
function withStamp({ cursor, ...update }: TranscriptUpdate, stamp: string | null): TranscriptUpdate {
  return { ...update, cursor: { ...cursor, carry: { ...cursor.carry, stamp } } }
}

// What came before the first recorded turn does not count.
async function analyse(work: Reading, update: TranscriptUpdate, bytes: Buffer): Promise<TranscriptUpdate> {
  const { agent, session } = work
  if (agent.analyser === undefined) return update
  const { carry, isUncertain, ...found } = await readAnalysis(work, agent.analyser, {
    reference: update.cursor.path,
    session: session.id,
    start: recordingStart(work).position,
    carry: session.cursor?.carry,
    bytes,
  })
  return {
    cursor: { ...update.cursor, carry },
    reading: { ...update.reading, ...found },
    restarted: update.restarted,
    isUncertain,
  }
}

type AnalysisRequest = Parameters<TranscriptAnalyser['read']>[0]

async function readAnalysis(
  { recorder, handOver }: Reading,
  analyser: TranscriptAnalyser,
  request: AnalysisRequest,
): Promise<TranscriptAnalysis> {
  if (handOver === undefined) return await analyser.read(request)
  const file = join(temporaryDir(recorder.repo), `analysis-${request.session}.json`)
  const key = keyOf(request)
  const kept = asObject(parseJson(readText(file) ?? ''))
  if (kept !== undefined && handOver === 'take') removeFile(file)
  if (kept?.key === key) return kept.analysis as unknown as TranscriptAnalysis
  const analysis = await analyser.read(request)
  if (handOver !== 'take' && analysis.carry !== request.carry) {
    const redaction = await handOver.keepWith()
    const { prompts, summary } = analysis
    const told = {
      prompts: prompts.map((prompt) => redaction.text(prompt)),
      summary: redaction.text(summary ?? ''),
    }
    writeAtomic(file, JSON.stringify({ key, analysis: { ...analysis, ...told } }))
  }
  return analysis
}

function keyOf({ bytes, ...request }: AnalysisRequest): string {
  return new Bun.CryptoHasher('sha1').update(JSON.stringify(request)).update(bytes).digest('hex')
}

/** Where the recording of the session began. States of other versions do not say it: their current turn does. */
export function recordingStart({ recorder, session }: Pick<Reading, 'recorder' | 'session'>): RecordingStart {
  return session.recordedFrom ?? readTurnStart(recorder.repo, session.id) ?? { bytes: 0, position: 0 }
}

/**
 * Where a turn begins. `offset` is the agent's own position; the agent is asked for it only at the first turn.
 */
export async function readTurnPosition({
  agent,
  session,
}: Reading): Promise<TranscriptPosition & { offset: number }> {
  const { transcriptPath: reference, cursor, recordedFrom } = session
  const isFile = agent.source === undefined || (reference !== undefined && isAbsolute(reference))
  const position = readPosition(isFile ? reference : undefined, cursor)
  if (agent.analyser === undefined || reference === undefined || (cursor ?? recordedFrom) !== undefined)
    return { ...position, offset: position.items }
  return { ...position, offset: await agent.analyser.position(reference) }
}

const blockBytes = 1024 * 1024

export interface TranscriptPosition {
  items: number
  bytes: number
}

/** The position at the end of a transcript. Counts only lines that the cursor has not seen. */
function readPosition(path: string | undefined, cursor: TranscriptCursor | undefined): TranscriptPosition {
  const size = path === undefined ? undefined : fileSize(path)
  if (path === undefined || size === undefined) return { items: 0, bytes: 0 }
  const known = cursor?.path === path && cursor.bytes <= size ? cursor : { items: 0, bytes: 0 }
  return { items: known.items + countNewlines(path, known.bytes), bytes: size }
}

function countNewlines(path: string, from: number): number {
  const fd = openRegular(path)
  try {
    const block = Buffer.alloc(blockBytes)
    let count = 0
    for (let at = from; ; ) {
      const length = readSync(fd, block, 0, blockBytes, at)
      if (length === 0) return count
      const bytes = block.subarray(0, length)
      for (let found = bytes.indexOf(10); found !== -1; found = bytes.indexOf(10, found + 1)) count += 1
      at += length
    }
  } finally {
    closeSync(fd)
  }
}

// Reads the conversation in a stored transcript, with the reader of its agent, and formats it.

import {
  isUnfetched,
  readTranscript,
  type StoredSession,
  type TranscriptJoiner,
} from '../../checkpoints/read.ts'
import type { ObjectReader } from '../../git/cat-file.ts'
import type { Agent, TranscriptEntry, TranscriptFormat } from '../../model/agent.ts'
import { EntireError } from '../../std/errors.ts'
import { given } from '../../std/given.ts'
import type { Cli } from '../context.ts'
import { clean, cleanLines, cut, paint, type Style } from '../render/text.ts'
import { write } from '../streams.ts'

export interface StoredConversation {
  entries: TranscriptEntry[]
  /** The first prompt since the previous checkpoint. */
  firstPrompt?: string
  /** Why there are no entries. */
  problem?: string
}

export type Scope = 'checkpoint' | 'full'

export async function readStoredConversation(
  objects: ObjectReader,
  session: StoredSession,
  scope: Scope,
): Promise<StoredConversation> {
  try {
    const transcript = await readTranscript(objects, session, await joinerOf(session))
    if (transcript === undefined) return { entries: [] }
    const told = await askForConversation(transcript, session, scope)
    return told ?? (await parseStoredConversation(transcript.toString('utf8'), session, scope))
  } catch (error) {
    // A missing chunk does not hide the rest of the checkpoint.
    if (isUnfetched(error)) return { entries: [], problem: '(the transcript could not be fetched)' }
    if (error instanceof EntireError && error.code === 'transcript-missing')
      return { entries: [], problem: '(transcript is incomplete)' }
    throw error
  }
}

/** By a plugin that understands its transcripts. Undefined when there is none, or it cannot. */
async function askForConversation(
  transcript: Buffer,
  { agent: type, session, transcriptStart }: StoredSession,
  scope: Scope,
): Promise<StoredConversation | undefined> {
  const { findAgentByType } = await import('../../agents/all.ts')
  const agent = type === undefined ? undefined : findAgentByType(type)
  const all = await agent?.readConversation?.(transcript, session)
  if (agent === undefined || all === undefined || all.length === 0) return undefined
  // The short form has no positions: what the beginning alone says is left out.
  const before = transcriptStart === 0 ? undefined : firstLines(agent, transcript, transcriptStart)
  const known = before && ((await agent.readConversation?.(before, session)) ?? [])
  const scoped = all.slice(known?.length ?? 0)
  const firstPrompt = scoped.find((entry) => entry.role === 'user')?.text
  return { entries: scope === 'full' ? all : scoped, ...given({ firstPrompt }) }
}

/** Undefined for a document, which cannot be cut. */
function firstLines({ transcript: format }: Agent, transcript: Buffer, count: number): Buffer | undefined {
  if (format.shape(transcript.subarray(0, 4096).toString('utf8')) !== 'lines') return undefined
  let end = 0
  for (let line = 0; line < count && end !== -1; line += 1) end = transcript.indexOf(10, end) + 1 || -1
  return end === -1 ? undefined : transcript.subarray(0, end)
}

async function parseStoredConversation(
  text: string,
  session: StoredSession,
  scope: Scope,
): Promise<StoredConversation> {
  const read = (await findReader(session.agent, text))?.transcript.readEntries
  if (read === undefined) return { entries: [], problem: `(no reader for ${session.agent})` }
  try {
    const scoped = read(text, session.transcriptStart)
    const firstPrompt = scoped.find((entry) => entry.role === 'user')?.text
    const entries = scope === 'full' && session.transcriptStart > 0 ? read(text, 0) : scoped
    return { entries, ...given({ firstPrompt }) }
  } catch {
    return { entries: [], problem: '(failed to parse transcript)' }
  }
}

// Data without an agent, or of the agent `Agent`, is read by the default agent, or by one that reads
// documents.
async function findReader(type: string | undefined, text: string): Promise<Agent | undefined> {
  const { defaultAgent, findAgentByType, agents } = await import('../../agents/all.ts')
  if (type !== undefined && type !== 'Agent') return findAgentByType(type)
  const reads = ({ transcript }: Agent) => canRead(transcript, text)
  return (
    [defaultAgent, ...agents.filter(({ transcript }) => transcript.shape(text) === 'document')].find(reads) ??
    defaultAgent
  )
}

function canRead(format: TranscriptFormat, text: string): boolean {
  try {
    return (format.readEntries?.(text, 0) ?? []).length > 0
  } catch {
    return false
  }
}

/** Joins the chunks of transcripts that their agent cuts in its own way; undefined for all other agents. */
export async function joinerOf({
  agent: type,
  session,
}: StoredSession): Promise<TranscriptJoiner | undefined> {
  const { findAgentByType } = await import('../../agents/all.ts')
  // Data without an agent is older than agents that cut their own chunks.
  if (type === undefined || type === 'Agent') return undefined
  const agent = findAgentByType(type)
  if (agent !== undefined) return agent.cutter
  return {
    async join(chunks) {
      const cause = `The transcript of session ${clean(session)} was cut by ${clean(type)}, which is unknown here`
      write(
        2,
        `[entire] ${cause}: its ${chunks.length} chunks are joined as they are and may differ from the original.\n`,
      )
      return undefined
    },
  }
}

const detailLength = 200

export function transcriptLines({ entries, problem }: StoredConversation, look: Look): string[] {
  if (problem !== undefined) return [`  ${clean(problem)}`]
  if (entries.length === 0) return ['  (none)']
  return entries.flatMap((entry, index) => [...(index > 0 ? [''] : []), ...entryLines(entry, look)])
}

function entryLines(entry: TranscriptEntry, { paint }: Look): string[] {
  if (entry.role === 'tool') {
    const detail = cut(entry.text, detailLength)
    return [`${paint('dim', '[Tool]')} ${clean(entry.name ?? '')}${detail === '' ? '' : `: ${detail}`}`]
  }
  const label = entry.role === 'user' ? paint('cyan', '[User]') : paint('green', '[Assistant]')
  const lines = cleanLines(entry.text.replaceAll('\t', '    ')).split('\n')
  const [first = '', ...rest] = lines.map((line) => line.trimEnd())
  return [`${label} ${first}`.trimEnd(), ...rest]
}

/** Width and colours of the output: those of the terminal, or unlimited and plain elsewhere. */
export interface Look {
  width: number
  paint(style: Style, text: string): string
}

export function lookOf(cli: Cli): Look {
  const isColoured = paint(cli, 'dim', '') !== ''
  return {
    width: cli.isTerminal ? cli.size().columns : Number.POSITIVE_INFINITY,
    paint: (style, text) => (isColoured && text !== '' ? paint(cli, style, text) : text),
  }
}

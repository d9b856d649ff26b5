// What was said in a session, read by the agent that wrote it down.
import { readTranscript, type StoredSession } from '../../checkpoints/read.ts'
import type { ObjectReader } from '../../git/cat-file.ts'
import type { Agent, TranscriptEntry, TranscriptFormat } from '../../model/agent.ts'
import { EntireError } from '../../std/errors.ts'
import { joinerOf } from './joiner.ts'

export interface Conversation {
  entries: TranscriptEntry[]
  /** The first prompt since the checkpoint before. */
  asked?: string
  /** Why there is nothing to read. */
  problem?: string
}

export type Scope = 'checkpoint' | 'full'

export async function readConversation(objects: ObjectReader, session: StoredSession, scope: Scope): Promise<Conversation> {
  try {
    const transcript = await readTranscript(objects, session, await joinerOf(session))
    return transcript === undefined ? { entries: [] } : await parseConversation(transcript.toString('utf8'), session, scope)
  } catch (error) {
    // A piece that is lost does not hide the rest of the checkpoint.
    if (error instanceof EntireError && error.code === 'transcript-missing') return { entries: [], problem: '(transcript is incomplete)' }
    throw error
  }
}

async function parseConversation(text: string, session: StoredSession, scope: Scope): Promise<Conversation> {
  const read = (await findReader(session.agent, text))?.transcript.readEntries
  if (read === undefined) return { entries: [], problem: `(no reader for ${session.agent})` }
  try {
    const scoped = read(text, session.transcriptStart)
    const asked = scoped.find((entry) => entry.role === 'user')?.text
    const entries = scope === 'full' && session.transcriptStart > 0 ? read(text, 0) : scoped
    return { entries, ...(asked === undefined ? {} : { asked }) }
  } catch {
    return { entries: [], problem: '(failed to parse transcript)' }
  }
}

// Data that does not say who wrote it, or just `Agent`, is of the default agent, or a document that somebody else can read.
async function findReader(type: string | undefined, text: string): Promise<Agent | undefined> {
  const { defaultAgent, findAgentByType, agents } = await import('../../agents/all.ts')
  if (type !== undefined && type !== 'Agent') return findAgentByType(type)
  const reads = ({ transcript }: Agent) => canRead(transcript, text)
  return [defaultAgent, ...agents.filter(({ transcript }) => transcript.shape(text) === 'document')].find(reads) ?? defaultAgent
}

function canRead(format: TranscriptFormat, text: string): boolean {
  try {
    return (format.readEntries?.(text, 0) ?? []).length > 0
  } catch {
    return false
  }
}

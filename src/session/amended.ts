// An amended commit keeps its checkpoint: what a session brings to it now comes on top of what it brought before.
import type { SessionPart } from '../checkpoints/condense.ts'
import { checkpointContext, joinPrompts, splitPrompts } from '../checkpoints/context.ts'
import { readSlots } from '../checkpoints/slots.ts'
import type { ObjectReader } from '../git/cat-file.ts'
import type { Attribution, SessionRecord } from '../model/checkpoint.ts'
import { addTokens } from '../model/tokens.ts'

/** Files of the sessions that the checkpoint has already. */
export async function readRecordedFiles(objects: ObjectReader, checkpoint: string): Promise<string[]> {
  return (await readSlots(objects, checkpoint)).sessions.flatMap(({ record }) => record.files)
}

export async function addToRecorded(objects: ObjectReader, part: SessionPart): Promise<SessionPart> {
  const { checkpoint, session } = part.record
  const { sessions } = await readSlots(objects, checkpoint)
  const before = sessions.find(({ record }) => record.session === session)
  if (before === undefined) return part
  const entry = before.files.find(({ name }) => name === 'prompt.txt')
  const file = entry && (await objects.contents(entry.oid))
  const prompts = joinWithout(splitPrompts(file?.content.toString('utf8') ?? ''), splitPrompts(part.prompts))
  return { ...part, record: addRecord(before.record, part.record), prompts: joinPrompts(prompts), context: checkpointContext(prompts) }
}

// Prompts are kept while work of theirs is uncommitted, and then come again.
function joinWithout(before: string[], now: string[]): string[] {
  return before.every((prompt, index) => prompt === now[index]) ? now : [...before, ...now]
}

function addRecord(before: SessionRecord, now: SessionRecord): SessionRecord {
  const tokens = before.tokens && now.tokens ? addTokens(before.tokens, now.tokens) : (now.tokens ?? before.tokens)
  const attribution =
    before.attribution && now.attribution ? addAttribution(before.attribution, now.attribution) : (now.attribution ?? before.attribution)
  return {
    ...before,
    ...now,
    createdAt: before.createdAt,
    steps: before.steps + now.steps,
    files: [...new Set([...before.files, ...now.files])].sort(),
    transcriptStart: Math.min(before.transcriptStart, now.transcriptStart),
    ...(tokens === undefined ? {} : { tokens }),
    ...(attribution === undefined ? {} : { attribution }),
  }
}

function addAttribution(before: Attribution, now: Attribution): Attribution {
  const add = (field: Exclude<keyof Attribution, 'calculatedAt'>) => before[field] + now[field]
  const byAgent = add('agentLines') + add('agentRemoved')
  const changed = add('totalLinesChanged')
  return {
    calculatedAt: now.calculatedAt,
    agentLines: add('agentLines'),
    agentRemoved: add('agentRemoved'),
    humanAdded: add('humanAdded'),
    humanModified: add('humanModified'),
    humanRemoved: add('humanRemoved'),
    totalCommitted: add('totalCommitted'),
    totalLinesChanged: changed,
    agentPercentage: changed > 0 ? (byAgent / changed) * 100 : 0,
  }
}

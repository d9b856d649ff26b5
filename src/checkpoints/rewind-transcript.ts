// What a step holds of its session besides files: the log so far, and what was asked.
import type { ObjectReader } from '../git/cat-file.ts'
import type { Oid } from '../git/oid.ts'
import { splitPrompts } from './context.ts'
import { sessionDir } from './layout.ts'
import { type Joiner, readTranscript } from './read.ts'

/** The log as the step has it; undefined when it has none, as one that carries files forward. */
export async function readStepTranscript(objects: ObjectReader, step: Oid, session: string, joiner?: Joiner): Promise<Buffer | undefined> {
  const dir = await objects.info(`${step}:${sessionDir(session)}`)
  if (dir === undefined) return undefined
  const record = { checkpoint: '', session, strategy: '', createdAt: '', steps: 0, files: [], transcriptStart: 0 }
  return readTranscript(objects, { ...record, dir: dir.oid }, joiner)
}

export async function readStepPrompts(objects: ObjectReader, step: Oid, session: string): Promise<string[]> {
  const file = await objects.contents(`${step}:${sessionDir(session)}/prompt.txt`)
  return splitPrompts(file?.content.toString('utf8') ?? '')
}

// The transcript as the last step has it, for a session whose live transcript is gone. Other versions stored it as it was said, so it is
// stripped and redacted here.
import { chunkBytes, chunkLines } from '../checkpoints/chunk.ts'
import type { SessionPart } from '../checkpoints/condense.ts'
import { checkpointContext, joinPrompts, splitPrompts } from '../checkpoints/context.ts'
import { digestOf, storeDocument } from '../checkpoints/cut-document.ts'
import { sessionDir } from '../checkpoints/layout.ts'
import { readTranscript } from '../checkpoints/read.ts'
import { stripLines } from '../checkpoints/strip-lines.ts'
import { blobOid, type Oid } from '../git/oid.ts'
import { changeText } from '../std/text-bytes.ts'
import type { Work } from './work.ts'

export async function fillFromStep(work: Work, step: Oid, part: SessionPart): Promise<SessionPart> {
  const dir = `${step}:${sessionDir(part.record.session)}`
  const redaction = await work.recorder.redaction()
  const file = await work.objects.contents(`${dir}/prompt.txt`)
  const prompts = splitPrompts(redaction.text(file?.content.toString('utf8') ?? ''))
  const spoken = part.prompts === '' ? { prompts: joinPrompts(prompts), context: checkpointContext(prompts) } : {}
  const tree = await work.objects.info(dir)
  const raw = tree && (await readTranscript(work.objects, { ...part.record, dir: tree.oid }, work.agent.pieces))
  if (raw === undefined) return { ...part, ...spoken }
  const isDocument = work.agent.transcript.shape(raw.subarray(0, 256).toString('utf8')) === 'document'
  const whole = await changeText(raw, (text) => redaction.json(stripLines(work.agent.transcript, text)))
  const store = (content: Buffer) => {
    const oid = blobOid(content, step)
    work.storeBlob({ oid, content })
    return { oid }
  }
  const chunks = isDocument
    ? (await storeDocument({ store: work.storeBlob, like: step, cutter: work.agent.pieces }, whole, undefined)).chunks
    : chunkLines(whole, chunkBytes).map(store)
  return { ...part, ...spoken, chunks, contentHash: digestOf(whole) }
}

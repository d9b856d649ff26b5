// The transcript as the last step has it, for a session whose live transcript is gone. Other versions stored it as it was said, so it is
// redacted here.
import { chunkBytes, chunkDocument, chunkLines, joinChunks } from '../checkpoints/chunk.ts'
import type { SessionPart } from '../checkpoints/condense.ts'
import { checkpointContext, joinPrompts, splitPrompts } from '../checkpoints/context.ts'
import { sessionDir } from '../checkpoints/layout.ts'
import { readTranscript } from '../checkpoints/read.ts'
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
  const raw = tree && (await readTranscript(work.objects, { ...part.record, dir: tree.oid }))
  if (raw === undefined) return { ...part, ...spoken }
  const cutUp = work.agent.transcript.shape(raw.subarray(0, 256).toString('utf8')) === 'document' ? chunkDocument : chunkLines
  const pieces = cutUp(await changeText(raw, redaction.json), chunkBytes)
  const chunks = pieces.map((content) => {
    const oid = blobOid(content, step)
    work.storeBlob({ oid, content })
    return { oid }
  })
  return { ...part, ...spoken, chunks, contentHash: new Bun.CryptoHasher('sha256').update(joinChunks(pieces)).digest('hex') }
}

// The stored transcript as it is: bytes, not text.
import { readTranscript } from '../../checkpoints/read.ts'
import type { ObjectReader } from '../../git/cat-file.ts'
import type { Repo } from '../../git/repo.ts'
import { EntireError } from '../../std/errors.ts'
import { write } from '../streams.ts'
import type { Target } from './find-target.ts'
import { joinerOf } from './joiner.ts'
import { readStepSession } from './step.ts'

export async function printTranscript(repo: Repo, objects: ObjectReader, target: Exclude<Target, { kind: 'commit' }>): Promise<void> {
  const session = target.kind === 'step' ? await readStepSession(repo, objects, target.step) : target.checkpoint.sessions.at(-1)
  const transcript = session && (await readTranscript(objects, session, await joinerOf(session)))
  const name = target.kind === 'step' ? target.step.oid.slice(0, 7) : target.checkpoint.checkpoint
  if (transcript === undefined)
    throw new EntireError('transcript-missing', `checkpoint ${name} has no transcript`, {
      hint: 'The agent had not written one when it was saved; prompts and files are there without --raw-transcript.',
    })
  write(1, transcript)
}

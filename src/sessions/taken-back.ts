// Takes back the turns that a person abandoned by rewinding within the agent: the transcript keeps them, and the next
// prompt follows the same entry as the first of them did. What such a turn spent still counts.

import { countableText, measurePrompt } from '../checkpoints/attribution.ts'
import { isInfrastructure } from '../checkpoints/layout.ts'
import type { ObjectReader } from '../git/cat-file.ts'
import type { Oid } from '../git/oid.ts'
import { type ChangedFile, changedFiles } from '../git/tree-diff.ts'
import type { Session, TurnNote } from '../model/session.ts'
import type { Recorder } from './event-work.ts'
import { readPromptFile, writePrompts } from './prompts.ts'
import type { TurnTranscript } from './transcript.ts'
import { findStateBefore } from './turn-changes.ts'
import { noteAsked, withoutPromptsOf } from './turn-notes.ts'

interface Rewindable {
  recorder: Recorder
  objects: ObjectReader
  session: Session
}

/** A turn whose work is still there stays, with its prompt: only the conversation was rewound. */
export async function takeBackAbandoned(work: Rewindable, transcript: TurnTranscript): Promise<void> {
  const { recorder, session } = work
  const redaction = await recorder.redaction()
  const abandoned = noteAsked(
    session,
    transcript.asked.map(({ prompt, ...entry }) => ({ ...entry, prompt: redaction.text(prompt) })),
  )
  const [first] = abandoned
  if (first === undefined) return
  const states = await Promise.all([stateBefore(work, first), stateBefore(work, session.turns.at(-1))])
  const [before, now] = states
  if (before === undefined || now === undefined) return
  const changes = await changedFiles(work.objects, `${before}^{tree}`, `${now}^{tree}`, isInfrastructure)
  const changed = new Set(changes.map(({ path }) => path))
  const restored = new Set(abandoned.flatMap(({ files }) => files).filter((path) => !changed.has(path)))
  for (const turn of abandoned) turn.files = turn.files.filter((path) => !restored.has(path))
  const gone = abandoned.filter(({ files }) => files.length === 0)
  if (gone.length === 0) return
  const prompts = readPromptFile(recorder.repo, session.id)
  writePrompts(recorder.repo, session.id, withoutPromptsOf(session, gone, prompts))
  session.turns = session.turns.filter((turn) => !gone.includes(turn))
  const left = new Set(session.turns.flatMap(({ files }) => files))
  session.filesTouched = session.filesTouched.filter((path) => !restored.has(path) || left.has(path))
  const kept = new Set(abandoned.flatMap(({ files }) => files))
  const edits = changes.filter(({ path }) => !kept.has(path))
  await measureAgain(work, first, edits)
}

function stateBefore({ objects, session }: Rewindable, turn: TurnNote | undefined): Promise<Oid | undefined> {
  return turn === undefined ? Promise.resolve(undefined) : findStateBefore(objects, session, turn)
}

// Lines are counted in files that people write; larger ones are generated.
const maxBytes = 1024 * 1024

/** What the agent restored, the person did not remove: what they changed lies between the states before both turns. */
async function measureAgain(
  { objects, session }: Rewindable,
  { number }: TurnNote,
  edits: ChangedFile[],
): Promise<void> {
  const read = async (oid: Oid | undefined) => {
    const info = oid === undefined ? undefined : await objects.info(oid)
    return info?.type === 'blob' && info.size <= maxBytes
      ? countableText((await objects.contents(info.oid))?.content)
      : ''
  }
  const files = edits.map(async ({ path, before, after }) => {
    const [reference, worktree] = await Promise.all([read(before), read(after)])
    return { path, reference, worktree, base: '' }
  })
  session.promptAttributions = session.promptAttributions.filter((prompt) => prompt.number <= number)
  session.pendingAttribution = measurePrompt(session.stepCount + 1, await Promise.all(files), false)
}

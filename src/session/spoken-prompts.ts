// What was asked since the last checkpoint. Prompts that no hook told of are taken from the transcript.
import { firstPromptText } from '../checkpoints/step-subject.ts'
import type { Session } from '../model/session.ts'
import { readPrePrompt } from './pre-prompt.ts'
import { appendPrompt, readPrompts } from './prompts.ts'
import type { Recorder, TurnTranscript, Work } from './work.ts'

/** Redacted. For whoever is about to store the transcript: what it brings is noted once the state is written. */
export async function spokenPrompts(
  recorder: Recorder,
  session: Session,
  transcript: TurnTranscript | undefined,
  afterwards: Work['afterwards'],
): Promise<string[]> {
  const { repo } = recorder
  const told = readPrompts(repo, session.id)
  if (transcript === undefined || transcript.prompts.length === 0) return told
  const isUntold = readPrePrompt(repo, session.id)?.opened === true
  if (told.length > 0 && !isUntold) return told
  const spoken = transcript.prompts.map((await recorder.redaction()).text)
  if (isUntold && !transcript.isNoted) {
    transcript.isNoted = true
    session.firstPrompt ??= firstPromptText(spoken[0] ?? '')
    session.lastPrompt = firstPromptText(spoken.at(-1) ?? '')
    afterwards.push(() => {
      for (const prompt of spoken) appendPrompt(repo, session.id, prompt)
    })
  }
  return [...told, ...spoken]
}

// The prompts since the last checkpoint, redacted, one file per session in the work tree's `.entire/metadata`.

import { join } from 'node:path'
import { sessionDir } from '../checkpoints/layout.ts'
import { joinPrompts, splitPrompts } from '../checkpoints/prompt-files.ts'
import { firstPromptText } from '../checkpoints/step-subject.ts'
import type { Repo } from '../git/repo.ts'
import type { Session } from '../model/session.ts'
import { readText, removeFile, writeAtomic } from '../std/file.ts'
import type { EventWork, Recorder } from './event-work.ts'
import type { TurnTranscript } from './transcript.ts'
import { readTurnStart } from './turn-start-state.ts'

export function readPromptFile(repo: Repo, session: string): string[] {
  return splitPrompts(readText(promptFile(repo, session)) ?? '')
}

export function appendPrompt(repo: Repo, session: string, redacted: string): void {
  writeAtomic(promptFile(repo, session), joinPrompts([...readPromptFile(repo, session), redacted]))
}

export function clearPrompts(repo: Repo, session: string): void {
  removeFile(promptFile(repo, session))
}

function promptFile(repo: Repo, session: string): string {
  return join(repo.root, sessionDir(session), 'prompt.txt')
}

// What was asked since the last checkpoint. Prompts that no hook told of are taken from the transcript.

/** Redacted. For whoever is about to store the transcript: what it brings is noted once the state is written. */
export async function promptsSinceCheckpoint(
  recorder: Recorder,
  session: Session,
  transcript: TurnTranscript | undefined,
  afterwards: EventWork['afterwards'],
): Promise<string[]> {
  const { repo } = recorder
  const told = readPromptFile(repo, session.id)
  if (transcript === undefined || transcript.prompts.length === 0) return told
  const isUntold = readTurnStart(repo, session.id)?.isProvisional === true
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

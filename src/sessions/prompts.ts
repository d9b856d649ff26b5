// Keeps the redacted prompts of a session since its last checkpoint, in a file below `.entire/metadata`.

import { join } from 'node:path'
import { sessionDir } from '../checkpoints/layout.ts'
import { joinPrompts, splitPrompts } from '../checkpoints/prompt-files.ts'
import { firstPromptText } from '../checkpoints/step-subject.ts'
import type { Repo } from '../git/repo.ts'
import type { Session } from '../model/session.ts'
import { readText, removeFile, writeAtomic } from '../std/file.ts'
import type { EventWork, Recorder } from './event-work.ts'
import { insideWorktree, temporaryDir } from './places.ts'
import type { TurnTranscript } from './transcript.ts'
import { readTurnStart } from './turn-start-state.ts'

export function readPromptFile(repo: Repo, session: string): string[] {
  return splitPrompts(readText(promptFile(repo, session)) ?? '')
}

export function appendPrompt(repo: Repo, session: string, redacted: string): void {
  writePrompts(repo, session, [...readPromptFile(repo, session), redacted])
}

export function writePrompts(repo: Repo, session: string, redacted: string[]): void {
  if (redacted.length === 0) clearPrompts(repo, session)
  else writeAtomic(promptFile(repo, session), joinPrompts(redacted))
}

export function clearPrompts(repo: Repo, session: string): void {
  removeFile(promptFile(repo, session))
}

export function promptFile(repo: Repo, session: string): string {
  const path = `${sessionDir(session)}/prompt.txt`
  // Where a link leads out of the work tree, the prompts are kept in the git directory.
  return insideWorktree(repo, path)[0] ?? join(temporaryDir(repo), `prompts-${session}.txt`)
}

/**
 * The redacted prompts since the last checkpoint. Those that no hook reported are taken from the transcript,
 * which the caller is about to store, and are noted once the state is written.
 */
export async function promptsSinceCheckpoint(
  recorder: Recorder,
  session: Session,
  transcript: TurnTranscript | undefined,
  afterwards: EventWork['afterwards'],
): Promise<string[]> {
  const { repo } = recorder
  const reported = readPromptFile(repo, session.id)
  if (transcript === undefined || transcript.prompts.length === 0) return reported
  const isUnreported = readTurnStart(repo, session.id)?.isProvisional === true
  if (reported.length > 0 && !isUnreported) return reported
  const spoken = transcript.prompts.map((await recorder.redaction()).text)
  if (isUnreported && !transcript.isNoted) {
    transcript.isNoted = true
    session.firstPrompt ??= firstPromptText(spoken[0] ?? '')
    session.lastPrompt = firstPromptText(spoken.at(-1) ?? '')
    afterwards.push(() => {
      for (const prompt of spoken) appendPrompt(repo, session.id, prompt)
    })
  }
  return [...reported, ...spoken]
}

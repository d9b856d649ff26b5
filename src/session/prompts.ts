// The prompts since the last checkpoint, redacted, one file per session in the work tree's `.entire/metadata`.
import { join } from 'node:path'
import { joinPrompts, splitPrompts } from '../checkpoints/context.ts'
import { sessionDir } from '../checkpoints/layout.ts'
import type { Repo } from '../git/repo.ts'
import { readText, removeFile, writeAtomic } from '../std/file.ts'

export function readPrompts(repo: Repo, session: string): string[] {
  return splitPrompts(readText(promptFile(repo, session)) ?? '')
}

export function appendPrompt(repo: Repo, session: string, redacted: string): void {
  writeAtomic(promptFile(repo, session), joinPrompts([...readPrompts(repo, session), redacted]))
}

export function clearPrompts(repo: Repo, session: string): void {
  removeFile(promptFile(repo, session))
}

function promptFile(repo: Repo, session: string): string {
  return join(repo.root, sessionDir(session), 'prompt.txt')
}

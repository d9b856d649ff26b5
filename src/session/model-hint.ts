// Some agents name their model only when a session starts, which makes no state: what they said waits beside the states for the first turn.
import { join } from 'node:path'
import { readText, removeFile, writeAtomic } from '../std/file.ts'
import { sessionsDir } from './store.ts'
import type { Work } from './work.ts'

type Repo = Work['recorder']['repo']

export function keepModelHint({ recorder: { repo }, event: { session, model } }: Work): void {
  if (model !== undefined) writeAtomic(hintFile(repo, session), model)
}

export function readModelHint(repo: Repo, session: string): string | undefined {
  return readText(hintFile(repo, session))?.trim() || undefined
}

/** From now on the state has it. */
export function removeModelHint(repo: Repo, session: string): void {
  removeFile(hintFile(repo, session))
}

function hintFile(repo: Repo, session: string): string {
  return join(sessionsDir(repo), `${session}.model`)
}

// Where the index of live sessions is: asked before anything that reads it is loaded.
import { join } from 'node:path'
import type { Repo } from '../git/repo.ts'
import { readText } from '../std/file.ts'
import { asObject, parseJson } from '../std/json.ts'

export function liveFile(repo: Repo): string {
  return join(repo.gitDir, 'entire-live.json')
}

/** Whether the index has any; one that is not there says nothing. */
export function listsSessions(repo: Repo): boolean {
  const index = asObject(parseJson(readText(liveFile(repo)) ?? ''))
  return Object.keys(asObject(index?.sessions) ?? {}).length > 0
}

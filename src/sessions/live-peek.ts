// Reads the index of live sessions as it is, for hooks that look at it before the code that checks it is
// loaded.

import { join } from 'node:path'
import type { Repo } from '../git/repo.ts'
import { readText } from '../std/file.ts'
import { asObject, asString, asStrings, type JsonObject, parseJson } from '../std/json.ts'
import { liveName } from './file-names.ts'

export function liveFile(repo: Repo): string {
  return join(repo.gitDir, liveName)
}

export interface LiveSession {
  active: boolean
  files: string[]
  /** Commit its shadow branch is rooted at. */
  base: string
}

/** The sessions in the index; none when there is no index. */
export function peekLive(repo: Repo): LiveSession[] {
  const index = asObject(parseJson(readText(liveFile(repo)) ?? ''))
  return Object.values(asObject(index?.sessions) ?? {}).map((entry) => parseLive(asObject(entry) ?? {}))
}

export function parseLive(entry: JsonObject): LiveSession {
  return { active: entry.active === true, files: asStrings(entry.files), base: asString(entry.base) ?? '' }
}

// All sessions there are. Only the lines that say which session it is are read closely.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isErrno } from '../../../std/errors.ts'
import { parseEntryLine, type SessionMeta } from './entry.ts'

export interface ListedSession extends SessionMeta {
  path: string
}

/** The newest first. Files that are no sessions are not there. */
export async function listSessions(dir: string): Promise<ListedSession[]> {
  const names = (await namesIn(dir)).filter((name) => name.endsWith('.jsonl'))
  const found: ListedSession[] = []
  for (const name of names) {
    const path = join(dir, name)
    const meta = lastMeta(await readFile(path, 'utf8').catch(() => ''))
    if (meta) found.push({ ...meta, path })
  }
  return found.sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt))
}

function lastMeta(text: string): SessionMeta | undefined {
  let last: SessionMeta | undefined
  for (const [line] of text.matchAll(/^.*"type"\s*:\s*"meta".*$/gm)) {
    const parsed = parseEntryLine(line)
    if (parsed && 'meta' in parsed) last = parsed.meta
  }
  return last
}

async function namesIn(dir: string): Promise<string[]> {
  try {
    return await readdir(dir)
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return []
    throw error
  }
}

// Sessions whose last hook failed, as the end of the log tells: something of them may be missing.
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import type { Repo } from '../../git/repo.ts'
import { fileSize } from '../../std/file.ts'
import { readRange } from '../../std/file-range.ts'
import { asObject, asString, parseJson } from '../../std/json.ts'

const tailBytes = 64 * 1024

export function readDegraded(repo: Repo): Set<string> {
  const degraded = new Set<string>()
  for (const line of readTail(join(repo.root, '.entire', 'logs', 'entire.log')).split('\n')) {
    const record = line.includes('"session_id"') ? asObject(parseJson(line)) : undefined
    const session = asString(record?.session_id)
    if (session === undefined) continue
    // A hook that succeeds makes good for the ones that failed: it saves what they did not.
    if (record?.level === 'ERROR') degraded.add(session)
    else if (record?.ms !== undefined) degraded.delete(session)
  }
  return degraded
}

function readTail(path: string): string {
  const size = fileSize(path) ?? 0
  if (size === 0) return ''
  try {
    const fd = openSync(path, 'r')
    try {
      return readRange(fd, Math.max(0, size - tailBytes), tailBytes).toString('utf8')
    } finally {
      closeSync(fd)
    }
  } catch {
    // A log that cannot be read says nothing.
    return ''
  }
}

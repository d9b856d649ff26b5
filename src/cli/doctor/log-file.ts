// The log, read from its end: it may be large, and people ask for what happened last.

import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import type { Repo } from '../../git/repo.ts'
import { isErrno } from '../../std/errors.ts'
import { fileSize, readRange } from '../../std/file.ts'
import { asNumber, asObject, asString, type JsonObject, parseJson } from '../../std/json.ts'

const blockBytes = 64 * 1024
// Nothing we write is longer; the rest of such a line is dropped, so that memory stays bounded.
const maxLineBytes = 1024 * 1024

export function logFile(repo: Repo): string {
  return join(repo.root, '.entire', 'logs', 'entire.log')
}

export interface LogLine {
  time: string
  level: string
  message: string
  component: string | undefined
  session: string | undefined
  ms: number | undefined
  phases: string | undefined
  /** All there is. */
  record: JsonObject
}

/** Undefined for what is no line of ours. */
export function parseLogLine(text: string): LogLine | undefined {
  const record = asObject(parseJson(text))
  const [time, level, message] = [asString(record?.time), asString(record?.level), asString(record?.msg)]
  if (record === undefined || time === undefined || level === undefined || message === undefined)
    return undefined
  return {
    time,
    level,
    message,
    component: asString(record.component),
    session: asString(record.session_id),
    ms: asNumber(record.ms),
    phases: asString(record.phases),
    record,
  }
}

/** Newest first, through the current file and the one before it. */
export function readLogBackwards(repo: Repo): Generator<string> {
  return readFilesBackwards(logFile(repo))
}

/** The same of any log that is kept in this way. */
export function* readFilesBackwards(log: string): Generator<string> {
  for (const path of [log, `${log}.1`]) yield* readLinesBackwards(path)
}

function* readLinesBackwards(path: string): Generator<string> {
  const size = fileSize(path) ?? 0
  const fd = size === 0 ? undefined : open(path)
  if (fd === undefined) return
  try {
    let rest = Buffer.alloc(0)
    for (let end = size; end > 0; ) {
      const start = Math.max(0, end - blockBytes)
      const block = Buffer.concat([readRange(fd, start, end - start), rest.subarray(0, maxLineBytes)])
      end = start
      const first = start === 0 ? 0 : block.indexOf(10) + 1
      if (start > 0 && first === 0) {
        rest = block
        continue
      }
      rest = Buffer.from(block.subarray(0, Math.max(0, first - 1)))
      const lines = block.toString('utf8', first).split('\n')
      for (const line of lines.reverse()) if (line !== '') yield line
    }
  } finally {
    closeSync(fd)
  }
}

function open(path: string): number | undefined {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'EACCES', 'EPERM')) return undefined
    throw error
  }
}

// Reads the log backwards, because it may be large and its last lines matter most, and follows it.

import { closeSync } from 'node:fs'
import type { Repo } from '../../git/repo.ts'
import { logFiles } from '../../sessions/places.ts'
import { isErrno } from '../../std/errors.ts'
import { fileSize, findStat, openRegular, readRange } from '../../std/file.ts'
import { asNumber, asObject, asString, type JsonObject, parseJson } from '../../std/json.ts'

const blockBytes = 64 * 1024
// Entire writes no longer lines; the rest of one is dropped, so that memory stays bounded.
const maxLineBytes = 1024 * 1024

export interface LogLine {
  time: string
  level: string
  message: string
  component: string | undefined
  session: string | undefined
  ms: number | undefined
  phases: string | undefined
  /** All fields of the line. */
  record: JsonObject
}

/** Undefined for a line that entire did not write. */
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

/** Newest line first, from the current file and the one before it. */
export function readLogBackwards(repo: Repo): Generator<string> {
  return readAllBackwards(logFiles(repo))
}

const dayMs = 24 * 60 * 60 * 1000

/** The errors of hooks during the last day, newest first, in the last `maxBytes` of the log. */
export function readHookErrors(
  repo: Repo,
  now: Date,
  maxBytes = Number.POSITIVE_INFINITY,
): { errors: LogLine[]; hasRecovered: boolean } {
  const errors: LogLine[] = []
  // A hook succeeded after the last failure.
  let hasRecovered = false
  let left = maxBytes
  for (const text of readLogBackwards(repo)) {
    left -= text.length
    if (left < 0) break
    const line = parseLogLine(text)
    if (line?.component !== 'hooks' && line?.component !== 'git-hooks') continue
    if (now.getTime() - Date.parse(line.time) > dayMs) break
    if (line.level === 'ERROR') errors.push(line)
    else if (errors.length === 0 && line.ms !== undefined) hasRecovered = true
  }
  return { errors, hasRecovered }
}

function* readAllBackwards(logs: string[]): Generator<string> {
  for (const log of logs) yield* readFilesBackwards(log)
}

/** Newest line first, from any log and the file it was rotated to. */
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
    return openRegular(path)
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'EACCES', 'EPERM')) return undefined
    throw error
  }
}

const pauseMs = 200
const followedBytes = 1024 * 1024

/** Polls the file, because not every file system reports changes. Runs until the process is stopped. */
export async function followLog(path: string, show: (line: string) => void): Promise<never> {
  const first = findStat(path)
  let position = first?.size ?? 0
  let inode = first?.ino
  let rest: Buffer = Buffer.alloc(0)
  for (;;) {
    await Bun.sleep(pauseMs)
    const stat = findStat(path)
    // A full log is renamed and a new one is created.
    if (stat?.ino !== inode || (stat?.size ?? 0) < position) {
      position = 0
      rest = Buffer.alloc(0)
      inode = stat?.ino
    }
    while (stat !== undefined && position < stat.size) {
      const block = readBlock(path, position)
      if (block.length === 0) break
      position += block.length
      const joined = Buffer.concat([rest, block])
      const end = joined.lastIndexOf(10) + 1
      for (const line of joined.toString('utf8', 0, end).split('\n')) if (line !== '') show(line)
      rest = joined.length - end > followedBytes ? Buffer.alloc(0) : Buffer.from(joined.subarray(end))
    }
  }
}

function readBlock(path: string, from: number): Buffer {
  const fd = openRegular(path)
  try {
    return readRange(fd, from, followedBytes)
  } finally {
    closeSync(fd)
  }
}

// Finds when the last entry of a transcript was written, which tells the newer of two copies.

import { closeSync, fstatSync, openSync } from 'node:fs'
import { EntireError, isErrno, messageOf } from '../std/errors.ts'
import { readRange } from '../std/file.ts'
import { asArray, asObject, asString, type Json, parseJson } from '../std/json.ts'
import { parseTime } from '../std/time.ts'

const newline = 0x0a

// Most logs have a time in their last entries; from a log without one, more is read.
const firstWindow = 256 * 1024

/** The time of the last entry of a log that has one; undefined when there is no file, or no time in it. */
export function readLastTime(path: string): Date | undefined {
  const fd = openIfThere(path)
  if (fd === undefined) return undefined
  try {
    const stat = fstatSync(fd)
    const size = stat.isFile() ? stat.size : 0
    for (let window = firstWindow; ; window *= 8) {
      const from = Math.max(0, size - window)
      const time = lastTimeIn(readRange(fd, from, size - from))
      if (time !== undefined || from === 0) return time
    }
  } finally {
    closeSync(fd)
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return undefined
    if (!isErrno(error, 'EACCES', 'EPERM', 'ELOOP', 'EISDIR')) throw error
    throw new EntireError('write-failed', `The session log at ${path} cannot be read: ${messageOf(error)}.`, {
      hint: 'Nothing was changed. Make it readable or move it away, then run the command again.',
      cause: error,
    })
  }
}

/** The time of the last line that has one. */
export function lastTimeIn(bytes: Buffer): Date | undefined {
  for (let end = bytes.length; end > 0; ) {
    const start = bytes.lastIndexOf(newline, end - 1) + 1
    const time = timeOf(bytes.subarray(start, end))
    if (time !== undefined) return time
    end = start - 1
  }
  return undefined
}

function timeOf(line: Buffer): Date | undefined {
  if (!line.includes('"timestamp"')) return undefined
  const text = line.toString('utf8')
  const entry = asObject(parseJson(text))
  // A line of an indented document.
  if (entry === undefined) return parseTime(/^\s*"timestamp"\s*:\s*"([^"]+)",?\s*$/.exec(text)?.[1])
  const own = parseTime(asString(entry.timestamp))
  return (
    own ??
    asArray(entry.messages).reduceRight<Date | undefined>(
      (found, message) => found ?? timeOfMessage(message),
      undefined,
    )
  )
}

function timeOfMessage(message: Json): Date | undefined {
  return parseTime(asString(asObject(message)?.timestamp))
}

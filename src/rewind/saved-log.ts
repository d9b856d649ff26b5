// Session logs that were replaced: how they are told apart, and how the one from before is found again.

import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileSize, readBytes } from '../std/file.ts'
import { asNumber, asObject, asString, type Json } from '../std/json.ts'

export interface Fingerprint {
  bytes: number
  sha256: string
}

/** A log before and after it was replaced. What was replaced is kept beside it, and found again by its fingerprint. */
export interface SavedLog {
  session: string
  path: string
  before: Fingerprint | undefined
  after: Fingerprint
}

/** The same logs, seen from the other side. */
export function reversed(logs: SavedLog[]): SavedLog[] {
  return logs.flatMap(({ before, after, ...log }) =>
    before === undefined ? [] : [{ ...log, before: after, after: before }],
  )
}

export function asSavedLog(value: Json): SavedLog | undefined {
  const record = asObject(value)
  const [session, path, after] = [
    asString(record?.session),
    asString(record?.path),
    asFingerprint(record?.after),
  ]
  return session === undefined || path === undefined || after === undefined
    ? undefined
    : { session, path, before: asFingerprint(record?.before), after }
}

// Beside the log, or still the beginning of it.
export function findReplaced(path: string, live: Buffer, wanted: Fingerprint): Buffer | undefined {
  if (live.length >= wanted.bytes && matches(live.subarray(0, wanted.bytes), wanted))
    return live.subarray(0, wanted.bytes)
  const dir = dirname(path)
  const names = readdirSync(dir).filter((name) => name.startsWith(`${basename(path)}.backup-`))
  for (const name of names.sort().reverse()) {
    if (fileSize(join(dir, name)) !== wanted.bytes) continue
    const content = readBytes(join(dir, name))
    if (content !== undefined && matches(content, wanted)) return content
  }
  return undefined
}

export function fingerprint(content: Buffer): Fingerprint {
  return { bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') }
}

export function matches(content: Buffer, wanted: Fingerprint): boolean {
  return content.length === wanted.bytes && fingerprint(content).sha256 === wanted.sha256
}

function asFingerprint(value: Json | undefined): Fingerprint | undefined {
  const [bytes, sha256] = [asNumber(asObject(value)?.bytes), asString(asObject(value)?.sha256)]
  return bytes === undefined || sha256 === undefined ? undefined : { bytes, sha256 }
}

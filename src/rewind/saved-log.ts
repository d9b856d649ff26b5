// Records which session logs a rewind replaced, and restores them on undo. Fingerprints tell the versions of
// a log apart.

import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isActive } from '../model/session.ts'
import type { RestoredLog } from '../resume/restore-logs.ts'
import { deliverToAgent, writeLog } from '../resume/write-log.ts'
import type { Recorder } from '../sessions/event-work.ts'
import { readSession } from '../sessions/store.ts'
import { fileSize, readBytes } from '../std/file.ts'
import { asNumber, asObject, asString, type Json } from '../std/json.ts'

export interface Fingerprint {
  bytes: number
  sha256: string
}

/** A log before and after it was replaced. The earlier one is kept beside it as a backup. */
export interface SavedLog {
  session: string
  path: string
  before: Fingerprint | undefined
  after: Fingerprint
}

/** What an undo needs to restore the replaced logs. */
export function savedLogs(logs: RestoredLog[]): SavedLog[] {
  return logs.flatMap(({ session, path, backup }) => {
    const [before, after] = [backup === undefined ? undefined : readBytes(backup), readBytes(path)]
    return before === undefined || after === undefined
      ? []
      : [{ session, path, before: fingerprint(before), after: fingerprint(after) }]
  })
}

export interface UndoneLog {
  session: string
  path: string
  isRestored: boolean
}

/** Restores logs as they were before a rewind, except those that have changed since. */
export async function undoLogs(recorder: Recorder, logs: SavedLog[]): Promise<UndoneLog[]> {
  return (await Promise.all(logs.map((log) => undoLog(recorder, log)))).flat()
}

async function undoLog(recorder: Recorder, { session, path, before, after }: SavedLog): Promise<UndoneLog[]> {
  const state = readSession(recorder.repo, session)
  const agent = state && (await recorder.findAgentByType(state.agentType))
  await agent?.resume?.mirror?.(session, path, { root: recorder.repo.root, env: recorder.env })
  const live = readBytes(path)
  if (before === undefined || (live !== undefined && matches(live, before))) return []
  const isRunning = isActive(state ?? { phase: 'idle' })
  const isAsWritten = live !== undefined && matches(live, after)
  const replaced = isAsWritten && !isRunning ? findReplaced(path, live, before) : undefined
  if (replaced === undefined) return [{ session, path, isRestored: false }]
  const log = { session, path, root: recorder.repo.root, startedAt: state?.startedAt ?? '', bytes: replaced }
  if (agent?.resume?.mirror === undefined || (await deliverToAgent(recorder, agent, log)) === undefined) {
    const writing = writeLog(path, recorder.clock())
    writing.write(replaced)
    writing.finish()
  }
  return [{ session, path, isRestored: true }]
}

/** The log from before the rewind: a backup beside the log, or the beginning of the log itself. */
function findReplaced(path: string, live: Buffer, wanted: Fingerprint): Buffer | undefined {
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

function matches(content: Buffer, wanted: Fingerprint): boolean {
  return content.length === wanted.bytes && fingerprint(content).sha256 === wanted.sha256
}

export function fingerprint(content: Buffer): Fingerprint {
  return { bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') }
}

/** What an undo of the undo needs. */
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

function asFingerprint(value: Json | undefined): Fingerprint | undefined {
  const [bytes, sha256] = [asNumber(asObject(value)?.bytes), asString(asObject(value)?.sha256)]
  return bytes === undefined || sha256 === undefined ? undefined : { bytes, sha256 }
}

// Maps what names commits and chunks to what takes their place: the records of safety steps and of the trash,
// and the states of sessions.

import type { Oid } from '../../git/oid.ts'
import type { HistoryRewriter } from '../../git/rewrite-history.ts'
import { asArray, asObject, asString, type JsonObject, parseJson } from '../../std/json.ts'
import { sha256Start } from '../../std/sha256.ts'

export const recordPath = '.entire/undo/record.json'

/** What takes the place of a commit; undefined when nothing does. */
export function placeOf(rewriter: HistoryRewriter, oid: Oid): Oid | undefined {
  const commits = rewriter.commits.get(oid)
  return commits === undefined ? oid : commits[0]
}

// The record of a safety step names the tips of the shadow branch, and the sessions of then.
export function mapRecord(
  path: string,
  content: Buffer | undefined,
  rewriter: HistoryRewriter,
  session?: string,
): Buffer | undefined {
  const record = path === recordPath ? asObject(parseJson(content?.toString('utf8') ?? '')) : undefined
  if (record === undefined) return undefined
  const { shadow, ...rest } = record
  const change = asObject(shadow)
  const [before, after] = ['before', 'after'].map((key) => placeOf(rewriter, asString(change?.[key]) ?? ''))
  const isOther = (value: unknown, key: string) =>
    asString(asObject(asObject(value)?.[key] ?? value)?.session_id) !== session
  const mapped = {
    ...rest,
    ...(change === undefined || before === undefined || after === undefined
      ? {}
      : { shadow: { ...change, before, after } }),
    sessions: asArray(record.sessions)
      .filter((saved) => session === undefined || isOther(saved, 'state'))
      .map((saved) => mapSaved(saved, rewriter)),
    logs: asArray(record.logs).filter(
      (log) => session === undefined || asString(asObject(log)?.session) !== session,
    ),
  }
  const text = JSON.stringify(mapped)
  return text === content?.toString('utf8') ? undefined : Buffer.from(text)
}

function mapSaved(saved: unknown, rewriter: HistoryRewriter): JsonObject {
  const record = asObject(saved) ?? {}
  const state = asObject(record.state)
  return state === undefined ? record : { ...record, state: mapState(state, rewriter) }
}

// The trash lists the branches it keeps in its message.
export function mapMessage(text: string, rewriter: HistoryRewriter, session?: string): string {
  const end = text.indexOf('\n\n') + 2
  if (!text.startsWith('Removed by entire ', end)) return text
  const start = text.indexOf('\n\n', end) + 2
  const record = asObject(parseJson(Buffer.from(text.slice(start), 'latin1').toString('utf8')))
  if (record === undefined) return text
  const mapped = {
    ...record,
    branches: asArray(record.branches).flatMap((branch) => {
      const oid = placeOf(rewriter, asString(asObject(branch)?.oid) ?? '')
      return oid === undefined ? [] : [{ ...asObject(branch), oid }]
    }),
    files: asArray(record.files).filter(
      (file) => session === undefined || !(asString(asObject(file)?.name) ?? '').includes(session),
    ),
  }
  return `${text.slice(0, start)}${Buffer.from(`${JSON.stringify(mapped)}\n`).toString('latin1')}`
}

/** The state of a session: its chunks are the new ones, or it reads its transcript again. */
export function mapState(state: JsonObject, rewriter: HistoryRewriter): JsonObject {
  const cursor = asObject(state.transcript_cursor)
  const chunks = asArray(cursor?.chunks).map((chunk): JsonObject => asObject(chunk) ?? {})
  const oids = chunks.map((chunk) => asString(chunk.oid) ?? '')
  if (!oids.some((oid) => rewriter.changed.has(oid) || rewriter.dropped.has(oid))) return state
  const { transcript_cursor: _, ...rest } = state
  if (oids.some((oid) => rewriter.dropped.has(oid))) return rest
  const { digest: _digest, ...kept } = cursor ?? {}
  const mapped = chunks.map((chunk, at) => {
    const oid = rewriter.changed.get(oids[at] as Oid)
    return oid === undefined ? chunk : { ...chunk, oid, bytes: rewriter.sizeOf(oid) ?? 0 }
  })
  return { ...state, transcript_cursor: { ...kept, chunks: mapped, hash: sha256Start(), hashed: 0 } }
}

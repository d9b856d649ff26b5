// One line of a session file. The first lines say what session it is; every other one hangs on the one that was last when it was written.
import { asNumber, asObject, asString, type Json, parseJson } from '../../../std/json.ts'

export interface Entry {
  id: string
  parentId: string | undefined
  type: string
  timestamp: string
  data: Json
  tokensBefore?: number
}

export interface SessionMeta {
  id: string
  cwd: string
  model?: string
  createdAt: string
  title?: string
  /** The session of which this one is a copy, and how many messages were copied. */
  parentId?: string
  forkPoint?: number
}

export type Line = { meta: SessionMeta } | { entry: Omit<Entry, 'id'> & { id: string | undefined } }

/** Types of entries that mean something to programs; all others are somebody's own. */
export const ownTypes = ['meta', 'user', 'assistant', 'tool_result', 'compact', 'branch_summary', 'custom_message', 'label'] as const

/** Undefined for a line that cannot be read. */
export function parseEntryLine(text: string): Line | undefined {
  const line = asObject(parseJson(text))
  const type = asString(line?.type)
  if (!line || !type) return undefined
  if (type === 'meta') {
    const meta = parseMeta(line.data)
    return meta && { meta }
  }
  const tokensBefore = asNumber(line.tokensBefore)
  return {
    entry: {
      id: asString(line.id) || undefined,
      parentId: asString(line.parentId) || undefined,
      type,
      timestamp: asString(line.ts) ?? '',
      data: line.data ?? null,
      ...(tokensBefore ? { tokensBefore } : {}),
    },
  }
}

function parseMeta(data: Json | undefined): SessionMeta | undefined {
  const fields = asObject(data)
  const id = asString(fields?.id)
  if (!fields || !id) return undefined
  const [model, title, parentId, forkPoint] = [
    asString(fields.model),
    asString(fields.title),
    asString(fields.parentId),
    asNumber(fields.forkPoint),
  ]
  return {
    id,
    cwd: asString(fields.cwd) ?? '',
    ...(model ? { model } : {}),
    createdAt: asString(fields.createdAt) ?? '',
    ...(title ? { title } : {}),
    ...(parentId ? { parentId } : {}),
    ...(forkPoint ? { forkPoint } : {}),
  }
}

export function metaLine(meta: SessionMeta, at: Date): string {
  return `${JSON.stringify({ type: 'meta', ts: at.toISOString(), data: meta })}\n`
}

export function entryLine({ type, id, parentId, timestamp, data, tokensBefore }: Entry): string {
  return `${JSON.stringify({ type, id, ...(parentId ? { parentId } : {}), ts: timestamp, data, ...(tokensBefore ? { tokensBefore } : {}) })}\n`
}

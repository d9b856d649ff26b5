// Removes encrypted content from the lines of a rollout: the thoughts of the model, and what it keeps of a compacted
// conversation. Redaction would take it for a secret and leave a rollout that cannot be resumed; without it, Codex
// continues from the plain text.

import { asArray, asObject, type Json, type JsonObject, parseJson } from '../../std/json.ts'

const field = 'encrypted_content'
/** Items that may be without the field; Codex cannot read other items without it. */
const itemsWithout = new Set(['reasoning', 'context_compaction'])
const compactions = new Set(['compaction', 'compaction_summary', 'context_compaction'])

export function stripEncrypted(line: string): string {
  if (!line.includes(`"${field}"`)) return line
  const record = asObject(parseJson(line))
  if (record === undefined) return line
  const payload = asObject(record.payload)
  const kept =
    record.type === 'compacted' && payload ? { ...record, payload: withoutCompactions(payload) } : record
  return JSON.stringify(withoutEncrypted(kept))
}

/** Removes items that are nothing but encrypted content, because empty ones are refused; their metadata is in a second list. */
function withoutCompactions(payload: JsonObject): JsonObject {
  const history = payload.replacement_history
  if (!Array.isArray(history)) return payload
  const isKept = history.map(
    (item) => !(compactions.has(String(asObject(item)?.type)) && asObject(item)?.[field] !== undefined),
  )
  const metadata = payload.replacement_history_metadata
  return {
    ...payload,
    replacement_history: history.filter((_, at) => isKept[at]),
    ...(Array.isArray(metadata)
      ? { replacement_history_metadata: metadata.filter((_, at) => isKept[at] ?? true) }
      : {}),
  }
}

function withoutEncrypted(value: Json): Json {
  if (Array.isArray(value)) return asArray(value).map(withoutEncrypted)
  const object = asObject(value)
  if (object === undefined) return value
  const empty = itemsWithout.has(String(object.type)) ? null : ''
  return Object.fromEntries(
    Object.entries(object).map(([key, child]) => [
      key,
      isEncrypted(key, child) ? empty : withoutEncrypted(child),
    ]),
  )
}

function isEncrypted(key: string, value: Json): boolean {
  return key === field && typeof value === 'string'
}

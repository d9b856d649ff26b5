// What the model thought, and what it kept of a compacted conversation, is written in a cipher that only its maker can read. Redaction
// would take it for a secret and leave a rollout that cannot be continued; without it, Codex goes on from what is there in plain text.
import { asArray, asObject, type Json, type JsonObject, parseJson } from '../../std/json.ts'

const field = 'encrypted_content'
/** Here the field may be missing; elsewhere a line without it would not be read. */
const optional = new Set(['reasoning', 'context_compaction'])
const compactions = new Set(['compaction', 'compaction_summary', 'context_compaction'])

export function strip(line: string): string {
  if (!line.includes(`"${field}"`)) return line
  const record = asObject(parseJson(line))
  if (record === undefined) return line
  const payload = asObject(record.payload)
  const kept = record.type === 'compacted' && payload ? { ...record, payload: withoutCompactions(payload) } : record
  return JSON.stringify(blank(kept))
}

/** An item that is nothing but the cipher would be refused when it is sent again empty. What is told of the items lies beside them. */
function withoutCompactions(payload: JsonObject): JsonObject {
  const history = payload.replacement_history
  if (!Array.isArray(history)) return payload
  const isKept = history.map((item) => !(compactions.has(String(asObject(item)?.type)) && asObject(item)?.[field] !== undefined))
  const told = payload.replacement_history_metadata
  return {
    ...payload,
    replacement_history: history.filter((_, at) => isKept[at]),
    ...(Array.isArray(told) ? { replacement_history_metadata: told.filter((_, at) => isKept[at] ?? true) } : {}),
  }
}

function blank(value: Json): Json {
  if (Array.isArray(value)) return asArray(value).map(blank)
  const object = asObject(value)
  if (object === undefined) return value
  const empty = optional.has(String(object.type)) ? null : ''
  return Object.fromEntries(Object.entries(object).map(([key, child]) => [key, isCipher(key, child) ? empty : blank(child)]))
}

function isCipher(key: string, value: Json): boolean {
  return key === field && typeof value === 'string'
}

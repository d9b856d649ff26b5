// Tokens of a rollout. Each request to the model is recorded once by its id; the running total that is told besides, sometimes twice, is
// only used where older versions wrote nothing else.

import type { TokenUsage } from '../../model/tokens.ts'
import { given } from '../../std/given.ts'
import {
  asArray,
  asCount,
  asObject,
  asString,
  asStrings,
  type Json,
  type JsonObject,
  parseJson,
} from '../../std/json.ts'
import { asText } from '../shared/hook-table.ts'
import { type MessageTally, messageTally } from '../shared/message-tally.ts'

export interface UsageMeter extends Pick<MessageTally, 'tokens' | 'carry'> {
  record(payload: JsonObject, at: string): void
  total(info: JsonObject | undefined): void
}

const fields = ['input_tokens', 'cached_input_tokens', 'cache_write_input_tokens', 'output_tokens'] as const
type Counts = Record<(typeof fields)[number], number>

export function usageMeter(carry: JsonObject | undefined): UsageMeter {
  const tally = messageTally(carry)
  let hasRecords = carry?.records === true
  let last = carry?.total === undefined ? undefined : countsOf(asObject(carry.total))

  return {
    tokens: tally.tokens,
    record(payload, at) {
      hasRecords = true
      const id = asText(payload.response_id)
      if (id === undefined || tally.meet(id, at) !== 'old')
        tally.count(id, usageOf(countsOf(asObject(payload.usage))))
    },
    total(info) {
      const total = asObject(info?.total_token_usage)
      if (hasRecords || total === undefined) return
      const now = countsOf(total)
      // A thread that goes on from another one begins with the other's total.
      const before = last ?? subtract(now, countsOf(asObject(info?.last_token_usage)))
      last = now
      const more = usageOf(
        subtract(now, fields.some((field) => now[field] < before[field]) ? countsOf(undefined) : before),
      )
      if (more.input + more.cacheCreation + more.cacheRead + more.output > 0) tally.count(undefined, more)
    },
    carry: () => ({
      ...tally.carry(),
      ...(hasRecords ? { records: true } : {}),
      ...given({ total: last }),
    }),
  }
}

/** The input includes what came from the cache and what went into it; the output includes the reasoning. */
function usageOf(counts: Counts): TokenUsage {
  const cacheRead = counts.cached_input_tokens
  const cacheCreation = counts.cache_write_input_tokens
  return {
    input: Math.max(0, counts.input_tokens - cacheRead - cacheCreation),
    cacheCreation,
    cacheRead,
    output: counts.output_tokens,
    calls: 1,
  }
}

function countsOf(usage: JsonObject | undefined): Counts {
  return Object.fromEntries(fields.map((field) => [field, asCount(usage?.[field])])) as Counts
}

function subtract(a: Counts, b: Counts): Counts {
  return Object.fromEntries(fields.map((field) => [field, Math.max(0, a[field] - b[field])])) as Counts
}

// Which subagents of a thread finished. There are two generations: one tells their states under their ids, the other calls them by paths
// and tells what they do.

// A subagent that is sent on after it finished finishes again; its rollout must not be counted again.
const remembered = 64
const ends = new Set(['completed', 'errored', 'shutdown', 'interrupted'])

export interface SubagentWatch {
  readonly finished: string[]
  /** An item about subagents. */
  item(item: JsonObject): void
  /** A message in the user's name that tells how one ended. */
  notification(words: string): void
  /** A message that one agent sent to another. */
  message(author: string | undefined): void
  carry(): JsonObject
}

export function subagentWatch(carry: JsonObject | undefined): SubagentWatch {
  const known = asStrings(carry?.subagents)
  const paths = new Map(
    Object.entries(asObject(carry?.paths) ?? {}).map(([path, id]) => [path, asString(id) ?? '']),
  )
  const finished: string[] = []

  function finish(id: string | undefined): void {
    if (id === undefined || !/^[A-Za-z0-9_-]+$/.test(id) || known.includes(id)) return
    known.push(id)
    finished.push(id)
  }

  return {
    finished,
    item(item) {
      for (const [id, state] of Object.entries(asObject(item.agents_states) ?? {}))
        if (isOver(state)) finish(id)
      const id = asText(item.agent_thread_id)
      const path = asText(item.agent_path)
      if (item.type !== 'SubAgentActivity' || id === undefined) return
      if (path !== undefined) paths.set(path, id)
      if (isOver(item.kind)) finish(id)
    },
    notification(words) {
      const told = asObject(
        parseJson(/^\s*<subagent_notification>([\s\S]*)<\/subagent_notification>\s*$/.exec(words)?.[1] ?? ''),
      )
      const agent = asText(told?.agent_path)
      if (agent !== undefined && isOver(told?.status)) finish(paths.get(agent) ?? agent)
    },
    message: (author) => finish(paths.get(author ?? '')),
    carry: () => ({
      subagents: known.slice(-remembered),
      paths: Object.fromEntries([...paths].slice(-remembered)),
    }),
  }
}

/** A word, or an object whose only key is that word. */
function isOver(state: unknown): boolean {
  return typeof state === 'string'
    ? ends.has(state)
    : Object.keys(asObject(state) ?? {}).some((word) => ends.has(word))
}

// What the model thought, and what it kept of a compacted conversation, is written in a cipher that only its maker can read. Redaction
// would take it for a secret and leave a rollout that cannot be continued; without it, Codex goes on from what is there in plain text.

const field = 'encrypted_content'
/** Here the field may be missing; elsewhere a line without it would not be read. */
const optional = new Set(['reasoning', 'context_compaction'])
const compactions = new Set(['compaction', 'compaction_summary', 'context_compaction'])

export function strip(line: string): string {
  if (!line.includes(`"${field}"`)) return line
  const record = asObject(parseJson(line))
  if (record === undefined) return line
  const payload = asObject(record.payload)
  const kept =
    record.type === 'compacted' && payload ? { ...record, payload: withoutCompactions(payload) } : record
  return JSON.stringify(blank(kept))
}

/** An item that is nothing but the cipher would be refused when it is sent again empty. What is told of the items lies beside them. */
function withoutCompactions(payload: JsonObject): JsonObject {
  const history = payload.replacement_history
  if (!Array.isArray(history)) return payload
  const isKept = history.map(
    (item) => !(compactions.has(String(asObject(item)?.type)) && asObject(item)?.[field] !== undefined),
  )
  const told = payload.replacement_history_metadata
  return {
    ...payload,
    replacement_history: history.filter((_, at) => isKept[at]),
    ...(Array.isArray(told)
      ? { replacement_history_metadata: told.filter((_, at) => isKept[at] ?? true) }
      : {}),
  }
}

function blank(value: Json): Json {
  if (Array.isArray(value)) return asArray(value).map(blank)
  const object = asObject(value)
  if (object === undefined) return value
  const empty = optional.has(String(object.type)) ? null : ''
  return Object.fromEntries(
    Object.entries(object).map(([key, child]) => [key, isCipher(key, child) ? empty : blank(child)]),
  )
}

function isCipher(key: string, value: Json): boolean {
  return key === field && typeof value === 'string'
}

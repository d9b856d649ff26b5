// Counts the tokens of a rollout. Each request to the model is recorded once under its id; the running total,
// which is written as well and sometimes twice, is used only where older versions wrote nothing else.
import type { TokenUsage } from '../../model/tokens.ts'
import { given } from '../../std/given.ts'
import { asCount, asObject, asString, asStrings, type JsonObject, parseJson } from '../../std/json.ts'
import { asText } from '../shared/hook-table.ts'
import { type MessageTally, messageTally } from '../shared/message-tally.ts'

export interface UsageMeter extends Pick<MessageTally, 'tokens' | 'carry'> {
  /** A request to the model. */
  record(payload: JsonObject, at: string): void
  /** The running total. */
  total(info: JsonObject | undefined): void
}

const fields = ['input_tokens', 'cached_input_tokens', 'cache_write_input_tokens', 'output_tokens'] as const
type Counts = Record<(typeof fields)[number], number>

export function usageMeter(carry: JsonObject | undefined): UsageMeter {
  const tally = messageTally(carry)
  let hasRecords = carry?.records === true
  let lastTotal = carry?.total === undefined ? undefined : countsOf(asObject(carry.total))

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
      // A thread that continues another one begins with the total of the other.
      const before = lastTotal ?? subtract(now, countsOf(asObject(info?.last_token_usage)))
      lastTotal = now
      const more = usageOf(
        subtract(now, fields.some((field) => now[field] < before[field]) ? countsOf(undefined) : before),
      )
      if (more.input + more.cacheCreation + more.cacheRead + more.output > 0) tally.count(undefined, more)
    },
    carry: () => ({
      ...tally.carry(),
      ...(hasRecords ? { records: true } : {}),
      ...given({ total: lastTotal }),
    }),
  }
}

/** The input includes tokens read from and written to the cache; the output includes the reasoning. */
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

// A subagent that gets another task finishes again; its rollout must not be counted again.
const remembered = 64
const ends = new Set(['completed', 'errored', 'shutdown', 'interrupted'])

export interface FinishedSubagents {
  readonly finished: string[]
  /** An item about subagents. */
  item(item: JsonObject): void
  /** A message in the user's name that says how a subagent ended. */
  notification(text: string): void
  /** A message that one agent sent to another. */
  message(author: string | undefined): void
  carry(): JsonObject
}

export function finishedSubagents(carry: JsonObject | undefined): FinishedSubagents {
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
    notification(text) {
      const notice = asObject(
        parseJson(/^\s*<subagent_notification>([\s\S]*)<\/subagent_notification>\s*$/.exec(text)?.[1] ?? ''),
      )
      const agent = asText(notice?.agent_path)
      if (agent !== undefined && isOver(notice?.status)) finish(paths.get(agent) ?? agent)
    },
    message: (author) => finish(paths.get(author ?? '')),
    carry: () => ({
      subagents: known.slice(-remembered),
      paths: Object.fromEntries([...paths].slice(-remembered)),
    }),
  }
}

/** A state is a word, or an object whose only key is that word. */
function isOver(state: unknown): boolean {
  return typeof state === 'string'
    ? ends.has(state)
    : Object.keys(asObject(state) ?? {}).some((word) => ends.has(word))
}

// Counts the tokens of a Copilot CLI session. Every call of the model has a usage record (a receipt).
// Versions without receipts write the output of each message, and when the program ends the total since the
// session began.

import { addTokens, noTokens, type TokenUsage } from '../../model/tokens.ts'
import { given } from '../../std/given.ts'
import { asCount, asObject, type JsonObject } from '../../std/json.ts'
import { asText } from '../shared/hook-table.ts'

// The last receipt is remembered for this many sources; each subagent is a source.
const remembered = 64

export interface UsageCounter {
  read(event: JsonObject): void
  readonly tokens: TokenUsage
  carry(): JsonObject
}

export function usageCounter(carry: JsonObject | undefined): UsageCounter {
  let tokens = noTokens
  let session = asText(carry?.session)
  let hasReceipts = carry?.receipts === true
  // A fork begins with a copy of the session it continues: the tokens of that one are not counted again.
  let isCopy = carry?.copy === true
  let sequences = Object.entries(asObject(carry?.sequences) ?? {}).map(([source, last]): [string, number] => [
    source,
    asCount(last),
  ])
  // When the last call was counted. In a transcript that was cut short and has grown again, only later calls are new.
  let until = asText(carry?.until)
  const countedUntil = asText(carry?.countedUntil)
  const isCounted = (at: string | undefined) =>
    countedUntil !== undefined && at !== undefined && at <= countedUntil
  const advance = (at: string | undefined) => {
    if (at !== undefined && at > (until ?? '')) until = at
  }
  // What was counted without receipts.
  let counted = perField((field) => asCount(asObject(carry?.counted)?.[field]))

  function readReceipt(event: JsonObject): void {
    hasReceipts = true
    const usage = asObject(asObject(event.data)?.usage) ?? {}
    const accounting = asObject(usage.accounting)
    const source = asText(accounting?.sourceSessionId)
    const isSubagent = event.agentId !== undefined
    if (!isSubagent) isCopy = source !== undefined && session !== undefined && source !== session
    const at = asText(event.timestamp)
    const isNew = source === undefined || isNewReceipt(source, asCount(accounting?.sequence))
    if (isCopy || !isNew || isCounted(at)) return
    advance(at)
    const call = { ...parseUsage(usage), calls: 1 }
    tokens = addTokens(tokens, isSubagent ? { ...noTokens, subagents: call } : call)
  }

  /** Whether the receipt is new: its source numbers its receipts. */
  function isNewReceipt(source: string, sequence: number): boolean {
    const last = sequences.find(([known]) => known === source)?.[1] ?? 0
    if (sequence > 0 && sequence <= last) return false
    sequences = [
      ...sequences.filter(([known]) => known !== source),
      [source, sequence] satisfies [string, number],
    ].slice(-remembered)
    return true
  }

  function add(usage: TokenUsage): void {
    tokens = addTokens(tokens, usage)
    counted = addTokens(counted, usage)
  }

  const readers = new Map<unknown, (event: JsonObject) => void>(
    Object.entries({
      'session.start': ({ data }) => {
        session = asText(asObject(data)?.sessionId)
      },
      'session.usage_record': readReceipt,
      'assistant.message': ({ data }) => {
        const output = asCount(asObject(data)?.outputTokens)
        if (!hasReceipts && output > 0) add({ ...noTokens, output, calls: 1 })
      },
      'session.shutdown': ({ data }) => {
        if (!hasReceipts) add(growthOf(totalOf(asObject(asObject(data)?.modelMetrics) ?? {}), counted))
      },
      // The summary of a compaction is a call without a receipt.
      'session.compaction_complete': ({ data, timestamp }) => {
        const used = asObject(asObject(data)?.compactionTokensUsed)
        const at = asText(timestamp)
        if (!used || isCopy || isCounted(at)) return
        advance(at)
        tokens = addTokens(tokens, { ...parseUsage(used), calls: asCount(used.requestCount) || 1 })
      },
    } satisfies Record<string, (event: JsonObject) => void>),
  )

  return {
    read: (event) => readers.get(event.type)?.(event),
    get tokens() {
      return tokens
    },
    carry: () => ({
      ...given({ session }),
      ...(isCopy ? { copy: true } : {}),
      ...given({ until, countedUntil }),
      ...(hasReceipts
        ? { receipts: true, sequences: Object.fromEntries(sequences) }
        : { counted: Object.fromEntries(fields.map((field) => [field, counted[field]])) }),
    }),
  }
}

/**
 * For a transcript that was cut short: its receipts are numbered on from there, so that numbers come again. Undefined
 * without receipts, where nothing tells the calls apart.
 */
export function restartUsage({ sequences: _numbers, ...carry }: JsonObject): JsonObject | undefined {
  const until = asText(carry.until)
  return carry.receipts === true && until !== undefined ? { ...carry, countedUntil: until } : undefined
}

/** The input includes tokens read from and written to the cache; the output includes the reasoning. */
function parseUsage(usage: JsonObject): TokenUsage {
  const cacheRead = asCount(usage.cacheReadTokens)
  const cacheCreation = asCount(usage.cacheWriteTokens)
  const input = Math.max(0, asCount(usage.inputTokens) - cacheRead - cacheCreation)
  return { input, cacheCreation, cacheRead, output: asCount(usage.outputTokens), calls: 0 }
}

function totalOf(models: JsonObject): TokenUsage {
  return Object.values(models)
    .map((model) => {
      const calls = asCount(asObject(asObject(model)?.requests)?.count)
      return { ...parseUsage(asObject(asObject(model)?.usage) ?? {}), calls }
    })
    .reduce(addTokens, noTokens)
}

function growthOf(total: TokenUsage, known: TokenUsage): TokenUsage {
  return perField((field) => Math.max(0, total[field] - known[field]))
}

const fields = ['input', 'cacheCreation', 'cacheRead', 'output', 'calls'] as const

function perField(count: (field: (typeof fields)[number]) => number): TokenUsage {
  const [input = 0, cacheCreation = 0, cacheRead = 0, output = 0, calls = 0] = fields.map(count)
  return { input, cacheCreation, cacheRead, output, calls }
}

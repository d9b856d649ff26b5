// Counts the tokens of each message of a transcript once, although transcripts repeat a message on several
// lines and list old ones again after a resume. When a transcript is read in stretches, what the tally must
// remember is in the carry, which is bounded in size.
import type { TokenUsage } from '../../model/tokens.ts'
import { asArray, asNumber, asString, asStrings, type Json, type JsonObject } from '../../std/json.ts'

const remembered = 32
const countedFields = ['input', 'cacheCreation', 'cacheRead', 'output', 'calls'] as const

interface Entry {
  at: string
  usage: TokenUsage
  tools: number
}

export interface MessageTally {
  /** `old`: older than everything remembered, so it was counted and forgotten. */
  meet(id: string, at: string): 'new' | 'known' | 'old'
  /**
   * Adds what this usage has more than an earlier one of the same message. Without an id it is a new message.
   */
  count(id: string | undefined, usage: TokenUsage): void
  /**
   * Returns how many finished tool calls of the message were handled so far, and notes that now `tools` are.
   */
  advanceTools(id: string, tools: number): number
  readonly tokens: TokenUsage
  carry(): JsonObject
}

export function messageTally(carry: JsonObject | undefined): MessageTally {
  const entries = new Map<string, Entry>(asArray(carry?.messages).flatMap(parseEntry))
  let forgotten = asString(carry?.forgotten) ?? ''
  // Forgotten messages of exactly that time: only their ids distinguish them from new ones.
  let edge = asStrings(carry?.edge)
  const tokens = noTokens()

  function remember(id: string, at: string): void {
    if (entries.size >= remembered) forgetOldest()
    entries.set(id, { at, usage: noTokens(), tools: 0 })
  }

  function forgetOldest(): void {
    let [oldest, at] = ['', '\uffff']
    for (const [id, entry] of entries) {
      if (entry.at >= at) continue
      oldest = id
      at = entry.at
      // Without times the first one is the oldest.
      if (at === '') break
    }
    entries.delete(oldest)
    if (at === '' || at < forgotten) return
    edge = at === forgotten ? [...edge, oldest].slice(-remembered) : [oldest]
    forgotten = at
  }

  return {
    tokens,
    meet(id, at) {
      if (entries.has(id)) return 'known'
      if (at !== '' && (at < forgotten || edge.includes(id))) return 'old'
      remember(id, at)
      return 'new'
    },
    count(id, usage) {
      const counted = id === undefined ? noTokens() : entries.get(id)?.usage
      if (!counted) return
      for (const field of countedFields) {
        const more = Math.max(0, usage[field] - counted[field])
        counted[field] += more
        tokens[field] += more
      }
    },
    advanceTools(id, tools) {
      const entry = entries.get(id)
      const before = entry?.tools ?? tools
      if (entry) entry.tools = Math.max(entry.tools, tools)
      return before
    },
    carry: () => ({ forgotten, edge, messages: [...entries].map(([id, entry]) => formatEntry(id, entry)) }),
  }
}

// Changed in place, so every message needs its own.
function noTokens(): TokenUsage {
  return { input: 0, cacheCreation: 0, cacheRead: 0, output: 0, calls: 0 }
}

function formatEntry(id: string, entry: Entry): Json {
  return [id, entry.at, entry.tools, ...countedFields.map((field) => entry.usage[field])]
}

function parseEntry(value: Json): [string, Entry][] {
  const [id, at, tools, ...counts] = asArray(value)
  if (typeof id !== 'string') return []
  const [input = 0, cacheCreation = 0, cacheRead = 0, output = 0, calls = 0] = counts.map(
    (count) => asNumber(count) ?? 0,
  )
  return [
    [
      id,
      {
        at: asString(at) ?? '',
        tools: asNumber(tools) ?? 0,
        usage: { input, cacheCreation, cacheRead, output, calls },
      },
    ],
  ]
}

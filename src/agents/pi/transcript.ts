// Pi's session file: lines that grow at the end. They form a tree, since a conversation can go on from any point of its past.
import type { TranscriptFormat } from '../../model/agent.ts'
import { asArray, asObject, asString, type JsonObject, parseJson } from '../../std/json.ts'
import { given, text } from '../hook-table.ts'
import { messageTally } from '../message-tally.ts'
import { plainId } from '../task-id.ts'
import { readEntries } from './entries.ts'
import { type Gathered, gatherEntry } from './entry.ts'
import { stripThoughts } from './sealed-thoughts.ts'

// More calls than this are never under way at once.
const rememberedCalls = 64

export const piTranscript: TranscriptFormat = {
  shape: () => 'lines',

  readLines(lines, carry) {
    const tally = messageTally(asObject(carry?.tally))
    const gathered: Gathered = {
      prompts: [],
      files: new Set(),
      cwd: text(carry?.cwd),
      forkedAt: text(carry?.forkedAt),
      calls: new Map(parseCalls(carry)),
    }
    for (const line of lines) {
      const entry = parseEntry(line)
      if (entry) gatherEntry(entry, gathered, tally)
    }
    const { files, cwd, forkedAt, calls, delegated, ...rest } = gathered
    return {
      items: lines.length,
      ...rest,
      files: [...files],
      subagents: [],
      tokens: delegated === undefined ? tally.tokens : { ...tally.tokens, subagents: delegated },
      carry: { tally: tally.carry(), ...given({ cwd, forkedAt }), calls: [...calls].slice(-rememberedCalls) } as JsonObject,
    }
  },

  readEntries,

  strip: stripThoughts,

  toolResultId(lines, toolUse) {
    for (const line of lines.toReversed()) {
      const message = line.includes('"toolResult"') ? asObject(parseEntry(line)?.message) : undefined
      if (message?.role === 'toolResult' && plainId(text(message.toolCallId) ?? '') === toolUse) return text(parseEntry(line)?.id)
    }
    return undefined
  },

  // A parent always comes before its children, so what is left is whole, and Pi goes on from its last line.
  truncateAt(lines, id) {
    const at = lines.findIndex((line) => line.includes(id) && parseEntry(line)?.id === id)
    return at < 0 ? lines : lines.slice(0, at + 1)
  },
}

function parseEntry(line: string): JsonObject | undefined {
  return asObject(parseJson(line))
}

function parseCalls(carry: JsonObject | undefined): [string, string][] {
  return asArray(carry?.calls).flatMap((pair): [string, string][] => {
    const [call, file] = asArray(pair).map(asString)
    return call === undefined || file === undefined ? [] : [[call, file]]
  })
}

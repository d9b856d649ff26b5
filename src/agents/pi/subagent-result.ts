// Pi has no subagents; extensions do. The one that comes with Pi as an example puts their conversations into the result of its tool.
import { addTokens, noTokens, type TokenUsage } from '../../model/tokens.ts'
import { asArray, asNumber, asObject, type JsonObject } from '../../std/json.ts'
import { text } from '../hook-table.ts'
import { fileCalls } from './file-calls.ts'
import { countOf } from './spent.ts'

export interface Delegated {
  files: string[]
  tokens: TokenUsage
}

export function readDelegated(message: JsonObject): Delegated {
  if (message.toolName !== 'subagent') return { files: [], tokens: noTokens }
  const results = objectsIn(asObject(message.details)?.results)
  return { files: results.flatMap(filesOf), tokens: results.map(tokensOf).reduce(addTokens, noTokens) }
}

function tokensOf(result: JsonObject): TokenUsage {
  const usage = asObject(result.usage)
  return countOf(usage, asNumber(usage?.turns) ?? 0)
}

function filesOf(result: JsonObject): string[] {
  const messages = objectsIn(result.messages)
  const failed = new Set(messages.filter((message) => message.isError === true).map((message) => text(message.toolCallId)))
  return messages.flatMap((message) => [...fileCalls(message)].flatMap(([call, file]) => (failed.has(call) ? [] : file)))
}

function objectsIn(value: unknown): JsonObject[] {
  return asArray(value)
    .map(asObject)
    .filter((object) => object !== undefined)
}

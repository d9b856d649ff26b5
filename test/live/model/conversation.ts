// Defines the requests and answers of a model, independent of the wire protocol.
import type { JsonObject } from '../../../src/std/json.ts'

export interface Said {
  role: 'user' | 'model' | 'tool' | 'system'
  text: string
  /** Of the model: it called tools. */
  called: boolean
}

export interface Conversation {
  model: string
  said: Said[]
  /** Names of the tools the agent offers. */
  tools: string[]
}

export interface Call {
  tool: string
  args: JsonObject
  /** Where the agent groups its tools. */
  namespace?: string
}

/** What a reply is reported to have cost. The input includes cached tokens. */
export interface Cost {
  input: number
  cached: number
  output: number
}

export interface Reply {
  text: string
  calls: Call[]
  cost: Cost
  /** It was asked for something that is not in the script: a title, a summary. */
  isErrand: boolean
}

/** No two replies cost the same, so that a sum shows which of them were counted. */
export function costOf(number: number): Cost {
  return { input: 1000 + 17 * number, cached: 200 + number, output: 30 + number * number }
}

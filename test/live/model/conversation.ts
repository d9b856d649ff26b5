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
}

export interface Reply {
  text: string
  calls: Call[]
}

/**
 * The usage of every reply, so that a sum shows how many replies were counted. The input includes cached
 * tokens.
 */
export const cost = { input: 1000, cached: 200, output: 30 }

// Pieces of answers that providers make, each for whoever waits for that answer.
import type { Params } from '../protocol/extension.ts'
import { parseParams } from './serve-request.ts'

type Delta = Params<'provider/delta'>

export function deltaListeners() {
  const listeners = new Map<number, (delta: Delta) => void>()
  return {
    on(requestId: number, listener: (delta: Delta) => void): () => void {
      listeners.set(requestId, listener)
      return () => void listeners.delete(requestId)
    },
    /** Says what is wrong with it, if anything is. */
    hear(params: unknown): string | undefined {
      const parsed = parseParams('provider/delta', params)
      if ('problem' in parsed) return `provider/delta: ${parsed.problem}`
      const delta = parsed.value as Delta
      listeners.get(delta.requestId)?.(delta)
      return undefined
    },
  }
}

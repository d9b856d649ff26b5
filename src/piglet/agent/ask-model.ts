// Asks a model, and asks again after a failure that may be temporary.

import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../../std/errors.ts'
import type { AssistantChatMessage } from '../conversation/message.ts'
import { ModelFailure } from '../models/model.ts'

export interface Retries {
  /** The number of attempts in all. */
  attempts: number
  /** The pause before the second attempt; it doubles with each further one. */
  delayMs: number
  maxDelayMs: number
}

export const usualRetries: Retries = { attempts: 3, delayMs: 500, maxDelayMs: 5000 }

export interface Retry {
  attempt: number
  max: number
  delayMs: number
  error: string
}

export async function askModel(
  ask: () => Promise<AssistantChatMessage>,
  options: { retries: Retries; signal: AbortSignal; onRetry(retry: Retry): void },
): Promise<AssistantChatMessage> {
  const { attempts, delayMs, maxDelayMs } = options.retries
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask()
    } catch (error) {
      options.signal.throwIfAborted()
      const failure = error instanceof ModelFailure ? error : undefined
      if (attempt >= attempts || failure?.isFinal) throw error
      const pause = Math.min(failure?.retryAfterMs ?? delayMs * 2 ** (attempt - 1), maxDelayMs)
      options.onRetry({ attempt, max: attempts, delayMs: pause, error: messageOf(error) })
      await sleep(pause, undefined, { signal: options.signal }).catch(() => {})
      options.signal.throwIfAborted()
    }
  }
}

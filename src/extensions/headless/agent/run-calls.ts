// Runs the tools that a model called in one turn, several at once. Every call has a result, whatever happens to it.
import { interruptedText } from '../../coded-error.ts'
import type { ToolCall, ToolOutcome } from '../../offer.ts'
import { type CallPart, type ToolResultMessage, toolResult } from '../conversation/message.ts'
import type { Emit } from './emit.ts'

export type StepVerdict = 'run' | 'skip' | 'abort'

export interface CallParts {
  call(name: string, args: Record<string, unknown>, call: ToolCall): Promise<ToolOutcome>
  emit: Emit
  now(): string
  concurrency(): number
  /** Something for the model came in while tools run: what has not begun is left. */
  isSteered(): boolean
  /** Asked before every call, when the user wants to be. */
  gate?: ((call: CallPart) => Promise<StepVerdict>) | undefined
}

const failed = (text: string): ToolOutcome => ({ content: [{ type: 'text', text }], isError: true })
const cancelled = failed('tool execution cancelled')
const interrupted = failed(`${interruptedText} tool execution cancelled`)
const skipped = failed('Tool execution skipped by user')

export async function runCalls(calls: CallPart[], parts: CallParts, run: AbortController): Promise<ToolResultMessage[]> {
  const siblings = new AbortController()
  const signal = AbortSignal.any([run.signal, siblings.signal])
  const results: ToolResultMessage[] = []
  let next = 0

  async function runOne(call: CallPart): Promise<ToolOutcome> {
    const { emit } = parts
    if (signal.aborted) return run.signal.aborted ? interrupted : cancelled
    const verdict = parts.gate ? await parts.gate(call) : 'run'
    if (verdict === 'abort') run.abort(new Error('the user ended it'))
    if (verdict !== 'run') return verdict === 'skip' ? skipped : interrupted
    emit('EventToolStart', { ToolCallID: call.id, ToolName: call.name, Args: call.arguments })
    const outcome = await execute(call)
    emit('EventToolEnd', {
      ToolCallID: call.id,
      ToolName: call.name,
      Result: outcome.isError ? outcome.content : (outcome.details ?? null),
      IsError: outcome.isError,
    })
    // Errors with a code are news for the model; others mean that something is broken.
    if ((outcome.isError && outcome.errorCode === undefined) || (!outcome.isError && parts.isSteered()))
      siblings.abort(new Error('tool execution cancelled'))
    return outcome
  }

  async function execute(call: CallPart): Promise<ToolOutcome> {
    try {
      const outcome = await parts.call(call.name, call.arguments, { id: call.id, signal })
      return outcome.isError && run.signal.aborted ? interrupted : outcome
    } catch {
      return run.signal.aborted ? interrupted : cancelled
    }
  }

  async function work(): Promise<void> {
    for (let at = next++; at < calls.length; at = next++) {
      const call = calls[at] as CallPart
      results[at] = toolResult(call, await runOne(call), parts.now())
    }
  }
  await Promise.all(Array.from({ length: Math.min(Math.max(parts.concurrency(), 1), calls.length) }, work))
  return results
}

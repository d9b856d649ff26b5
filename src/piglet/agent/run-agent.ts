// Runs an agent: asks the model, runs the tools it calls, and repeats until the model calls none.

import type { ToolCall, ToolOutcome } from '../../extensions/registry.ts'
import { interruptedText } from '../../extensions/tool-calls.ts'
import type { EventData, EventName } from '../../protocol/extension/events.ts'
import { messageOf } from '../../std/errors.ts'
import type { Clock } from '../../std/time.ts'
import {
  type AssistantChatMessage,
  type CallPart,
  type ChatMessage,
  type ImagePart,
  isCall,
  messageText,
  newUserMessage,
  noUsage,
  type ToolResultChatMessage,
  toolResult,
} from '../conversation/message.ts'
import { newest, newestWithin, repair } from '../conversation/repair.ts'
import type { AnswerRequest, ChatModel, ToolSchema } from '../models/model.ts'
import { askModel, type Retries } from './ask-model.ts'

/** Tells what the agent does. */
export type Emit = <Name extends EventName>(type: Name, data: EventData<Name>) => void

export interface AgentParts extends Omit<CallParts, 'emit' | 'now' | 'isSteered'> {
  conversation: { messages(): ChatMessage[]; add(message: ChatMessage): Promise<void> }
  /** Model and tools are looked up for every turn, because they may change during a run. */
  model(): ChatModel
  tools(): ToolSchema[]
  system: string
  answer: AnswerRequest
  emit: Emit
  clock: Clock
  maxTokens: number
  /** 0: no limit. */
  maxTurns: number
  maxMessages: number
  retries: Retries
  /** What the user says during the run. */
  steering?: { isWaiting(): boolean; take(): string[] }
  afterTurn?(answer: AssistantChatMessage): void
}

export interface Prompt {
  text: string
  images: ImagePart[]
  /** For the first turn only. */
  injection: string
}

export interface RunOutcome {
  end: 'done' | 'aborted' | 'max-turns' | 'failed'
  /** The texts of all turns. */
  text: string
  turns: number
  usage: { input: number; output: number }
  error?: string
}

/** An event must fit into a line of the protocol. */
const maxEventBytes = 2 * 1024 * 1024

export async function runAgent(parts: AgentParts, prompt: Prompt, run: AbortController): Promise<RunOutcome> {
  const { conversation, emit, clock } = parts
  const outcome: RunOutcome = { end: 'done', text: '', turns: 0, usage: { input: 0, output: 0 } }
  const before = conversation.messages().length
  emit('EventAgentStart', {})
  if (before > 0) emit('EventSessionLoad', { MessageCount: before })
  emit('EventAgentInit', { ToolCount: parts.tools().length })
  emit('EventPromptBuild', { System: parts.system })
  emit('EventMessagePre', { Content: prompt.text })
  try {
    await conversation.add(newUserMessage(prompt.text, prompt.images, clock()))
    outcome.end = await runTurns(parts, prompt, run, outcome)
  } catch (error) {
    outcome.end = run.signal.aborted ? 'aborted' : 'failed'
    outcome.error = messageOf(run.signal.aborted ? run.signal.reason : error)
  }
  emit('EventAgentEnd', { Messages: newestWithin(conversation.messages(), maxEventBytes) })
  return outcome
}

async function runTurns(
  parts: AgentParts,
  prompt: Prompt,
  run: AbortController,
  outcome: RunOutcome,
): Promise<RunOutcome['end']> {
  const { conversation, emit, clock, steering, maxTurns } = parts
  for (;;) {
    const injection = outcome.turns === 0 ? prompt.injection : ''
    outcome.turns += 1
    emit('EventTurnStart', {})
    const answer = await nextAnswer(parts, injection, run.signal).catch((error: unknown) => {
      emit('EventTurnEnd', { Assistant: null, ToolResults: null })
      throw error
    })
    emit('EventStreamDone', { Message: answer })
    addToOutcome(outcome, answer)
    const calls = answer.content.filter(isCall)
    const toolParts = {
      ...parts,
      now: () => clock().toISOString(),
      isSteered: () => steering?.isWaiting() ?? false,
    }
    const results = calls.length === 0 ? [] : await runCalls(calls, toolParts, run)
    for (const result of results) await conversation.add(result)
    emit('EventTurnEnd', { Assistant: answer, ToolResults: results.length === 0 ? null : results })
    emit('EventTurnUsage', { turn: outcome.turns, usage: answer.usage, breakdown: {} })
    parts.afterTurn?.(answer)
    run.signal.throwIfAborted()
    const steeringTexts = steering?.take() ?? []
    for (const text of steeringTexts) await conversation.add(newUserMessage(text, [], clock()))
    if (calls.length === 0 && steeringTexts.length === 0) return 'done'
    if (maxTurns > 0 && outcome.turns >= maxTurns) {
      emit('EventMaxTurns', { Count: outcome.turns, Max: maxTurns })
      return 'max-turns'
    }
  }
}

/** Keeps what the model has said so far when the run is aborted. */
async function nextAnswer(
  parts: AgentParts,
  injection: string,
  signal: AbortSignal,
): Promise<AssistantChatMessage> {
  const { conversation, emit, clock } = parts
  const model = parts.model()
  const request = {
    model,
    system: injection === '' ? parts.system : `${parts.system}\n\n${injection}`,
    messages: newest(repair(conversation.messages()), parts.maxMessages),
    tools: parts.tools(),
    maxTokens: parts.maxTokens,
  }
  let partial = ''
  const ask = () => {
    partial = ''
    return parts.answer(request, {
      signal,
      onPiece({ kind, index, delta }) {
        if (kind === 'text') partial += delta
        emit('EventStreamDelta', { Kind: kind, Index: index, Delta: delta })
      },
    })
  }
  try {
    const answer = await askModel(ask, {
      retries: parts.retries,
      signal,
      onRetry: ({ attempt, max, delayMs, error }) =>
        emit('EventRetry', { Attempt: attempt, Max: max, DelayMs: delayMs, Error: error }),
    })
    await conversation.add(answer)
    return answer
  } catch (error) {
    if (signal.aborted && partial !== '')
      await conversation.add({
        role: 'assistant',
        content: [{ type: 'text', text: partial }],
        model: model.id,
        provider: model.provider,
        usage: noUsage,
        stopReason: 'aborted',
        timestamp: clock().toISOString(),
      })
    throw error
  }
}

function addToOutcome(outcome: RunOutcome, answer: AssistantChatMessage): void {
  outcome.text = [outcome.text, messageText(answer)].filter(Boolean).join('\n')
  outcome.usage.input += answer.usage.inputTokens
  outcome.usage.output += answer.usage.outputTokens
}

export type StepVerdict = 'run' | 'skip' | 'abort'

export interface CallParts {
  call(name: string, args: Record<string, unknown>, call: ToolCall): Promise<ToolOutcome>
  emit: Emit
  now(): string
  concurrency(): number
  /** The user has said something for the model: calls that have not begun are cancelled. */
  isSteered(): boolean
  /** Asks the user before a call, if step mode is on. */
  gate?: ((call: CallPart) => Promise<StepVerdict>) | undefined
}

const failedTool = (text: string): ToolOutcome => ({ content: [{ type: 'text', text }], isError: true })
const cancelled = failedTool('tool execution cancelled')
const interrupted = failedTool(`${interruptedText} tool execution cancelled`)
const skipped = failedTool('Tool execution skipped by user')

export function unknownTool(name: string): ToolOutcome {
  return failedTool(`unknown tool: ${name}`)
}

/** Runs the tools that a model called in one turn, several at once. Every call gets a result. */
async function runCalls(
  calls: CallPart[],
  parts: CallParts,
  run: AbortController,
): Promise<ToolResultChatMessage[]> {
  const siblings = new AbortController()
  const signal = AbortSignal.any([run.signal, siblings.signal])
  const results: ToolResultChatMessage[] = []
  let next = 0

  async function runOne(call: CallPart): Promise<ToolOutcome> {
    const { emit } = parts
    if (signal.aborted) return run.signal.aborted ? interrupted : cancelled
    const verdict = parts.gate ? await parts.gate(call) : 'run'
    if (verdict === 'abort') run.abort(new Error('the user ended the run'))
    if (verdict !== 'run') return verdict === 'skip' ? skipped : interrupted
    emit('EventToolStart', { ToolCallID: call.id, ToolName: call.name, Args: call.arguments })
    const outcome = await execute(call)
    emit('EventToolEnd', {
      ToolCallID: call.id,
      ToolName: call.name,
      Result: outcome.isError ? outcome.content : (outcome.details ?? null),
      IsError: outcome.isError,
    })
    // An error with a code is news for the model; one without means that something is broken.
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

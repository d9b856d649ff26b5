// An agent at work: the model is asked, its tools are run, and so on until it has nothing more to do.
import { messageOf } from '../../../std/errors.ts'
import type { Clock } from '../../../std/time.ts'
import { type AssistantMessage, type ImagePart, isCall, type Message, noUsage, textOf, userMessage } from '../conversation/message.ts'
import { newest, newestWithin, repair } from '../conversation/repair.ts'
import type { Model } from '../models/model.ts'
import type { Answer, ToolSchema } from '../models/model-request.ts'
import { askModel, type Retries } from './ask-model.ts'
import type { Emit } from './emit.ts'
import { type CallParts, runCalls } from './run-calls.ts'

export interface AgentParts extends Omit<CallParts, 'emit' | 'now' | 'isSteered'> {
  conversation: { messages(): Message[]; add(message: Message): Promise<void> }
  /** Looked up for every turn, because both may change while a run lasts. */
  model(): Model
  tools(): ToolSchema[]
  system: string
  answer: Answer
  emit: Emit
  clock: Clock
  maxTokens: number
  /** 0: as many as it takes. */
  maxTurns: number
  maxMessages: number
  retries: Retries
  /** What the user said meanwhile. */
  steering?: { isWaiting(): boolean; take(): string[] }
  afterTurn?(answer: AssistantMessage): void
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
    await conversation.add(userMessage(prompt.text, prompt.images, clock()))
    outcome.end = await turns(parts, prompt, run, outcome)
  } catch (error) {
    outcome.end = run.signal.aborted ? 'aborted' : 'failed'
    outcome.error = messageOf(run.signal.aborted ? run.signal.reason : error)
  }
  emit('EventAgentEnd', { Messages: newestWithin(conversation.messages(), maxEventBytes) })
  return outcome
}

async function turns(parts: AgentParts, prompt: Prompt, run: AbortController, outcome: RunOutcome): Promise<RunOutcome['end']> {
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
    note(outcome, answer)
    const calls = answer.content.filter(isCall)
    const toolParts = { ...parts, now: () => clock().toISOString(), isSteered: () => steering?.isWaiting() ?? false }
    const results = calls.length === 0 ? [] : await runCalls(calls, toolParts, run)
    for (const result of results) await conversation.add(result)
    emit('EventTurnEnd', { Assistant: answer, ToolResults: results.length === 0 ? null : results })
    emit('EventTurnUsage', { turn: outcome.turns, usage: answer.usage, breakdown: {} })
    parts.afterTurn?.(answer)
    run.signal.throwIfAborted()
    const said = steering?.take() ?? []
    for (const text of said) await conversation.add(userMessage(text, [], clock()))
    if (calls.length === 0 && said.length === 0) return 'done'
    if (maxTurns > 0 && outcome.turns >= maxTurns) {
      emit('EventMaxTurns', { Count: outcome.turns, Max: maxTurns })
      return 'max-turns'
    }
  }
}

/** What was said until somebody ended it is kept. */
async function nextAnswer(parts: AgentParts, injection: string, signal: AbortSignal): Promise<AssistantMessage> {
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
      onRetry: ({ attempt, max, delayMs, error }) => emit('EventRetry', { Attempt: attempt, Max: max, DelayMs: delayMs, Error: error }),
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

function note(outcome: RunOutcome, answer: AssistantMessage): void {
  const text = textOf(answer)
  outcome.text = [outcome.text, text].filter(Boolean).join('\n')
  outcome.usage.input += answer.usage.inputTokens
  outcome.usage.output += answer.usage.outputTokens
}

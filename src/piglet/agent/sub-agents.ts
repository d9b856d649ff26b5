// Runs models and agents for extensions: one question to a model, a task with tools, and tasks in the
// background. None of them emits events.

import type { Tool } from '../../extensions/registry.ts'
import { RpcFailure, rpcErrorCodes } from '../../protocol/extension/rpc.ts'
import type { Params, SentResult } from '../../protocol/extension/table.ts'
import { messageOf } from '../../std/errors.ts'
import type { Clock } from '../../std/time.ts'
import { assistantText, type ChatMessage, messageText, newUserMessage } from '../conversation/message.ts'
import type { AnswerRequest, ChatModel } from '../models/model.ts'
import { askModel, type Retries } from './ask-model.ts'
import { type AgentParts, type RunOutcome, runAgent, unknownTool } from './run-agent.ts'

export interface SubAgentOptions {
  /** Throws when there is no such model. */
  resolveModel(query: string): ChatModel
  answer: AnswerRequest
  call: AgentParts['call']
  tools(): Tool[]
  clock: Clock
  concurrency(): number
  retries(): Retries
}

export interface SubAgentTask {
  system: string
  prompt: string
  model: string
  tools: 'background_safe' | 'all'
  maxTurns: number
}

const usualMaxTurns = 30

export class SubAgents {
  readonly #options: SubAgentOptions

  constructor(options: SubAgentOptions) {
    this.#options = options
  }

  /** Asks a model once, without tools. */
  async chat(params: Params<'host/chat'>, signal: AbortSignal): Promise<SentResult<'host/chat'>> {
    const { answer, clock, retries } = this.#options
    const model = this.#resolveModel(params.model)
    const at = clock()
    const from = { model: model.id, provider: model.provider }
    const messages = params.messages.map(({ role, content }) =>
      role === 'assistant' ? assistantText(content, from, at) : newUserMessage(content, [], at),
    )
    const request = { model, system: params.system, messages, tools: [], maxTokens: params.maxTokens }
    try {
      const ask = () => answer(request, { signal, onPiece: () => {} })
      const message = await askModel(ask, { retries: retries(), signal, onRetry: () => {} })
      return {
        text: messageText(message),
        usage: { input: message.usage.inputTokens, output: message.usage.outputTokens },
      }
    } catch (error) {
      throw new RpcFailure(
        rpcErrorCodes.failed,
        `${signal.aborted ? 'chat cancelled' : 'chat error'}: ${messageOf(error)}`,
      )
    }
  }

  async agentRun(
    params: Params<'host/agent.run'>,
    signal: AbortSignal,
  ): Promise<SentResult<'host/agent.run'>> {
    const task: SubAgentTask = {
      system: params.system,
      prompt: params.task,
      model: params.model,
      tools: params.tools === 'all' ? 'all' : 'background_safe',
      maxTurns: params.maxTurns || usualMaxTurns,
    }
    const { text, turns, usage, end, error } = await this.run(task, signal)
    // An incomplete answer must not look like a complete one.
    if (end === 'failed' || end === 'aborted')
      throw new RpcFailure(rpcErrorCodes.failed, `agent ${end} after ${turns} turns: ${error}`)
    return { text, turns, usage }
  }

  async run(task: SubAgentTask, signal: AbortSignal): Promise<RunOutcome> {
    const { answer, call, clock, concurrency, retries } = this.#options
    const model = this.#resolveModel(task.model)
    const messages: ChatMessage[] = []
    const offered = () =>
      this.#options.tools().filter(({ backgroundSafe }) => task.tools === 'all' || backgroundSafe)
    const parts: AgentParts = {
      conversation: { messages: () => messages, add: async (message) => void messages.push(message) },
      model: () => model,
      tools: () => offered().map(({ name, description, parameters }) => ({ name, description, parameters })),
      system: task.system,
      answer,
      call: (name, args, toolCall) =>
        offered().some((tool) => tool.name === name)
          ? call(name, args, toolCall)
          : Promise.resolve(unknownTool(name)),
      emit: () => {},
      clock,
      concurrency,
      maxTokens: 0,
      maxTurns: task.maxTurns,
      maxMessages: 0,
      retries: retries(),
    }
    const controller = new AbortController()
    const abort = () => controller.abort(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
    return await runAgent(parts, { text: task.prompt, images: [], injection: '' }, controller).finally(() =>
      signal.removeEventListener('abort', abort),
    )
  }

  #resolveModel(query: string): ChatModel {
    try {
      return this.#options.resolveModel(query)
    } catch (error) {
      throw new RpcFailure(rpcErrorCodes.failed, `resolve provider: ${messageOf(error)}`)
    }
  }
}

export interface BackgroundOptions {
  run(prompt: string, signal: AbortSignal): Promise<RunOutcome>
  setStatus(text: string): void
  show(text: string): void
}

const nameLength = 20

/** Tasks that run beside the main agent. The outcome of each is shown when it is done. */
export class BackgroundTasks {
  readonly #options: BackgroundOptions
  readonly #tasks = new Map<string, { controller: AbortController; done: Promise<void> }>()

  constructor(options: BackgroundOptions) {
    this.#options = options
  }

  start(prompt: string): void {
    const letters = [...prompt]
    const name = letters.length > nameLength ? `${letters.slice(0, nameLength).join('')}…` : prompt
    if (this.#tasks.has(name))
      throw new RpcFailure(rpcErrorCodes.failed, `background task ${name} is already running`)
    const controller = new AbortController()
    // Starts in the next microtask, so that the task is in the map before it can be done.
    const done = Promise.resolve().then(() => this.#run(name, prompt, controller.signal))
    this.#tasks.set(name, { controller, done })
    this.#showNames()
  }

  cancel(): void {
    for (const { controller } of this.#tasks.values()) controller.abort(new Error('cancelled'))
  }

  isRunning(): boolean {
    return this.#tasks.size > 0
  }

  async idle(): Promise<void> {
    while (this.#tasks.size > 0) await Promise.all([...this.#tasks.values()].map(({ done }) => done))
  }

  async #run(name: string, prompt: string, signal: AbortSignal): Promise<void> {
    let result: string
    try {
      const { text, end, error } = await this.#options.run(prompt, signal)
      result = end === 'failed' || end === 'aborted' ? `${text}\n(${end}: ${error})`.trim() : text
    } catch (error) {
      result = `(failed: ${messageOf(error)})`
    }
    this.#tasks.delete(name)
    this.#showNames()
    this.#options.show(`Background task: ${prompt}\n\n${result}`)
  }

  #showNames(): void {
    this.#options.setStatus([...this.#tasks.keys()].map((name) => `bg: ${name}`).join(' '))
  }
}

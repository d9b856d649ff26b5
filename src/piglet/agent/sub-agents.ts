// Models and agents that extensions use for themselves: one question, a task with tools, or a task beside the running agent. None of
// them is heard of as an event.

import type { Tool } from '../../extensions/registry.ts'
import { RpcFailure, rpcErrorCodes } from '../../protocol/extension/rpc.ts'
import type { Params, SentResult } from '../../protocol/extension/table.ts'
import { messageOf } from '../../std/errors.ts'
import type { Clock } from '../../std/time.ts'
import { assistantText, type ChatMessage, messageText, newUserMessage } from '../conversation/message.ts'
import type { ChatModel } from '../models/model.ts'
import type { AnswerRequest } from '../models/request.ts'
import { askModel, type Retries } from './ask-model.ts'
import { type AgentParts, type RunOutcome, runAgent } from './run-agent.ts'

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

export interface Task {
  system: string
  prompt: string
  model: string
  tools: 'background_safe' | 'all'
  maxTurns: number
}

export type SubAgents = ReturnType<typeof createSubAgents>

export function createSubAgents(options: SubAgentOptions) {
  const resolve = (query: string): ChatModel => {
    try {
      return options.resolveModel(query)
    } catch (error) {
      throw new RpcFailure(rpcErrorCodes.failed, `resolve provider: ${messageOf(error)}`)
    }
  }

  async function run(task: Task, signal: AbortSignal): Promise<RunOutcome> {
    const model = resolve(task.model)
    const messages: ChatMessage[] = []
    const controller = new AbortController()
    const offered = () =>
      options.tools().filter(({ backgroundSafe }) => task.tools === 'all' || backgroundSafe)
    const follow = () => controller.abort(signal.reason)
    signal.addEventListener('abort', follow, { once: true })
    if (signal.aborted) follow()
    const parts: AgentParts = {
      conversation: { messages: () => messages, add: async (message) => void messages.push(message) },
      model: () => model,
      tools: () => offered().map(({ name, description, parameters }) => ({ name, description, parameters })),
      system: task.system,
      answer: options.answer,
      call: (name, args, call) =>
        offered().some((tool) => tool.name === name)
          ? options.call(name, args, call)
          : Promise.resolve({ content: [{ type: 'text', text: `unknown tool: ${name}` }], isError: true }),
      emit: () => {},
      clock: options.clock,
      concurrency: options.concurrency,
      maxTokens: 0,
      maxTurns: task.maxTurns,
      maxMessages: 0,
      retries: options.retries(),
    }
    return await runAgent(parts, { text: task.prompt, images: [], injection: '' }, controller).finally(() =>
      signal.removeEventListener('abort', follow),
    )
  }

  return {
    run,
    async chat(params: Params<'host/chat'>, signal: AbortSignal): Promise<SentResult<'host/chat'>> {
      const model = resolve(params.model)
      const at = options.clock()
      const from = { model: model.id, provider: model.provider }
      const messages = params.messages.map(({ role, content }) =>
        role === 'assistant' ? assistantText(content, from, at) : newUserMessage(content, [], at),
      )
      const request = { model, system: params.system, messages, tools: [], maxTokens: params.maxTokens }
      try {
        const ask = () => options.answer(request, { signal, onPiece: () => {} })
        const answer = await askModel(ask, { retries: options.retries(), signal, onRetry: () => {} })
        return {
          text: messageText(answer),
          usage: { input: answer.usage.inputTokens, output: answer.usage.outputTokens },
        }
      } catch (error) {
        throw new RpcFailure(
          rpcErrorCodes.failed,
          `${signal.aborted ? 'chat cancelled' : 'chat error'}: ${messageOf(error)}`,
        )
      }
    },
    async agentRun(
      params: Params<'host/agent.run'>,
      signal: AbortSignal,
    ): Promise<SentResult<'host/agent.run'>> {
      const tools = params.tools === 'all' ? 'all' : 'background_safe'
      const { text, turns, usage, end, error } = await run(
        {
          system: params.system,
          prompt: params.task,
          model: params.model,
          tools,
          maxTurns: params.maxTurns || 30,
        },
        signal,
      )
      // Half an answer that looks like a whole one helps nobody.
      if (end === 'failed' || end === 'aborted')
        throw new RpcFailure(rpcErrorCodes.failed, `agent ${end} after ${turns} turns: ${error}`)
      return { text, turns, usage }
    },
  }
}

// Agents that work beside the one that the user talks to. What they found is shown when they are done.

export interface BackgroundOptions {
  run(prompt: string, signal: AbortSignal): Promise<RunOutcome>
  setStatus(text: string): void
  show(text: string): void
}

const nameLength = 20

export type Background = ReturnType<typeof createBackground>

export function createBackground(options: BackgroundOptions) {
  const tasks = new Map<string, { controller: AbortController; done: Promise<void> }>()
  const showNames = () => options.setStatus([...tasks.keys()].map((name) => `bg: ${name}`).join(' '))

  async function attend(name: string, prompt: string, signal: AbortSignal): Promise<void> {
    let said: string
    try {
      const { text, end, error } = await options.run(prompt, signal)
      said = end === 'failed' || end === 'aborted' ? `${text}\n(${end}: ${error})`.trim() : text
    } catch (error) {
      said = `(failed: ${messageOf(error)})`
    }
    tasks.delete(name)
    showNames()
    options.show(`Background task: ${prompt}\n\n${said}`)
  }

  return {
    start(prompt: string): void {
      const letters = [...prompt]
      const name = letters.length > nameLength ? `${letters.slice(0, nameLength).join('')}…` : prompt
      if (tasks.has(name))
        throw new RpcFailure(rpcErrorCodes.failed, `background task ${name} is already running`)
      const controller = new AbortController()
      // It must be in the list before it can be done.
      const done = Promise.resolve().then(() => attend(name, prompt, controller.signal))
      tasks.set(name, { controller, done })
      showNames()
    },
    cancel(): void {
      for (const { controller } of tasks.values()) controller.abort(new Error('cancelled'))
    },
    isRunning: () => tasks.size > 0,
    async idle(): Promise<void> {
      while (tasks.size > 0) await Promise.all([...tasks.values()].map(({ done }) => done))
    },
  }
}

// The agent that the user talks to: one run at a time, and what is said meanwhile is not lost.

import { collectInjections } from '../../extensions/prompt-chain.ts'
import { messageOf } from '../../std/errors.ts'
import type { Clock } from '../../std/time.ts'
import { type ImagePart, newUserMessage } from '../conversation/message.ts'
import type { Services } from '../services.ts'
import type { ActiveConversation } from '../sessions/current-session.ts'
import { type Prompt, type RunOutcome, runAgent } from './run-agent.ts'
import type { StepMode } from './step-mode.ts'

export interface MainAgentOptions {
  conversation(): ActiveConversation
  clock: Clock
  /** One run, from the prompt to the last answer. */
  run(
    prompt: Omit<Prompt, 'injection'>,
    conversation: ActiveConversation,
    queue: ReturnType<typeof createInputQueue>,
    run: AbortController,
  ): Promise<RunOutcome>
  runCommand(line: string): Promise<void>
  /** The image that goes with the next prompt, which it then has gone with. */
  takeImages(): ImagePart[]
  onProblem(message: string): void
}

export type MainAgent = ReturnType<typeof createMainAgent>

export function createMainAgent(options: MainAgentOptions) {
  const queue = createInputQueue()
  let running: { controller: AbortController; done: Promise<unknown> } | undefined
  let following: Promise<unknown> = Promise.resolve()
  let marker: string | undefined
  let isOver = false

  function start(text: string, controller = new AbortController()): Promise<RunOutcome> {
    const outcome = runOnce(text, controller)
    running = { controller, done: outcome.then(goOn, goOn) }
    return outcome
  }

  async function runOnce(text: string, controller: AbortController): Promise<RunOutcome> {
    const conversation = options.conversation()
    marker = undefined
    const outcome = await options.run({ text, images: options.takeImages() }, conversation, queue, controller)
    if (marker !== undefined) await interruptedBy(conversation, marker)
    if (outcome.end === 'failed') options.onProblem(outcome.error ?? 'the run failed')
    return outcome
  }

  // A command may wait until nothing runs: it must not be waited for.
  function goOn(): void {
    running = undefined
    const commands = isOver ? [] : queue.takeCommands()
    if (commands.length === 0) sayRest()
    else following = runCommands(commands).finally(sayRest)
  }

  function sayRest(): void {
    const words = running || isOver ? '' : queue.takeWords().join('\n\n')
    if (words !== '') start(words).catch(report)
  }

  // One after the other, because a later one may need what an earlier one did.
  async function runCommands(lines: string[]): Promise<void> {
    for (const line of lines) await options.runCommand(line).catch(report)
  }

  const report = (error: unknown) => options.onProblem(messageOf(error))
  const interruptedBy = (conversation: ActiveConversation, reason: string) =>
    conversation.add(newUserMessage(`[Request interrupted: ${reason}]`, [], options.clock()))

  return {
    isRunning: () => running !== undefined,
    /** Settles when no run lasts. */
    async idle(): Promise<void> {
      while (running) await running.done
    },
    /** Settles when there is nothing more to do at all. */
    async settled(): Promise<void> {
      do {
        await running?.done
        await following
      } while (running)
    },
    /** Waits for its turn; settles with what came of it. */
    async run(text: string, signal?: AbortSignal): Promise<RunOutcome> {
      while (running) await running.done
      const controller = new AbortController()
      const outcome = start(text, controller)
      const abort = () => controller.abort(signal?.reason)
      signal?.addEventListener('abort', abort, { once: true })
      if (signal?.aborted) abort()
      return await outcome.finally(() => signal?.removeEventListener('abort', abort))
    },
    /** Starts a run, or comes into the one that lasts. */
    say(text: string): void {
      if (running) {
        if (!queue.addPrompt(text)) options.onProblem('Too much is waiting already: this was left out.')
      } else start(text).catch(report)
    },
    later(command: string): void {
      if (!queue.addCommand(command)) options.onProblem('Too much is waiting already: this was left out.')
    },
    steer(text: string): void {
      if (!running) start(text).catch(report)
      else if (!queue.steer(text)) options.onProblem('Too much is waiting already: this was left out.')
    },
    /** With a reason, it is noted in the conversation. */
    abort(reason?: string): void {
      if (reason !== undefined) {
        if (running) marker = reason
        else interruptedBy(options.conversation(), reason).catch(report)
      }
      running?.controller.abort(new Error(reason ?? 'aborted'))
    },
    /** Nothing begins any more. */
    end(): void {
      isOver = true
      running?.controller.abort(new Error('the program ends'))
    },
  }
}

// One run of the agent that the user talks to: with everything extensions add to it, and everything it tells them.

export function createMainRun(services: Services, stepMode: StepMode): MainAgentOptions['run'] {
  const { host, choice, toolSet, answer, emit, call, clock, config, compaction } = services
  return async (prompt, conversation, queue, run) => {
    const settings = config()
    const log = (message: string) => services.options.log('warn', message)
    const injection = await collectInjections(host(), prompt.text, run.signal, log)
    const outcome = await runAgent(
      {
        conversation,
        model: choice.current,
        tools: () => toolSet.schemas(choice.find()),
        system: services.system(),
        answer,
        emit,
        clock,
        maxTokens: settings.number('agent.maxTokens', 0),
        maxTurns: settings.number('agent.maxTurns', 30),
        maxMessages: settings.number('agent.maxMessages', 200),
        retries: services.retries(),
        concurrency: () => (stepMode.isOn() ? 1 : services.concurrency()),
        gate: (one) => stepMode.gate(one, run.signal),
        steering: { isWaiting: queue.hasWords, take: queue.takeWords },
        call: (name, args, one) =>
          toolSet.allows(name) ? call(name, args, one) : Promise.resolve(disabled(name)),
        afterTurn: compaction.afterTurn,
      },
      { ...prompt, injection },
      run,
    )
    await compaction.done()
    return outcome
  }
}

function disabled(name: string) {
  const text = `[error:TOOL_DISABLED] ${name} is not available now`
  return { content: [{ type: 'text', text }], isError: true, errorCode: 'TOOL_DISABLED' }
}

// What the user says while a run lasts: prompts reach it as soon as a tool has ended, commands come when it is over.

const limit = 50

export type InputQueue = ReturnType<typeof createInputQueue>

export function createInputQueue() {
  let prompts: string[] = []
  let commands: string[] = []
  let steering: string[] = []
  const takeAll = (list: string[], clear: () => void) => {
    clear()
    return list
  }
  const isFull = () => prompts.length + commands.length + steering.length >= limit
  const takePrompts = () =>
    takeAll(prompts, () => {
      prompts = []
    })
  return {
    /** False when there is no room left. */
    addPrompt: (text: string) => !isFull() && prompts.push(text) > 0,
    addCommand: (text: string) => !isFull() && commands.push(text) > 0,
    steer: (text: string) => !isFull() && steering.push(text) > 0,
    hasWords: () => prompts.length + steering.length > 0,
    /** For the run that lasts: what was meant for it, then everything else as one. */
    takeWords(): string[] {
      const meant = takeAll(steering, () => {
        steering = []
      })
      const rest = takePrompts().join('\n\n')
      return rest === '' ? meant : [...meant, rest]
    },
    takeCommands: () =>
      takeAll(commands, () => {
        commands = []
      }),
    size: () => prompts.length + commands.length + steering.length,
  }
}

// Runs the agent that the user talks to: one run at a time. What the user says during a run is queued.

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
    queue: InputQueue,
    run: AbortController,
  ): Promise<RunOutcome>
  runCommand(line: string): Promise<void>
  /** Takes the image that goes with the next prompt; it goes with one prompt only. */
  takeImages(): ImagePart[]
  onProblem(message: string): void
}

const queueFull = 'Too much is waiting already: this was left out.'

export class MainAgent {
  readonly #options: MainAgentOptions
  readonly #queue = new InputQueue()
  #running: { controller: AbortController; done: Promise<unknown> } | undefined
  /** The commands that wait for the end of a run. */
  #commands: Promise<unknown> = Promise.resolve()
  /** The reason for an interruption, noted in the conversation when the run has ended. */
  #interruption: string | undefined
  #hasEnded = false

  constructor(options: MainAgentOptions) {
    this.#options = options
  }

  isRunning(): boolean {
    return this.#running !== undefined
  }

  /** Settles when no run is under way. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running.done
  }

  /** Settles when neither a run nor a command is under way or waiting. */
  async settled(): Promise<void> {
    do {
      await this.#running?.done
      await this.#commands
    } while (this.#running)
  }

  /** Waits for its turn; settles with the outcome. */
  async run(text: string, signal?: AbortSignal): Promise<RunOutcome> {
    // Not `await this.idle()`: of two callers that wait, only the first may start when the run ends.
    while (this.#running) await this.#running.done
    const controller = new AbortController()
    const outcome = this.#start(text, controller)
    const abort = () => controller.abort(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    if (signal?.aborted) abort()
    return await outcome.finally(() => signal?.removeEventListener('abort', abort))
  }

  /** Starts a run, or queues the text for the current one. */
  say(text: string): void {
    if (!this.#running) this.#startFreely(text)
    else if (!this.#queue.addPrompt(text)) this.#options.onProblem(queueFull)
  }

  /** Queues a command until the current run has ended. */
  later(command: string): void {
    if (!this.#queue.addCommand(command)) this.#options.onProblem(queueFull)
  }

  /** Starts a run, or passes the text to the current one ahead of queued prompts. */
  steer(text: string): void {
    if (!this.#running) this.#startFreely(text)
    else if (!this.#queue.addSteering(text)) this.#options.onProblem(queueFull)
  }

  /** A reason is noted in the conversation. */
  abort(reason?: string): void {
    if (reason !== undefined) {
      if (this.#running) this.#interruption = reason
      else this.#noteInterruption(this.#options.conversation(), reason).catch(this.#report)
    }
    this.#running?.controller.abort(new Error(reason ?? 'aborted'))
  }

  /** Aborts the current run, and starts no other. */
  end(): void {
    this.#hasEnded = true
    this.#running?.controller.abort(new Error('the program ends'))
  }

  #startFreely(text: string): void {
    this.#start(text).catch(this.#report)
  }

  #start(text: string, controller = new AbortController()): Promise<RunOutcome> {
    const outcome = this.#runOnce(text, controller)
    const goOn = () => this.#goOn()
    this.#running = { controller, done: outcome.then(goOn, goOn) }
    return outcome
  }

  async #runOnce(text: string, controller: AbortController): Promise<RunOutcome> {
    const conversation = this.#options.conversation()
    this.#interruption = undefined
    const prompt = { text, images: this.#options.takeImages() }
    const outcome = await this.#options.run(prompt, conversation, this.#queue, controller)
    if (this.#interruption !== undefined) await this.#noteInterruption(conversation, this.#interruption)
    if (outcome.end === 'failed') this.#options.onProblem(outcome.error ?? 'the run failed')
    return outcome
  }

  // Not awaited by the run: a command may itself wait until no run is under way.
  #goOn(): void {
    this.#running = undefined
    const commands = this.#hasEnded ? [] : this.#queue.takeCommands()
    if (commands.length === 0) this.#sayRest()
    else this.#commands = this.#runCommands(commands).finally(() => this.#sayRest())
  }

  // One after the other, because a later command may need the effect of an earlier one.
  async #runCommands(lines: string[]): Promise<void> {
    for (const line of lines) await this.#options.runCommand(line).catch(this.#report)
  }

  #sayRest(): void {
    const text = this.#running || this.#hasEnded ? '' : this.#queue.takeTexts().join('\n\n')
    if (text !== '') this.#startFreely(text)
  }

  #noteInterruption(conversation: ActiveConversation, reason: string): Promise<void> {
    return conversation.add(newUserMessage(`[Request interrupted: ${reason}]`, [], this.#options.clock()))
  }

  readonly #report = (error: unknown): void => this.#options.onProblem(messageOf(error))
}

const maxQueued = 50

/**
 * What the user says during a run: prompts join it as soon as a tool has ended, commands follow when it is
 * over.
 */
class InputQueue {
  #prompts: string[] = []
  #commands: string[] = []
  #steering: string[] = []

  /** These three return false when the queue is full. */
  addPrompt(text: string): boolean {
    return this.#add(this.#prompts, text)
  }

  addCommand(text: string): boolean {
    return this.#add(this.#commands, text)
  }

  addSteering(text: string): boolean {
    return this.#add(this.#steering, text)
  }

  hasTexts(): boolean {
    return this.#prompts.length + this.#steering.length > 0
  }

  /** Steering texts one by one, then all prompts as one text. */
  takeTexts(): string[] {
    const [steering, prompts] = [this.#steering, this.#prompts.join('\n\n')]
    this.#steering = []
    this.#prompts = []
    return prompts === '' ? steering : [...steering, prompts]
  }

  takeCommands(): string[] {
    const commands = this.#commands
    this.#commands = []
    return commands
  }

  #add(list: string[], text: string): boolean {
    const size = this.#prompts.length + this.#commands.length + this.#steering.length
    return size < maxQueued && list.push(text) > 0
  }
}

/**
 * One run of the main agent: extensions add to the prompt, and receive an event for everything the run does.
 */
export function createMainRun(services: Services, stepMode: StepMode): MainAgentOptions['run'] {
  const { host, choice, toolSet, answer, emit, call, clock, config, compaction } = services
  return async (prompt, conversation, queue, run) => {
    const settings = config()
    const log = (message: string) => services.options.log('warn', message)
    const injection = await collectInjections(host(), prompt.text, run.signal, log)
    const outcome = await runAgent(
      {
        conversation,
        model: () => choice.current(),
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
        gate: (part) => stepMode.gate(part, run.signal),
        steering: { isWaiting: () => queue.hasTexts(), take: () => queue.takeTexts() },
        call: (name, args, toolCall) =>
          toolSet.allows(name) ? call(name, args, toolCall) : Promise.resolve(disabledTool(name)),
        afterTurn: (message) => compaction.afterTurn(message),
      },
      { ...prompt, injection },
      run,
    )
    await compaction.done()
    return outcome
  }
}

function disabledTool(name: string) {
  const text = `[error:TOOL_DISABLED] ${name} is not available now`
  return { content: [{ type: 'text', text }], isError: true, errorCode: 'TOOL_DISABLED' }
}

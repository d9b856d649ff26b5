// The agent that the user talks to: one run at a time, and what is said meanwhile is not lost.
import { messageOf } from '../../../std/errors.ts'
import type { Clock } from '../../../std/time.ts'
import { type ImagePart, userMessage } from '../conversation/message.ts'
import type { Conversation } from '../sessions/current-session.ts'
import { createInputQueue } from './input-queue.ts'
import type { Prompt, RunOutcome } from './run-agent.ts'

export interface MainAgentOptions {
  conversation(): Conversation
  clock: Clock
  /** One run, from the prompt to the last answer. */
  run(
    prompt: Omit<Prompt, 'injection'>,
    conversation: Conversation,
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
  const interruptedBy = (conversation: Conversation, reason: string) =>
    conversation.add(userMessage(`[Request interrupted: ${reason}]`, [], options.clock()))

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

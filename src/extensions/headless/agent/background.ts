// Agents that work beside the one that the user talks to. What they found is shown when they are done.
import { codes } from '../../../protocol/extension-line.ts'
import { RpcFailure } from '../../../protocol/extension-peer.ts'
import { messageOf } from '../../../std/errors.ts'
import type { RunOutcome } from './run-agent.ts'

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
      if (tasks.has(name)) throw new RpcFailure(codes.failed, `background task ${name} is already running`)
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

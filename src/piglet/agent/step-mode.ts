// Asks the user before every tool call, while step mode is on.

import type { CallPart } from '../conversation/message.ts'
import type { Dialogs } from '../view.ts'
import type { Emit, StepVerdict } from './run-agent.ts'

const verdicts: Record<string, StepVerdict> = { approve: 'run', skip: 'skip', abort: 'abort' }

export class StepMode {
  readonly #dialogs: Dialogs
  readonly #emit: Emit
  #isOn = false

  constructor(dialogs: Dialogs, emit: Emit) {
    this.#dialogs = dialogs
    this.#emit = emit
  }

  isOn(): boolean {
    return this.#isOn
  }

  toggle(): boolean {
    this.#isOn = !this.#isOn
    return this.#isOn
  }

  /** Aborts the run when the question is dismissed, or when there is no user to ask. */
  async gate(call: CallPart, signal: AbortSignal): Promise<StepVerdict> {
    if (!this.#isOn) return 'run'
    this.#emit('EventStepWait', { ToolCallID: call.id, ToolName: call.name, Args: call.arguments })
    const prompt = `Run ${call.name} with ${JSON.stringify(call.arguments)}?`
    const chosen = await this.#dialogs.put(
      { kind: 'ask', prompt, choices: Object.keys(verdicts), extension: '' },
      signal,
    )
    return verdicts[chosen ?? ''] ?? 'abort'
  }
}

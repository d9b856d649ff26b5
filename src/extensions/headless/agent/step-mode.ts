// Whether the user wants to be asked before every tool call.
import type { CallPart } from '../conversation/message.ts'
import type { Dialogs } from '../ui/dialogs.ts'
import type { Emit } from './emit.ts'
import type { StepVerdict } from './run-calls.ts'

const choices: Record<string, StepVerdict> = { approve: 'run', skip: 'skip', abort: 'abort' }

export type StepMode = ReturnType<typeof createStepMode>

export function createStepMode(dialogs: Dialogs, emit: Emit) {
  let isOn = false
  return {
    isOn: () => isOn,
    toggle(): boolean {
      isOn = !isOn
      return isOn
    },
    /** Nobody there to say yes means no. */
    async gate(call: CallPart, signal: AbortSignal): Promise<StepVerdict> {
      if (!isOn) return 'run'
      emit('EventStepWait', { ToolCallID: call.id, ToolName: call.name, Args: call.arguments })
      const prompt = `Run ${call.name} with ${JSON.stringify(call.arguments)}?`
      const chosen = await dialogs.put({ kind: 'ask', prompt, choices: Object.keys(choices), extension: '' }, signal)
      return choices[chosen ?? ''] ?? 'abort'
    },
  }
}

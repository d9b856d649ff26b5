// One run of the agent that the user talks to: with everything extensions add to it, and everything it tells them.
import { collectInjections } from '../../prompt-chain.ts'
import type { Services } from '../services.ts'
import type { MainAgentOptions } from './main-agent.ts'
import { runAgent } from './run-agent.ts'
import type { StepMode } from './step-mode.ts'

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
        call: (name, args, one) => (toolSet.allows(name) ? call(name, args, one) : Promise.resolve(disabled(name))),
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

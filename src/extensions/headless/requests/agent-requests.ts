// What extensions ask of the running agent, of other agents, and of the user.
import { codes } from '../../../protocol/extension-line.ts'
import { RpcFailure } from '../../../protocol/extension-peer.ts'
import { messageOf } from '../../../std/errors.ts'
import type { MainAgent } from '../agent/main-agent.ts'
import type { StepMode } from '../agent/step-mode.ts'
import type { Services } from '../services.ts'
import type { Requests } from './requests.ts'

export function agentRequests(
  { subAgents, background, compaction, screen, dialogs, host, choice }: Services,
  agent: MainAgent,
  stepMode: StepMode,
) {
  return {
    'host/chat': (params, { signal }) => subAgents.chat(params, signal),
    'host/agent.run': (params, { signal }) => subAgents.agentRun(params, signal),
    'host/runBackground': ({ prompt }) => {
      choice.current()
      background.start(prompt)
      return {}
    },
    'host/cancelBackground': () => {
      background.cancel()
      return {}
    },
    'host/isBackgroundRunning': () => ({ running: background.isRunning() }),
    'host/toggleStepMode': () => ({ on: stepMode.toggle() }),
    'host/requestQuit': () => {
      screen.quit()
      return {}
    },
    'host/abort': () => {
      agent.abort()
      return {}
    },
    'host/triggerCompact': async (_params, { signal }) => {
      if (!host().compaction.isPresent()) throw new RpcFailure(codes.failed, 'no compactor registered')
      try {
        return await compaction.now(signal)
      } catch (error) {
        throw new RpcFailure(codes.failed, `compact failed: ${messageOf(error)}`)
      }
    },
    'host/waitForIdle': async () => {
      await agent.idle()
      await background.idle()
      return {}
    },
    'host/showPicker': async ({ title, items }, { extension, signal }) => {
      const shown = items.map(({ id, label, desc }) => ({ id, label, ...(desc ? { desc } : {}) }))
      return { selected: (await dialogs.put({ kind: 'pick', title, items: shown, extension: extension.name }, signal)) ?? '' }
    },
    'host/askUser': async ({ prompt, choices }, { extension, signal }) => {
      const selected = await dialogs.put({ kind: 'ask', prompt, choices, extension: extension.name }, signal)
      return { selected: selected ?? '', cancelled: selected === undefined }
    },
  } satisfies Partial<Requests>
}

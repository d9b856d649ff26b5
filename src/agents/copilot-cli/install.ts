// Copilot CLI's hooks, in a file of their own below .github/hooks. Not among them are those that run with every tool: one that fails
// before a tool (killed, out of time, out of memory) denies the tool, and we have nothing to learn from them.

import { type HookEntry, hookCommand, hookRecogniser } from '../shared/hook-settings.ts'
import { fileInstaller } from '../shared/settings-installer.ts'

const hooks: [event: string, verb: string][] = [
  ['sessionStart', 'session-start'],
  ['userPromptSubmitted', 'user-prompt-submitted'],
  ['agentStop', 'agent-stop'],
  ['subagentStart', 'subagent-start'],
  ['subagentStop', 'subagent-stop'],
  ['preCompact', 'pre-compact'],
  ['sessionEnd', 'session-end'],
]

export const copilotInstaller = fileInstaller({
  configPath: '.github/hooks/entire.json',
  entries: (program) =>
    hooks.map(
      ([event, verb]): HookEntry => ({
        event,
        matcher: '',
        hook: { type: 'command', bash: hookCommand(program, 'copilot-cli', verb), comment: 'Entire CLI' },
      }),
    ),
  isOurs: hookRecogniser(['copilot-cli']),
  members: [],
  switches: [],
  defaults: [{ path: ['version'], value: 1 }],
  groups: 'none',
  commandKey: 'bash',
})

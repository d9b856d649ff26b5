// Copilot CLI's hooks, in a file of their own below .github/hooks. Not among them are those that run with every tool: one that fails
// before a tool (killed, out of time, out of memory) denies the tool, and we have nothing to learn from them.

import { hookCommandLine, hookRecogniser } from '../shared/hook-command.ts'
import type { HookEntry } from '../shared/hook-settings.ts'
import { settingsInstaller } from '../shared/settings-installer.ts'

const hooks: [event: string, verb: string][] = [
  ['sessionStart', 'session-start'],
  ['userPromptSubmitted', 'user-prompt-submitted'],
  ['agentStop', 'agent-stop'],
  ['subagentStart', 'subagent-start'],
  ['subagentStop', 'subagent-stop'],
  ['preCompact', 'pre-compact'],
  ['sessionEnd', 'session-end'],
]

export const copilotInstaller = settingsInstaller({
  configPath: '.github/hooks/entire.json',
  entries: (program) =>
    hooks.map(
      ([event, verb]): HookEntry => ({
        event,
        matcher: '',
        hook: { type: 'command', bash: hookCommandLine(program, 'copilot-cli', verb), comment: 'Entire CLI' },
      }),
    ),
  isEntireHook: hookRecogniser(['copilot-cli']),
  members: [],
  switches: [],
  defaults: [{ path: ['version'], value: 1 }],
  groups: 'none',
  commandKey: 'bash',
})

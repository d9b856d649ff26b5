// Installs the hooks of Copilot CLI in their own file below .github/hooks. Hooks of tools are not among them:
// they have nothing to report, and one that fails before a tool (killed, timed out, out of memory) denies the
// tool.

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

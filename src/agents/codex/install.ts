// Installs the hooks of Codex in .codex/hooks.json. Codex also reads hooks from its config.toml; those belong
// to the user and are left alone.

import { hookCommandLine, hookRecogniser } from '../shared/hook-command.ts'
import type { HookEntry } from '../shared/hook-settings.ts'
import { settingsInstaller } from '../shared/settings-installer.ts'

// By default Codex waits ten minutes for a hook; at the end of a session and of an interrupted turn, one
// second and at most three.
const seconds = 30
const lastSeconds = 3

// No hooks for tools: the user has to review each hook before it may run.
const hooks: { event: string; verb: string; timeout: number }[] = [
  { event: 'SessionStart', verb: 'session-start', timeout: seconds },
  { event: 'UserPromptSubmit', verb: 'user-prompt-submit', timeout: seconds },
  { event: 'Stop', verb: 'stop', timeout: seconds },
  { event: 'Interrupt', verb: 'interrupt', timeout: lastSeconds },
  { event: 'PreCompact', verb: 'pre-compact', timeout: seconds },
  { event: 'SubagentStart', verb: 'subagent-start', timeout: seconds },
  { event: 'SubagentStop', verb: 'subagent-stop', timeout: seconds },
  { event: 'SessionEnd', verb: 'session-end', timeout: lastSeconds },
]

export const isCodexHook = hookRecogniser(['codex'])

export const codexInstaller = settingsInstaller({
  configPath: '.codex/hooks.json',
  entries: (program) =>
    hooks.map(
      ({ event, verb, timeout }): HookEntry => ({
        event,
        matcher: '',
        hook: { type: 'command', command: hookCommandLine(program, 'codex', verb), timeout },
      }),
    ),
  isEntireHook: isCodexHook,
  members: [],
  switches: [],
  groups: 'empty matcher left out',
})

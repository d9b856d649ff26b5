// Codex's hooks in .codex/hooks.json. Codex also takes hooks from its config.toml; those are the user's own, and never counted as ours.

import { hookCommandLine, hookRecogniser } from '../shared/hook-command.ts'
import type { HookEntry } from '../shared/hook-settings.ts'
import { settingsInstaller } from '../shared/settings-installer.ts'

// Codex would wait ten minutes; for the ends of sessions and interrupted turns one second, and never longer than three.
const seconds = 30
const lastSeconds = 3

// Nothing is asked of tools: each hook costs the user a look at it before it may run.
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

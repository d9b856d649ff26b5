// Installs the hooks of Droid in .factory/settings.json.

import { hookCommandLine, hookRecogniser } from '../shared/hook-command.ts'
import type { HookEntry } from '../shared/hook-settings.ts'
import { settingsInstaller } from '../shared/settings-installer.ts'

const hooks: { event: string; verb: string; matcher?: string }[] = [
  { event: 'SessionStart', verb: 'session-start' },
  // `droid exec` has no other hook before the agent begins to work.
  { event: 'SessionStart', verb: 'user-prompt-submit' },
  { event: 'SessionEnd', verb: 'session-end' },
  { event: 'Stop', verb: 'stop' },
  { event: 'UserPromptSubmit', verb: 'user-prompt-submit' },
  { event: 'PreToolUse', verb: 'pre-tool-use', matcher: 'Task' },
  { event: 'PostToolUse', verb: 'post-tool-use', matcher: 'Task' },
  { event: 'PreCompact', verb: 'pre-compact' },
]

export const droidInstaller = settingsInstaller({
  configPath: '.factory/settings.json',
  entries: (program) =>
    hooks.map(
      ({ event, verb, matcher = '' }): HookEntry => ({
        event,
        matcher,
        hook: { type: 'command', command: hookCommandLine(program, 'factoryai-droid', verb) },
      }),
    ),
  isEntireHook: hookRecogniser(['factoryai-droid']),
  members: [],
  switches: [],
  groups: 'empty matcher left out',
})

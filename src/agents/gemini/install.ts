// Installs the hooks of Gemini CLI in .gemini/settings.json, and the switch that enables them.

import { hookCommandLine, hookRecogniser } from '../shared/hook-command.ts'
import type { HookEntry } from '../shared/hook-settings.ts'
import { settingsInstaller } from '../shared/settings-installer.ts'

const hooks: { event: string; verb: string; matcher?: string; name?: string }[] = [
  { event: 'SessionStart', verb: 'session-start' },
  { event: 'SessionEnd', verb: 'session-end', matcher: 'exit', name: 'session-end-exit' },
  { event: 'SessionEnd', verb: 'session-end', matcher: 'logout', name: 'session-end-logout' },
  { event: 'BeforeAgent', verb: 'before-agent' },
  { event: 'AfterAgent', verb: 'after-agent' },
  { event: 'BeforeModel', verb: 'before-model' },
  { event: 'AfterModel', verb: 'after-model' },
  { event: 'BeforeToolSelection', verb: 'before-tool-selection' },
  { event: 'BeforeTool', verb: 'before-tool', matcher: '*' },
  { event: 'AfterTool', verb: 'after-tool', matcher: '*' },
  { event: 'PreCompress', verb: 'pre-compress' },
  { event: 'Notification', verb: 'notification' },
]

export const geminiInstaller = settingsInstaller({
  configPath: '.gemini/settings.json',
  entries: (program) =>
    hooks.map(
      ({ event, verb, matcher = '', name = verb }): HookEntry => ({
        event,
        matcher,
        hook: { name: `entire-${name}`, type: 'command', command: hookCommandLine(program, 'gemini', verb) },
      }),
    ),
  isEntireHook: hookRecogniser(['gemini']),
  members: [],
  switches: [{ path: ['hooksConfig', 'enabled'], value: true }],
  groups: 'empty matcher left out',
})

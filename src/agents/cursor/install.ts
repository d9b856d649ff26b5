// Installs the hooks of Cursor in .cursor/hooks.json. Cursor would ignore the whole file for one unknown
// event.

import { hookCommandLine, hookRecogniser } from '../shared/hook-command.ts'
import { settingsInstaller } from '../shared/settings-installer.ts'

const events: Record<string, string> = {
  sessionStart: 'session-start',
  sessionEnd: 'session-end',
  beforeSubmitPrompt: 'before-submit-prompt',
  stop: 'stop',
  preCompact: 'pre-compact',
  subagentStart: 'subagent-start',
  subagentStop: 'subagent-stop',
}

export const cursorInstaller = settingsInstaller({
  configPath: '.cursor/hooks.json',
  entries: (program) =>
    Object.entries(events).map(([event, verb]) => ({
      event,
      matcher: '',
      hook: { command: hookCommandLine(program, 'cursor', verb) },
    })),
  isEntireHook: hookRecogniser(['cursor']),
  members: [],
  switches: [],
  defaults: [{ path: ['version'], value: 1 }],
  groups: 'none',
})

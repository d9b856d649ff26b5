// Cursor's hooks in .cursor/hooks.json. One event that it does not know would make it ignore the whole file.

import { hookCommand, hookRecogniser } from '../shared/hook-settings.ts'
import { fileInstaller } from '../shared/settings-installer.ts'

const events: Record<string, string> = {
  sessionStart: 'session-start',
  sessionEnd: 'session-end',
  beforeSubmitPrompt: 'before-submit-prompt',
  stop: 'stop',
  preCompact: 'pre-compact',
  subagentStart: 'subagent-start',
  subagentStop: 'subagent-stop',
}

export const cursorInstaller = fileInstaller({
  configPath: '.cursor/hooks.json',
  entries: (program) =>
    Object.entries(events).map(([event, verb]) => ({
      event,
      matcher: '',
      hook: { command: hookCommand(program, 'cursor', verb) },
    })),
  isOurs: hookRecogniser(['cursor']),
  members: [],
  switches: [],
  defaults: [{ path: ['version'], value: 1 }],
  groups: 'none',
})

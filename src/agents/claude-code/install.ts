// Installs the hooks of Claude Code in .claude/settings.json, and a rule that keeps it from reading its own
// recordings.

import { given } from '../../std/given.ts'
import { hookCommandLine, hookRecogniser } from '../shared/hook-command.ts'
import type { HookEntry } from '../shared/hook-settings.ts'
import { settingsInstaller } from '../shared/settings-installer.ts'

// Claude Code kills hooks at the end of a session after 1.5 seconds unless they ask for more.
const sessionEndSeconds = 30

const hooks: { event: string; verb: string; matcher?: string; timeout?: number }[] = [
  { event: 'SessionStart', verb: 'session-start' },
  { event: 'SessionEnd', verb: 'session-end', timeout: sessionEndSeconds },
  { event: 'Stop', verb: 'stop' },
  { event: 'UserPromptSubmit', verb: 'user-prompt-submit' },
  { event: 'PreToolUse', verb: 'pre-task', matcher: 'Task' },
  { event: 'PostToolUse', verb: 'post-task', matcher: 'Task' },
  { event: 'PostToolUse', verb: 'post-todo', matcher: 'TodoWrite' },
  { event: 'SubagentStop', verb: 'subagent-stop' },
  { event: 'PreCompact', verb: 'pre-compact' },
]

export const claudeInstaller = settingsInstaller({
  configPath: '.claude/settings.json',
  entries: (program) =>
    hooks.map(
      ({ event, verb, matcher = '', timeout }): HookEntry => ({
        event,
        matcher,
        hook: {
          type: 'command',
          command: hookCommandLine(program, 'claude-code', verb),
          ...given({ timeout }),
        },
      }),
    ),
  isEntireHook: hookRecogniser(['claude-code', 'claudecode'], ['rewind\\s+claude-hook']),
  members: [{ path: ['permissions', 'deny'], value: 'Read(./.entire/metadata/**)' }],
  switches: [],
  groups: 'matcher always written',
})

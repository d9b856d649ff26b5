// Installs the hooks of Claude Code, and a rule that keeps it from reading its own recordings: in
// .claude/settings.json, which a team shares, and in .claude/settings.local.json. Started below the top of the
// work tree, Claude Code reads only the second of them. At the top it reads both, and runs equal commands once.

import type { HookInstaller } from '../../model/agent.ts'
import { given } from '../../std/given.ts'
import { hookCommandLine, hookRecogniser } from '../shared/hook-command.ts'
import type { HookEntry, HookLayout } from '../shared/hook-settings.ts'
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

const layout: HookLayout = {
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
}

const shared = settingsInstaller(layout)
const own = settingsInstaller({ ...layout, configPath: '.claude/settings.local.json', members: [] })

export const claudeInstaller: HookInstaller = {
  configPath: shared.configPath,
  ownPath: own.configPath,
  async install(site, options) {
    const added = await shared.install(site, options)
    return Math.max(added, await own.install(site, options))
  },
  // The first file to be installed may have made the directory.
  async uninstall(site) {
    await own.uninstall(site)
    await shared.uninstall(site)
  },
  installed: async (site) => (await shared.installed(site)) || (await own.installed(site)),
  current: async (site, options) =>
    (await shared.current(site, options)) && (await own.current(site, options)),
}

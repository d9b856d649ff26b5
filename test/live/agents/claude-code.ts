// Claude Code with a key of no account, in a folder that its user trusts.
import { join } from 'node:path'
import type { LiveAgent } from './live-agent.ts'

const key = 'none'

export const claudeCode: LiveAgent = {
  name: 'claude-code',
  type: 'Claude Code',
  package: '@anthropic-ai/claude-code',
  version: '2.1.325',
  program: 'claude',
  // It puts the executable of this platform in its place.
  afterInstall: '@anthropic-ai/claude-code/install.cjs',
  model: 'claude-scripted-1',
  tools: {
    read: (file_path) => ({ tool: 'Read', args: { file_path } }),
    write: (file_path, content) => ({ tool: 'Write', args: { file_path, content } }),
    edit: (file_path, old_string, new_string) => ({
      tool: 'Edit',
      args: { file_path, old_string, new_string },
    }),
    shell: (command) => ({ tool: 'Bash', args: { command, description: 'Run a command' } }),
    delegate: (prompt) => ({
      tool: 'Agent',
      args: { description: 'A poem', prompt, subagent_type: 'general-purpose', run_in_background: false },
    }),
  },
  prepare: ({ home, root, url }) => ({
    files: {
      [join(home, '.claude.json')]: {
        hasCompletedOnboarding: true,
        customApiKeyResponses: { approved: [key], rejected: [] },
        projects: { [root]: { hasTrustDialogAccepted: true } },
      },
      [join(home, '.claude/settings.json')]: { skipDangerousModePermissionPrompt: true },
    },
    env: {
      ANTHROPIC_API_KEY: key,
      ANTHROPIC_BASE_URL: url,
      DISABLE_TELEMETRY: '1',
      DISABLE_AUTOUPDATER: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      // Otherwise it refuses to work without permissions as root.
      IS_SANDBOX: '1',
    },
  }),
  args: (prompt, resumed) => [
    ...resumed,
    '--model',
    'claude-scripted-1',
    '--dangerously-skip-permissions',
    '--print',
    prompt,
  ],
  fork: (resumed) => [...resumed, '--fork-session'],
  survivesInterrupt: true,
  memory: ['.claude/projects'],
  runsGitHooks: true,
  taskSteps: true,
}

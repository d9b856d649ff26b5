// Copilot CLI with a model of the user's own and no account, in a folder that its user trusts.
import { join } from 'node:path'
import type { LiveAgent } from './live-agent.ts'

export const copilotCli: LiveAgent = {
  name: 'copilot-cli',
  type: 'Copilot CLI',
  package: '@github/copilot',
  version: '1.0.102',
  program: 'copilot',
  model: 'scripted',
  tools: {
    read: (path) => ({ tool: 'view', args: { path } }),
    write: (path, file_text) => ({ tool: 'create', args: { path, file_text } }),
    edit: (path, old_str, new_str) => ({ tool: 'edit', args: { path, old_str, new_str } }),
    shell: (command) => ({ tool: 'bash', args: { command, description: 'Run a command' } }),
    delegate: (prompt) => ({
      tool: 'task',
      args: { name: 'poet', description: 'A poem', agent_type: 'general-purpose', prompt, mode: 'sync' },
    }),
  },
  prepare: ({ home, root, url }) => ({
    // Hooks of a repository run only in a trusted folder; elsewhere they are skipped silently.
    files: { [join(home, '.copilot/config.json')]: { trusted_folders: [root] } },
    env: {
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_API_KEY: 'none',
      COPILOT_MODEL: 'scripted',
      COPILOT_AUTO_UPDATE: 'false',
    },
  }),
  args: (prompt, resumed) => [...resumed, '--allow-all', '-p', prompt],
  memory: ['.copilot/session-state', '.copilot/session-store.db'],
  runsGitHooks: true,
  taskSteps: true,
}

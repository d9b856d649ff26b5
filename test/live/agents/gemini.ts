// Gemini CLI with a key of no account, in a folder that its user trusts.
import { join } from 'node:path'
import type { LiveAgent } from './live-agent.ts'

export const gemini: LiveAgent = {
  name: 'gemini',
  type: 'Gemini CLI',
  package: '@google/gemini-cli',
  version: '0.61.0',
  program: 'gemini',
  model: 'gemini-2.5-flash',
  tools: {
    read: (file_path) => ({ tool: 'read_file', args: { file_path } }),
    write: (file_path, content) => ({ tool: 'write_file', args: { file_path, content } }),
    edit: (file_path, old_string, new_string) => ({
      tool: 'replace',
      args: { file_path, old_string, new_string, instruction: 'Change the wording.' },
    }),
    shell: (command) => ({ tool: 'run_shell_command', args: { command, description: 'Run a command' } }),
    delegate: (prompt) => ({ tool: 'invoke_agent', args: { agent_name: 'generalist', prompt } }),
    report: (response) => ({ tool: 'complete_task', args: { result: { response } } }),
  },
  prepare: ({ home, root, url }) => ({
    files: {
      // Without a type of login the base URL makes it look for a gateway.
      [join(home, '.gemini/settings.json')]: {
        security: { auth: { selectedType: 'gemini-api-key' } },
        general: { enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
      },
      // Hooks of a project run only in a trusted folder.
      [join(home, '.gemini/trustedFolders.json')]: { [root]: 'TRUST_FOLDER' },
    },
    env: { GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: url },
  }),
  // A named model spares the call that would choose one.
  args: (prompt, resumed) => [...resumed, '--model', 'gemini-2.5-flash', '--yolo', '--prompt', prompt],
  memory: ['.gemini/tmp'],
  runsGitHooks: false,
  taskSteps: false,
}

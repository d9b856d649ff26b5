// OpenCode with a provider of the user's own, everything allowed, and nothing to download.
import { join } from 'node:path'
import type { LiveAgent } from './live-agent.ts'

export const opencode: LiveAgent = {
  name: 'opencode',
  type: 'OpenCode',
  package: 'opencode-ai',
  version: '1.18.33',
  program: 'opencode',
  // It links the executable of this platform.
  afterInstall: 'opencode-ai/postinstall.mjs',
  model: 'scripted',
  tools: {
    read: (filePath) => ({ tool: 'read', args: { filePath } }),
    write: (filePath, content) => ({ tool: 'write', args: { filePath, content } }),
    edit: (filePath, oldString, newString) => ({ tool: 'edit', args: { filePath, oldString, newString } }),
    shell: (command) => ({ tool: 'bash', args: { command, description: 'Run a command' } }),
    delegate: (prompt) => ({
      tool: 'task',
      args: { description: 'A poem', prompt, subagent_type: 'general' },
    }),
  },
  prepare: ({ home, root, url }) => ({
    files: {
      ...typesInstalled(join(root, '.opencode')),
      ...typesInstalled(join(home, '.config/opencode')),
      [join(home, '.config/opencode/opencode.json')]: {
        model: 'live/scripted',
        small_model: 'live/scripted',
        autoupdate: false,
        share: 'disabled',
        permission: { '*': 'allow' },
        provider: {
          live: {
            npm: '@ai-sdk/openai-compatible',
            name: 'Live',
            options: { baseURL: `${url}/v1`, apiKey: 'none' },
            models: {
              scripted: { name: 'Scripted', tool_call: true, limit: { context: 128_000, output: 8000 } },
            },
          },
        },
      },
    },
    env: {
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    },
  }),
  // A session is continued on the screen; `run` takes the same flag and needs none.
  args: (prompt, resumed) => ['run', ...resumed, prompt],
  memory: ['.local/share/opencode'],
  runsGitHooks: true,
  taskSteps: true,
}

/**
 * OpenCode wants the types of plugins beside them, and tries for more than a minute to download missing ones.
 */
function typesInstalled(dir: string): Record<string, unknown> {
  return {
    [join(dir, 'package-lock.json')]: { packages: { '': { dependencies: { '@opencode-ai/plugin': '*' } } } },
    [join(dir, 'node_modules/.package-lock.json')]: {},
  }
}

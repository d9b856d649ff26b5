// Pi with a provider of the user's own. It has no subagents.
import { join } from 'node:path'
import type { LiveAgent } from './live-agent.ts'

export const pi: LiveAgent = {
  name: 'pi',
  type: 'Pi',
  package: '@mariozechner/pi-coding-agent',
  version: '0.73.1',
  program: 'pi',
  model: 'scripted',
  tools: {
    read: (path) => ({ tool: 'read', args: { path } }),
    write: (path, content) => ({ tool: 'write', args: { path, content } }),
    edit: (path, oldText, newText) => ({ tool: 'edit', args: { path, edits: [{ oldText, newText }] } }),
    shell: (command) => ({ tool: 'bash', args: { command } }),
  },
  prepare: ({ home, url }) => ({
    files: {
      [join(home, '.pi/agent/models.json')]: {
        providers: {
          live: {
            baseUrl: `${url}/v1`,
            api: 'openai-completions',
            apiKey: 'none',
            compat: { supportsDeveloperRole: false, supportsReasoningEffort: false },
            models: [
              { id: 'scripted', name: 'Scripted', input: ['text'], contextWindow: 128_000, maxTokens: 8000 },
            ],
          },
        },
      },
    },
    env: {},
  }),
  args: (prompt, resumed) => [...resumed, '--model', 'live/scripted', '--print', prompt],
  memory: ['.pi/agent/sessions'],
  runsGitHooks: true,
  taskSteps: false,
}

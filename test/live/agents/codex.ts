// Codex with a provider of the user's own, in a folder that its user trusts.
import { join } from 'node:path'
import type { Call } from '../model/conversation.ts'
import type { LiveAgent } from './live-agent.ts'

export const codex: LiveAgent = {
  name: 'codex',
  type: 'Codex',
  package: '@openai/codex',
  version: '0.166.0',
  program: 'codex',
  // The last one whose tools are not wrapped in code.
  model: 'gpt-5.5',
  tools: {
    read: (path) => ({ tool: 'exec_command', args: { cmd: `cat '${path}'` } }),
    write: (path, content) => patch(`*** Add File: ${path}`, added(content)),
    edit: (path, before, after) => patch(`*** Update File: ${path}`, `@@\n-${before}\n+${after}`),
    shell: (cmd) => ({ tool: 'exec_command', args: { cmd, yield_time_ms: 10_000 } }),
    delegate: (message) => ({ tool: 'spawn_agent', namespace: 'multi_agent_v1', args: { message } }),
    // A subagent that is not waited for ends with its parent.
    wait: (launched) => ({
      tool: 'wait_agent',
      namespace: 'multi_agent_v1',
      args: { targets: [/"agent_id":"([^"]+)"/.exec(launched)?.[1] ?? ''], timeout_ms: 60_000 },
    }),
  },
  prepare: ({ home, root, url }) => ({
    files: {
      [join(home, '.codex/config.toml')]: `
model = "gpt-5.5"
model_provider = "live"
check_for_update_on_startup = false

[model_providers.live]
name = "Live"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "LIVE_API_KEY"

[projects."${root}"]
trust_level = "trusted"
`,
    },
    env: { LIVE_API_KEY: 'none' },
  }),
  args: (prompt, resumed) => [
    'exec',
    '--dangerously-bypass-approvals-and-sandbox',
    // A person trusts the hooks on the screen.
    '--dangerously-bypass-hook-trust',
    ...resumed,
    prompt,
  ],
  fork: (resumed) => ['fork', ...resumed.slice(1)],
  survivesInterrupt: true,
  memory: ['.codex/sessions'],
  // Its login shell does not find `entire` on the PATH.
  runsGitHooks: false,
  taskSteps: true,
}

function patch(head: string, body: string): Call {
  return { tool: 'apply_patch', args: { input: `*** Begin Patch\n${head}\n${body}\n*** End Patch` } }
}

function added(content: string): string {
  return content
    .trimEnd()
    .split('\n')
    .map((line) => `+${line}`)
    .join('\n')
}

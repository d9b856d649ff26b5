// The page that says what we can do with which agent, made from the agents themselves.

import { sessionDirWatcher } from '../../src/agents/shared/session-dir-watcher.ts'
import type { Agent } from '../../src/model/agent.ts'

const yes = (is: unknown) => (is ? '✓' : '–')
const code = (text: string | undefined) => (text === undefined || text === '' ? '–' : `\`${text}\``)

const columns: [
  heading: string,
  meaning: string,
  cell: (agent: Agent, command: string | undefined) => string,
][] = [
  ['agent', 'its name in `entire enable --agent <name>`', (agent) => code(agent.name)],
  ['stored as', 'its name in checkpoints', (agent) => agent.type],
  ['hooks', 'the file that `entire enable` edits or writes', (agent) => code(agent.installer?.configPath)],
  ['verbs', 'how many hooks it has a meaning for', (agent) => String(agent.hookNames.length)],
  [
    'watched',
    'turns can be seen without hooks, with `entire watch`',
    (agent) => yes(agent.watcher ?? sessionDirWatcher(agent)),
  ],
  ['transcript', 'how we get at it', (agent) => (agent.source ? 'asked for' : 'file')],
  ['conversation', '`entire explain` shows what was said', (agent) => yes(agent.transcript.readEntries)],
  [
    'subagents',
    'their files and tokens are found in transcripts of their own',
    (agent) => yes(agent.subagents),
  ],
  ['banner', 'the agent shows a message of ours when a session starts', (agent) => yes(agent.hookResponse)],
  ['resume', 'what `entire resume` tells you to run', (_agent, command) => code(command)],
  ['summaries', '`entire explain --generate` can use it', (agent) => yes(agent.generator)],
  [
    'obstacles',
    '`entire doctor` knows what may keep its hooks from running',
    (agent) => yes(agent.findObstacle),
  ],
  ['commits known by', 'the variable that its commands have', (agent) => code(agent.callerEnv[0])],
  [
    'kept',
    'directories in which a rewind deletes nothing',
    (agent) => agent.protectedDirs.map(code).join(' ') || '–',
  ],
]

export async function agentCapabilities(agents: Agent[]): Promise<string> {
  const rows = await Promise.all(
    agents.map(async (agent) => {
      const command = await agent.resume?.command('<id>')
      return columns.map(([, , cell]) => cell(agent, command))
    }),
  )
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [
    '# Agents and what we can do with them',
    '',
    '<!-- Made from src/agents by `npm run docs`. Do not edit. -->',
    '',
    line(columns.map(([heading]) => heading)),
    line(columns.map(() => '---')),
    ...rows.map(line),
    '',
    ...columns.map(([heading, meaning]) => `- **${heading}**: ${meaning}`),
    '',
    'Any other agent can be added as a [plugin](../write-an-agent-plugin.md).',
    '',
  ].join('\n')
}

// Generates the page about what Entire can do with each agent, from the agents themselves.

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
  ['verbs', 'how many hooks of the agent Entire understands', (agent) => String(agent.hookNames.length)],
  [
    'watched',
    '`entire watch` can record its turns without hooks',
    (agent) => yes(agent.watcher ?? sessionDirWatcher(agent)),
  ],
  ['transcript', 'how Entire gets it', (agent) => (agent.source ? 'export' : 'file')],
  ['conversation', '`entire explain` shows the conversation', (agent) => yes(agent.transcript.readEntries)],
  [
    'subagents',
    'files and tokens of subagents are read from their own transcripts',
    (agent) => yes(agent.subagents),
  ],
  ['banner', 'the agent shows a message of Entire when a session starts', (agent) => yes(agent.hookResponse)],
  ['resume', 'the command that `entire resume` prints', (_agent, command) => code(command)],
  ['summaries', '`entire explain --generate` can use it', (agent) => yes(agent.generator)],
  ['obstacles', '`entire doctor` finds out why its hooks do not run', (agent) => yes(agent.findObstacle)],
  [
    'commits known by',
    'the environment variable by which its commits are recognised',
    (agent) => code(agent.callerEnv[0]),
  ],
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
    '# Agents and what Entire can do with them',
    '',
    '<!-- Generated from src/agents by `npm run docs`. Do not edit. -->',
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

// `entire watch`: records agents by the files they write, beside them, until Ctrl-C.

import { buildCommand } from '@stricli/core'
import { isSetUp } from '../../settings/read.ts'
import { EntireError } from '../../std/errors.ts'
import { formatManual, switchFlag, valueFlag } from '../command-parts.ts'
import { type Cli, requireRepo } from '../context.ts'
import { reportIfDisabled } from '../preconditions.ts'
import { runWatch } from './run.ts'
import { watchedAgents } from './watched-agents.ts'

interface WatchFlags {
  agent?: readonly string[]
  chatHistoryFile?: string
  quietSeconds: number
  json?: boolean
}

export const watchCommand = buildCommand<WatchFlags, [], Cli>({
  async func(flags) {
    const repo = requireRepo(this, 'watch')
    if (!isSetUp(repo.root))
      throw new EntireError('not-found', 'Entire is not set up in this repository.', {
        hint: 'Run `entire enable` first.',
      })
    if (reportIfDisabled(this, repo)) return
    const watched = await watchedAgents(this, repo, flags)
    await runWatch(this, repo, watched, { quietMs: flags.quietSeconds * 1000, json: flags.json === true })
  },
  parameters: {
    flags: {
      agent: {
        kind: 'parsed',
        parse: String,
        variadic: ',',
        optional: true,
        brief: 'Agent to watch; may be repeated',
        placeholder: 'agent',
      },
      chatHistoryFile: valueFlag('file', "Where aider keeps its chat history, as in aider's own option"),
      quietSeconds: {
        kind: 'parsed',
        parse: parseSeconds,
        default: '10',
        placeholder: 'n',
        brief: 'A turn is over when the agent has written nothing for so long',
      },
      json: switchFlag('Print what happens as JSON, a line each'),
    },
  },
  docs: {
    brief: 'Record agents that have no hooks, by the files they write',
    fullDescription: formatManual({
      text: [
        'Runs beside the agent, in a terminal of its own, until Ctrl-C. A new prompt in the session file begins a turn; when the agent has',
        'answered and falls silent, the turn is over and what it changed is saved as a step. Commits are linked as always.',
        'Aider is followed by its chat history, in this work tree or where its configuration says. All other agents have hooks and need no',
        'watching; where their hooks cannot run, name the agent, and the files in its session directory are followed. A session that hooks',
        'report is left to them. Without --agent, aider and agents found here whose hooks are not installed are watched.',
        'What happened while nobody watched is made up for at the next start.',
      ],
      examples: [
        ['entire watch', 'in a second terminal, while you work with aider in the first'],
        [
          'entire watch --agent aider --chat-history-file ~/notes/chat.md',
          'when aider writes its history elsewhere',
        ],
        ['entire watch --agent codex', 'when its hooks may not run'],
        ['entire watch --quiet-seconds 60', 'for models that pause for long'],
        ['entire watch --json | jq -r .event', 'for scripts'],
      ],
    }),
  },
})

function parseSeconds(text: string): number {
  const seconds = Number(text)
  if (text.trim() !== '' && seconds > 0 && seconds <= 86_400) return seconds
  throw new EntireError('bad-usage', `"${text}" is no number of seconds.`, {
    hint: 'Name a number above 0, such as 10.',
  })
}

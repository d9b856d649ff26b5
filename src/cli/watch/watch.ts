// Defines `entire watch`, which records agents without hooks by following their session files.

import { buildCommand } from '@stricli/core'
import { invalidValue } from '../../std/errors.ts'
import { formatManual, switchFlag, valueFlag } from '../command-parts.ts'
import { type Cli, requireRepo } from '../context.ts'
import { reportIfDisabled, requireSetUp } from '../preconditions.ts'
import { runWatch } from './follow-agents.ts'
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
    requireSetUp(repo)
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
        brief: 'Agent to watch; may be repeated, or separate names with commas',
        placeholder: 'agent',
      },
      chatHistoryFile: valueFlag('file', "Chat history file of aider, as in aider's own option"),
      quietSeconds: {
        kind: 'parsed',
        parse: parseSeconds,
        default: '10',
        placeholder: 'n',
        brief: 'Seconds without output after which a turn is over',
      },
      json: switchFlag('Print events as JSON, one per line'),
    },
  },
  docs: {
    brief: 'Record agents without hooks by following their session files',
    fullDescription: formatManual({
      text: [
        'Runs beside the agent, in a separate terminal, until Ctrl-C. A new prompt in the session file starts a turn; when the agent has',
        'answered and writes nothing more, the turn is over and its changes are saved as a step. Commits are linked as usual.',
        'For aider, follows its chat history in this work tree or where its configuration says. All other agents have hooks and need not be',
        'watched; if their hooks cannot run, name the agent, and the files in its session directory are followed. Sessions reported by hooks',
        'are not watched. Without --agent, watches aider and agents in use here whose hooks are not installed.',
        'Turns that ended while nothing was watching are recorded at the next start.',
      ],
      examples: [
        ['entire watch', 'in a second terminal, beside aider'],
        [
          'entire watch --agent aider --chat-history-file ~/notes/chat.md',
          'if aider writes its history elsewhere',
        ],
        ['entire watch --agent codex', 'if its hooks cannot run'],
        ['entire watch --quiet-seconds 60', 'for models with long pauses'],
        ['entire watch --json | jq -r .event', 'for scripts'],
      ],
    }),
  },
})

function parseSeconds(text: string): number {
  const seconds = Number(text)
  if (text.trim() !== '' && seconds > 0 && seconds <= 86_400) return seconds
  throw invalidValue(text, '--quiet-seconds', 'Use a number of seconds above 0, such as 10.')
}

// Defines `entire session`, which shows and manages sessions, with its subcommands `list` and `attach`.

import { buildCommand, buildRouteMap } from '@stricli/core'
import { listSessionHeads, readState } from '../../sessions/list.ts'
import { formatJson } from '../../std/json.ts'
import { formatManual, switchFlag, valueFlag } from '../command-parts.ts'
import { type Cli, requireRepo } from '../context.ts'
import { page } from '../pager.ts'
import { cardLines, unreadableText } from '../render/sessions.ts'
import { fit } from '../render/text.ts'
import { sessionResumeCommand } from '../resume/resume.ts'
import type { AttachFlags } from './attach.ts'
import { idParameter, sessionJson } from './find-session.ts'
import { sessionCurrentCommand, sessionInfoCommand } from './info-and-current.ts'
import { sessionStopCommand } from './stop.ts'
import { sessionTokensCommand } from './tokens.ts'

const shownByDefault = 20

interface ListFlags {
  all?: boolean
  json?: boolean
}

const sessionListCommand = buildCommand<ListFlags, [], Cli>({
  async func(flags) {
    const repo = requireRepo(this, 'session list')
    const { heads, unreadable } = listSessionHeads(repo)
    // Programs get all sessions: they would not notice that some are missing.
    const limit = flags.all || flags.json ? heads.length : shownByDefault
    const read = heads.slice(0, limit).map(({ id }) => readState(repo, id))
    const sessions = read.flatMap((session) => session ?? [])
    const unreadableCount = unreadable.length + read.length - sessions.length
    if (unreadableCount > 0) this.note(`! ${unreadableText(unreadableCount)}`)
    if (flags.json) return this.process.stdout.write(formatJson(sessions.map(sessionJson)))
    if (sessions.length === 0) return this.out('No sessions.')
    const { columns } = this.size()
    const cards = sessions.map((session) =>
      cardLines(session, this.clock()).map((line) => fit(line, columns)),
    )
    await page(this, `${cards.map((lines) => lines.join('\n')).join('\n\n')}\n`)
    if (heads.length > limit) this.note(`\n${limit} of ${heads.length} sessions. See all with --all.`)
  },
  parameters: {
    flags: {
      all: switchFlag(`Show all, not only the newest ${shownByDefault}`),
      json: switchFlag('Print JSON (always all)'),
    },
    aliases: { a: 'all' },
  },
  docs: {
    brief: 'List sessions of all work trees, newest first',
    fullDescription: formatManual({
      text: [
        'Lists the sessions of all work trees, newest first: agent, model, work tree, last prompt, status, age and tokens.',
      ],
      examples: [
        ['entire session list', 'the newest sessions'],
        ['entire session list --all', 'all sessions'],
        ['entire session list --json | jq \'.[] | select(.status == "active")\'', 'for scripts'],
      ],
    }),
  },
})

const sessionAttachCommand = buildCommand<AttachFlags, [string], Cli>({
  loader: async () => (await import('./attach.ts')).runAttach,
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [idParameter('Id of the session in its agent, or a prefix of it')],
    },
    flags: {
      agent: valueFlag('name', 'Agent of the session (default: all agents are tried)'),
      force: switchFlag('Amend the last commit without asking'),
    },
    aliases: { a: 'agent', f: 'force' },
  },
  docs: {
    brief: 'Attach a session that was not recorded',
    fullDescription: formatManual({
      text: [
        'Redacts the transcript of a session that ran without hooks, and stores it in the checkpoint of the last commit, which is created',
        'if it does not exist. On a terminal you are asked whether to amend the commit with the trailer; otherwise, and whenever the commit',
        'has been pushed or changes are staged, the commit is linked by a note and not changed.',
      ],
      examples: [
        ['entire session attach 6f3c0e52-8f0e-4a54-9a13-5a3f1f0a7c11', 'to the last commit'],
        ['entire session attach 6f3c0e5 --agent gemini', 'a session of this agent'],
        ['entire session attach 6f3c0e5 --force', 'amend without being asked'],
      ],
    }),
  },
})

export const sessionCommands = buildRouteMap<string, Cli>({
  routes: {
    list: sessionListCommand,
    info: sessionInfoCommand,
    current: sessionCurrentCommand,
    stop: sessionStopCommand,
    attach: sessionAttachCommand,
    resume: sessionResumeCommand,
    tokens: sessionTokensCommand,
  },
  docs: {
    brief: 'Show and manage sessions',
    fullDescription: formatManual({
      text: [
        'A session is a conversation with a coding agent in this repository. Name it by its id or a prefix of it.',
      ],
      examples: [
        ['entire session list', 'the newest sessions'],
        ['entire session info 6f3c0e5', 'one session'],
        ['entire session stop --all', 'end sessions whose agents are gone'],
      ],
    }),
  },
})

// Defines `entire session list`, which lists the sessions of all work trees.

import { buildCommand } from '@stricli/core'
import { listSessionHeads, readState } from '../../sessions/heads.ts'
import { formatJson } from '../../std/json.ts'
import { formatManual, switchFlag } from '../command-parts.ts'
import { type Cli, requireRepo } from '../context.ts'
import { page } from '../pager.ts'
import { cardLines, unreadableText } from '../render/sessions.ts'
import { fit } from '../render/text.ts'
import { sessionJson } from './session-json.ts'

const shownByDefault = 20

interface ListFlags {
  all?: boolean
  json?: boolean
}

export const sessionListCommand = buildCommand<ListFlags, [], Cli>({
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
        [
          'entire session list --json | jq -r \'.[] | select(.status == "active") | .session_id\'',
          'for scripts',
        ],
      ],
    }),
  },
})

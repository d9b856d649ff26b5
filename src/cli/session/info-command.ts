// `entire session info` and `entire session current`: one session in full.
import { buildCommand } from '@stricli/core'
import type { Session } from '../../model/session.ts'
import { EntireError } from '../../std/errors.ts'
import { formatJson } from '../../std/json.ts'
import { type Cli, requireRepo } from '../context.ts'
import { said } from '../flags.ts'
import { formatManual } from '../manual.ts'
import { fit } from '../render/table.ts'
import { findCurrentSession, findSession } from './find-session.ts'
import { infoLines } from './info-view.ts'
import { sessionJson } from './session-json.ts'

interface InfoFlags {
  json?: boolean
  transcript?: boolean
}

export const idParameter = (brief: string) => ({ parse: String, placeholder: 'id', brief }) as const

export const infoCommand = buildCommand<InfoFlags, [string], Cli>({
  async func(flags, id) {
    if (flags.json && flags.transcript) throw new EntireError('bad-usage', '--json and --transcript cannot be used together')
    const session = findSession(requireRepo(this, 'session info'), id)
    if (flags.transcript) await (await import('./transcript.ts')).printTranscript(this, session)
    else print(this, session, flags)
  },
  parameters: {
    positional: { kind: 'tuple', parameters: [idParameter('Id of the session, or the beginning of it')] },
    flags: {
      json: said('Print JSON'),
      transcript: said('Print the transcript as its agent has written it so far'),
    },
  },
  docs: {
    brief: 'Show one session',
    fullDescription: formatManual({
      text: ['Shows what is known of a session: agent, model, state, times, turns, checkpoints, tokens, last prompt and files.'],
      examples: [
        ['entire session info 6f3c0e5', 'by the beginning of its id'],
        ['entire session info 6f3c0e5 --transcript | jq .type', 'the conversation'],
      ],
    }),
  },
})

export const currentCommand = buildCommand<Pick<InfoFlags, 'json'>, [], Cli>({
  func(flags) {
    const session = findCurrentSession(this, requireRepo(this, 'session current'))
    if (session !== undefined) print(this, session, flags)
    else if (flags.json) this.process.stdout.write(formatJson(null))
    else this.out('No session in this work tree.')
  },
  parameters: { flags: { json: said('Print JSON; null when there is none') } },
  docs: {
    brief: 'Show the session of this work tree that was at work last',
    fullDescription: formatManual({
      text: ['Shows the session whose agent runs this command, or else the one of this work tree that was heard of last.'],
      examples: [
        ['entire session current', 'what happened here last'],
        ['entire session current --json | jq -r .session_id', 'its id'],
      ],
    }),
  },
})

function print(cli: Cli, session: Session, { json }: InfoFlags): void {
  const lines = () => infoLines(session, cli.clock()).map((line) => `${fit(line, cli.size().columns)}\n`)
  cli.process.stdout.write(json ? formatJson(sessionJson(session)) : lines().join(''))
}

// `entire session tokens`: what a session cost, and where it went.
import { buildCommand } from '@stricli/core'
import { EntireError } from '../../std/errors.ts'
import { formatJson } from '../../std/json.ts'
import { type Cli, requireRepo } from '../context.ts'
import { said } from '../flags.ts'
import { formatManual } from '../manual.ts'
import { paint } from '../render/colour.ts'
import { statusOf, unknown } from '../render/sessions.ts'
import { fit, tableLines } from '../render/table.ts'
import { clean } from '../render/text.ts'
import { formatCount } from '../render/tokens.ts'
import { findCurrentSession, findSession } from './find-session.ts'
import { idParameter } from './info-command.ts'
import { briefLines, reportJson, reportTokens, type TokenReport } from './tokens-report.ts'

interface TokensFlags {
  current?: boolean
  json?: boolean
  agentBrief?: boolean
}

export const tokensCommand = buildCommand<TokensFlags, [id?: string], Cli>({
  func(flags, id) {
    if (id !== undefined && flags.current) throw new EntireError('bad-usage', 'an id and --current cannot be used together')
    if (flags.json && flags.agentBrief) throw new EntireError('bad-usage', '--json and --agent-brief cannot be used together')
    const repo = requireRepo(this, 'session tokens')
    const session = id === undefined ? findCurrentSession(this, repo) : findSession(repo, id)
    if (session === undefined)
      throw new EntireError('not-found', 'Session not found.', {
        hint: 'No session ran in this work tree. `entire session list` shows the others.',
      })
    const report = reportTokens(session)
    if (flags.json) return this.process.stdout.write(formatJson(reportJson(report)))
    const lines = flags.agentBrief ? briefLines(report).map(clean) : reportLines(this, report)
    for (const line of lines) this.out(fit(line, this.size().columns))
  },
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [{ ...idParameter('Id of the session, or the beginning of it; absent: the current one'), optional: true }],
    },
    flags: {
      current: said('The session of this work tree that was at work last, which is also the default'),
      json: said('Print JSON'),
      agentBrief: said('Print a few lines for an agent to act on'),
    },
  },
  docs: {
    brief: 'Show what a session cost in tokens, and where they went',
    fullDescription: formatManual({
      text: [
        'Shows the tokens of a session by kind, and what would make the next one cheaper. Counts come from the transcript of the agent.',
      ],
      examples: [
        ['entire session tokens', 'of the current session'],
        ['entire session tokens 6f3c0e5 --json | jq .tokens.total', 'for scripts'],
        ['entire session tokens --agent-brief', 'for an agent that asks'],
      ],
    }),
  },
})

function reportLines(cli: Cli, { session, usage, total, context, contributors, recommendations }: TokenReport): string[] {
  const about = [clean(session.agentType) || unknown, clean(session.model ?? ''), statusOf(session)]
  const rows = contributors.map(({ label, tokens, percent }) => [label, formatCount(tokens), `${percent}%`])
  return [
    `Session ${clean(session.id)}`,
    about.filter((part) => part !== '').join(' · '),
    '',
    ...(usage === undefined ? [] : [`Tokens: ${formatCount(total)} in ${usage.calls} call${usage.calls === 1 ? '' : 's'} of the model`]),
    ...tableLines(rows, { indent: 2, right: [1, 2] }),
    ...(context === undefined ? [] : [`Context: ${formatCount(context.tokens)} of ${formatCount(context.window)} (${context.percent}%)`]),
    ...(usage === undefined || recommendations.length === 0 ? [] : ['']),
    ...recommendations.map(({ severity, message }) => (severity === 'low' ? `- ${message}` : paint(cli, 'yellow', `! ${message}`))),
  ]
}

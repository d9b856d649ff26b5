// Defines `entire session tokens`, which shows the token usage of a session.

import { buildCommand } from '@stricli/core'
import { cannotCombine, EntireError } from '../../std/errors.ts'
import { formatJson } from '../../std/json.ts'
import { countOf } from '../../std/plural.ts'
import { formatManual, switchFlag } from '../command-parts.ts'
import { type Cli, requireRepo } from '../context.ts'
import { formatCount } from '../render/numbers.ts'
import { statusOf, unknownText } from '../render/sessions.ts'
import { clean, fit, paint, tableLines } from '../render/text.ts'
import { findCurrentSession, idParameter, requireSessionByPrefix } from './find-session.ts'
import { briefLines, reportJson, reportTokens, type TokenReport } from './token-report.ts'

interface TokensFlags {
  current?: boolean
  json?: boolean
  agentBrief?: boolean
}

export const sessionTokensCommand = buildCommand<TokensFlags, [id?: string], Cli>({
  func(flags, id) {
    if (id !== undefined && flags.current) throw cannotCombine(['an id', '--current'])
    if (flags.json && flags.agentBrief) throw cannotCombine(['--json', '--agent-brief'])
    const repo = requireRepo(this, 'session tokens')
    const session = id === undefined ? findCurrentSession(this, repo) : requireSessionByPrefix(repo, id)
    if (session === undefined)
      throw new EntireError('not-found', 'No session has run in this work tree.', {
        hint: '`entire session list` shows the sessions of all work trees.',
      })
    const report = reportTokens(session)
    if (flags.json) return this.process.stdout.write(formatJson(reportJson(report)))
    const lines = flags.agentBrief ? briefLines(report).map(clean) : reportLines(this, report)
    for (const line of lines) this.out(fit(line, this.size().columns))
  },
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [
        {
          ...idParameter('Id of the session, or a prefix of it (default: the current session)'),
          optional: true,
        },
      ],
    },
    flags: {
      current: switchFlag('The current session of this work tree, which is the default'),
      json: switchFlag('Print JSON'),
      agentBrief: switchFlag('Print a short report for an agent'),
    },
  },
  docs: {
    brief: 'Show the token usage of a session',
    fullDescription: formatManual({
      text: [
        'Shows the tokens of a session by kind, and how to use fewer. Counts come from the transcript of the agent.',
      ],
      examples: [
        ['entire session tokens', 'the current session'],
        ['entire session tokens 6f3c0e5 --json | jq .tokens.total', 'for scripts'],
        ['entire session tokens --agent-brief', 'for an agent'],
      ],
    }),
  },
})

function reportLines(
  cli: Cli,
  { session, usage, total, context, contributors, recommendations }: TokenReport,
): string[] {
  const about = [clean(session.agentType) || unknownText, clean(session.model ?? ''), statusOf(session)]
  const rows = contributors.map(({ label, tokens, percent }) => [label, formatCount(tokens), `${percent}%`])
  return [
    `Session ${clean(session.id)}`,
    about.filter((part) => part !== '').join(' · '),
    '',
    ...(usage === undefined
      ? []
      : [`Tokens: ${formatCount(total)} in ${countOf(usage.calls, 'model call')}`]),
    ...tableLines(rows, { indent: 2, right: [1, 2] }),
    ...(context === undefined
      ? []
      : [`Context: ${formatCount(context.tokens)} of ${formatCount(context.window)} (${context.percent}%)`]),
    ...(usage === undefined || recommendations.length === 0 ? [] : ['']),
    ...recommendations.map(({ severity, message }) =>
      severity === 'low' ? `- ${message}` : paint(cli, 'yellow', `! ${message}`),
    ),
  ]
}

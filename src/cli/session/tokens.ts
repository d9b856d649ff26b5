// `entire session tokens`: what a session cost, and where it went.

import { buildCommand } from '@stricli/core'
import type { Session } from '../../model/session.ts'
import { hasTokens, noTokens, type TokenUsage, totalTokens } from '../../model/tokens.ts'
import { EntireError } from '../../std/errors.ts'
import { asNumber, formatJson, type JsonObject } from '../../std/json.ts'
import { formatManual, switchFlag } from '../command-parts.ts'
import { type Cli, requireRepo } from '../context.ts'
import { formatCount } from '../render/numbers.ts'
import { statusOf, unknownText } from '../render/sessions.ts'
import { clean, fit, paint, tableLines } from '../render/text.ts'
import { findCurrentSession, requireSessionByPrefix, tokensJson } from './find-session.ts'
import { idParameter } from './info.ts'

interface TokensFlags {
  current?: boolean
  json?: boolean
  agentBrief?: boolean
}

export const sessionTokensCommand = buildCommand<TokensFlags, [id?: string], Cli>({
  func(flags, id) {
    if (id !== undefined && flags.current)
      throw new EntireError('bad-usage', 'an id and --current cannot be used together')
    if (flags.json && flags.agentBrief)
      throw new EntireError('bad-usage', '--json and --agent-brief cannot be used together')
    const repo = requireRepo(this, 'session tokens')
    const session = id === undefined ? findCurrentSession(this, repo) : requireSessionByPrefix(repo, id)
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
      parameters: [
        {
          ...idParameter('Id of the session, or the beginning of it; absent: the current one'),
          optional: true,
        },
      ],
    },
    flags: {
      current: switchFlag('The session of this work tree that was at work last, which is also the default'),
      json: switchFlag('Print JSON'),
      agentBrief: switchFlag('Print a few lines for an agent to act on'),
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
      : [`Tokens: ${formatCount(total)} in ${usage.calls} call${usage.calls === 1 ? '' : 's'} of the model`]),
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

// What a session cost in tokens, where they went, and what would make it cheaper. Rules are data.

export interface Contributor {
  kind: 'input' | 'cache_read' | 'cache_write' | 'output' | 'subagents'
  label: string
  tokens: number
  percent: number
}

export interface Recommendation {
  id: string
  severity: 'high' | 'medium' | 'low'
  message: string
  signals: string[]
}

export interface TokenReport {
  session: Session
  usage: TokenUsage | undefined
  total: number
  subagents: number
  context: { tokens: number; window: number; percent: number } | undefined
  contributors: Contributor[]
  recommendations: Recommendation[]
  limitations: string[]
}

export function reportTokens(session: Session): TokenReport {
  const usage = hasTokens(session.tokens) ? session.tokens : undefined
  const total = usage === undefined ? 0 : totalTokens(usage)
  const subagents = usage?.subagents === undefined ? 0 : totalTokens(usage.subagents)
  const report = {
    session,
    usage,
    total,
    subagents,
    context: readContext(session),
    contributors: contributorsOf(usage, total, subagents),
  }
  const recommendations = rules.flatMap(({ applies, ...advice }) => {
    const signals = applies(report)
    return signals.length === 0 ? [] : [{ ...advice, signals }]
  })
  return { ...report, recommendations, limitations: limitationsOf(report) }
}

type Facts = Omit<TokenReport, 'recommendations' | 'limitations'>

interface Rule extends Omit<Recommendation, 'signals'> {
  /** What speaks for it; nothing: it does not apply. */
  applies(facts: Facts): string[]
}

const rules: Rule[] = [
  {
    id: 'api-call-amplification',
    severity: 'medium',
    message:
      'Many calls of the model: every one of them reads the context again. Ask for several steps at once.',
    applies: ({ usage }) => (manyCalls(usage) ? [`api_calls=${usage?.calls}`] : []),
  },
  {
    id: 'subagent-heavy',
    severity: 'medium',
    message: 'Subagents take a large share. Give them smaller tasks, or do small ones in the main session.',
    applies: ({ subagents, total }) =>
      total > 0 && subagents >= total / 10 ? [`subagents=${percentOf(subagents, total)}%`] : [],
  },
  {
    id: 'high-context-pressure',
    severity: 'high',
    message: 'The context is almost full. Compact it, or start a new session with a summary.',
    applies: ({ context }) =>
      context !== undefined && context.percent >= 80 ? [`context=${context.percent}%`] : [],
  },
  {
    id: 'summarize-before-boundary',
    severity: 'low',
    message:
      'Most of it is context read again and again. Summarise before the next task, and go on from the summary.',
    applies: ({ usage }) =>
      manyCalls(usage) && rereads(usage) ? [`api_calls=${usage?.calls}`, 'cache_read>=80%'] : [],
  },
  {
    id: 'long-session',
    severity: 'low',
    message: 'A long session. A new one for the next task starts with a small context.',
    applies: ({ session }) => [
      ...(session.turnCount >= 10 ? [`turns=${session.turnCount}`] : []),
      ...(session.stepCount >= 5 ? [`steps=${session.stepCount}`] : []),
    ],
  },
  {
    id: 'no-token-data',
    severity: 'low',
    message: 'The transcript of this agent names no token counts yet.',
    applies: ({ usage }) => (usage === undefined ? ['tokens=0'] : []),
  },
]

function manyCalls(usage: TokenUsage | undefined): boolean {
  return usage !== undefined && usage.calls >= 20
}

function rereads({ input, cacheCreation, cacheRead, output }: TokenUsage = noTokens): boolean {
  return cacheRead >= (input + cacheCreation + cacheRead + output) * 0.8
}

function contributorsOf(usage: TokenUsage | undefined, total: number, subagents: number): Contributor[] {
  if (usage === undefined) return []
  const parts: Omit<Contributor, 'percent'>[] = [
    { kind: 'input', label: 'Input', tokens: usage.input },
    { kind: 'cache_read', label: 'Cache read', tokens: usage.cacheRead },
    { kind: 'cache_write', label: 'Cache write', tokens: usage.cacheCreation },
    { kind: 'output', label: 'Output', tokens: usage.output },
    { kind: 'subagents', label: 'Subagents', tokens: subagents },
  ]
  return parts
    .filter(({ tokens }) => tokens > 0)
    .map((part) => ({ ...part, percent: percentOf(part.tokens, total) }))
    .sort((a, b) => b.tokens - a.tokens)
}

// Only some agents say how full their context is.
function readContext({ extra }: Session): TokenReport['context'] {
  const [tokens, window] = [asNumber(extra.context_tokens), asNumber(extra.context_window_size)]
  return tokens === undefined || window === undefined || window <= 0
    ? undefined
    : { tokens, window, percent: percentOf(tokens, window) }
}

function limitationsOf({ usage, context, session }: Facts): string[] {
  return [
    ...(usage === undefined ? [] : ['counts are those of the transcript as of the last recorded event']),
    ...(context === undefined ? ['the size of the context is not known for this agent'] : []),
    ...(session.model === undefined ? ['the model is not known'] : []),
  ]
}

function percentOf(part: number, whole: number): number {
  return whole <= 0 ? 0 : Math.round((part / whole) * 100)
}

export function reportJson({
  session,
  usage,
  subagents,
  context,
  contributors,
  recommendations,
  limitations,
}: TokenReport): JsonObject {
  return {
    session_id: session.id,
    agent: session.agentType || unknownText,
    ...(session.model ? { model: session.model } : {}),
    status: statusOf(session),
    source: 'session_state',
    ...(usage === undefined
      ? {}
      : {
          tokens: {
            ...tokensJson(usage),
            api_calls: usage.calls,
            ...(subagents > 0 ? { subagent_total: subagents } : {}),
          },
        }),
    ...(context === undefined
      ? {}
      : { context: { tokens: context.tokens, window_size: context.window, percent: context.percent } }),
    ...(contributors.length === 0
      ? {}
      : { contributors: contributors.map((each) => ({ ...each, confidence: 'high' })) }),
    ...(recommendations.length === 0
      ? {}
      : { recommendations: recommendations.map((each) => ({ ...each })) }),
    ...(limitations.length === 0 ? {} : { limitations }),
  }
}

/** A few lines for an agent to act on: as little as possible, because it pays for every word. */
export function briefLines({ session, usage, total, context, recommendations }: TokenReport): string[] {
  const parts = [
    `session ${session.id}`,
    usage === undefined
      ? 'no token data'
      : `${formatCount(total)} tokens in ${usage.calls} call${usage.calls === 1 ? '' : 's'}`,
    ...(context === undefined ? [] : [`context ${context.percent}%`]),
  ]
  return [
    parts.join(', '),
    ...recommendations
      .filter(({ id }) => id !== 'no-token-data')
      .map(({ id, message }) => `- ${id}: ${message}`),
  ]
}

// Reports the token usage of a session, with advice on how to use fewer from a table of rules.

import type { Session } from '../../model/session.ts'
import { hasTokens, noTokens, type TokenUsage, totalTokens } from '../../model/tokens.ts'
import { asNumber, type JsonObject } from '../../std/json.ts'
import { countOf } from '../../std/plural.ts'
import { formatCount } from '../render/numbers.ts'
import { statusOf, unknownText } from '../render/sessions.ts'
import { tokensJson } from './find-session.ts'

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
  /** The signals for the advice; empty when it does not apply. */
  applies(facts: Facts): string[]
}

const rules: Rule[] = [
  {
    id: 'api-call-amplification',
    severity: 'medium',
    message: 'Many model calls: each of them reads the context again. Ask for several things at once.',
    applies: ({ usage }) => (hasManyCalls(usage) ? [`api_calls=${usage?.calls}`] : []),
  },
  {
    id: 'subagent-heavy',
    severity: 'medium',
    message: 'Subagents use a large share. Give them smaller tasks, or do small tasks in the main session.',
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
      'Most tokens are repeated context. Summarise before the next task, and continue from the summary.',
    applies: ({ usage }) =>
      hasManyCalls(usage) && isMostlyCacheRead(usage) ? [`api_calls=${usage?.calls}`, 'cache_read>=80%'] : [],
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
    message: 'The transcript of this agent contains no token counts yet.',
    applies: ({ usage }) => (usage === undefined ? ['tokens=0'] : []),
  },
]

function hasManyCalls(usage: TokenUsage | undefined): boolean {
  return usage !== undefined && usage.calls >= 20
}

function isMostlyCacheRead({ input, cacheCreation, cacheRead, output }: TokenUsage = noTokens): boolean {
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

// Only some agents report the size of their context.
function readContext({ extra }: Session): TokenReport['context'] {
  const [tokens, window] = [asNumber(extra.context_tokens), asNumber(extra.context_window_size)]
  return tokens === undefined || window === undefined || window <= 0
    ? undefined
    : { tokens, window, percent: percentOf(tokens, window) }
}

function limitationsOf({ usage, context, session }: Facts): string[] {
  return [
    ...(usage === undefined ? [] : ['counts are as of the last recorded event']),
    ...(context === undefined ? ['the context size is unknown for this agent'] : []),
    ...(session.model === undefined ? ['the model is unknown'] : []),
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

/** Short lines for an agent, which pays for every word. */
export function briefLines({ session, usage, total, context, recommendations }: TokenReport): string[] {
  const parts = [
    `session ${session.id}`,
    usage === undefined ? 'no token data' : `${formatCount(total)} tokens in ${countOf(usage.calls, 'call')}`,
    ...(context === undefined ? [] : [`context ${context.percent}%`]),
  ]
  return [
    parts.join(', '),
    ...recommendations
      .filter(({ id }) => id !== 'no-token-data')
      .map(({ id, message }) => `- ${id}: ${message}`),
  ]
}

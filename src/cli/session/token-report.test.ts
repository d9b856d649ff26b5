// The token report: totals, parts, recommendations.
import { expect, test } from 'bun:test'
import type { Session } from '../../model/session.ts'
import { parseSessionState } from '../../sessions/state-format.ts'
import { briefLines, reportJson, reportTokens } from './token-report.ts'

const tokens = (more: object = {}) => ({
  input_tokens: 100,
  cache_creation_tokens: 50,
  cache_read_tokens: 800,
  output_tokens: 50,
  api_call_count: 3,
  ...more,
})

const session = (more: object = {}): Session =>
  parseSessionState({
    session_id: 's',
    agent_type: 'Claude Code',
    phase: 'idle',
    token_usage: tokens(),
    ...more,
  }) as Session

test('the report contains total, parts and shares', () => {
  const subagents = {
    subagent_tokens: {
      ...tokens(),
      input_tokens: 0,
      cache_read_tokens: 0,
      cache_creation_tokens: 0,
      output_tokens: 20,
    },
  }
  const report = reportJson(
    reportTokens(
      session({
        model_name: 'opus',
        token_usage: tokens(subagents),
        context_tokens: 50,
        context_window_size: 200,
      }),
    ),
  )
  expect(report).toMatchObject({
    session_id: 's',
    agent: 'Claude Code',
    model: 'opus',
    status: 'idle',
    source: 'session_state',
    tokens: {
      total: 1020,
      input: 100,
      cache_read: 800,
      cache_write: 50,
      output: 50,
      api_calls: 3,
      subagent_total: 20,
    },
    context: { tokens: 50, window_size: 200, percent: 25 },
  })
  expect(report.contributors).toContainEqual({
    kind: 'cache_read',
    label: 'Cache read',
    tokens: 800,
    percent: 78,
    confidence: 'high',
  })
})

test.each<[string, object, string[]]>([
  ['none', {}, []],
  ['no counts', { token_usage: undefined }, ['no-token-data']],
  ['counts of zero', { token_usage: tokens({ api_call_count: 0 }) }, ['no-token-data']],
  [
    'many calls',
    { token_usage: tokens({ api_call_count: 20, cache_read_tokens: 10 }) },
    ['api-call-amplification'],
  ],
  [
    'many calls over the same context',
    { token_usage: tokens({ api_call_count: 20 }) },
    ['api-call-amplification', 'summarize-before-boundary'],
  ],
  ['subagents', { token_usage: tokens({ subagent_tokens: tokens() }) }, ['subagent-heavy']],
  ['a full context', { context_tokens: 80, context_window_size: 100 }, ['high-context-pressure']],
  ['many turns', { session_turn_count: 10 }, ['long-session']],
  ['many steps', { checkpoint_count: 5 }, ['long-session']],
])('recommendations: %s', (_name, state, ids) => {
  const report = reportTokens(session(state))
  expect(report.recommendations.map(({ id }) => id)).toEqual(ids)
  expect(report.recommendations.every(({ signals }) => signals.length > 0)).toBe(true)
})

test('the brief has one line, and one for each recommendation', () => {
  expect(briefLines(reportTokens(session()))).toEqual(['session s, 1k tokens in 3 calls'])
  expect(briefLines(reportTokens(session({ token_usage: undefined })))).toEqual(['session s, no token data'])
  expect(briefLines(reportTokens(session({ session_turn_count: 12 })))[1]).toStartWith('- long-session: ')
})

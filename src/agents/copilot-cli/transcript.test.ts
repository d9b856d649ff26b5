import { expect, test } from 'bun:test'
import { fixtureLines } from '../../../test/fixtures/agents/read-transcripts.ts'
import { noTokens } from '../../model/tokens.ts'
import type { JsonObject } from '../../std/json.ts'
import { copilotTranscript } from './transcript.ts'

const event = (type: string, data: object, more: object = {}) =>
  JSON.stringify({ type, data, id: `${type}-id`, ...more })
const read = (lines: string[], carry?: JsonObject) => copilotTranscript.readLines(lines, carry)
const receipt = (source: string, sequence: number, inputTokens: number) =>
  event('session.usage_record', { usage: { inputTokens, accounting: { sourceSessionId: source, sequence } } })
const shutdown = (inputTokens: number, outputTokens: number, count: number) =>
  event('session.shutdown', {
    modelMetrics: { a: { requests: { count }, usage: { inputTokens, outputTokens, cacheReadTokens: 10 } } },
  })

test('a repeated receipt counts once, also in a later stretch', () => {
  const first = read([
    event('session.start', { sessionId: 's' }),
    receipt('s', 1, 100),
    receipt('s', 2, 100),
    receipt('s', 2, 100),
  ])
  expect(first.tokens).toEqual({ ...noTokens, input: 200, calls: 2 })
  expect(read([receipt('s', 2, 100), receipt('s', 3, 50)], first.carry).tokens).toEqual({
    ...noTokens,
    input: 50,
    calls: 1,
  })
})

test('after a rewind receipts have numbers that came before: later ones are new, the others were counted', () => {
  const at = (line: string, second: number) =>
    JSON.stringify({ ...JSON.parse(line), timestamp: `2026-11-15T12:00:0${second}.000Z` })
  const start = event('session.start', { sessionId: 's' })
  const [one, undone] = [at(receipt('s', 1, 1), 1), at(receipt('s', 2, 2), 2)]
  const before = read([start, one, undone])
  const again = copilotTranscript.restart?.(before.carry ?? {})
  const after = read([start, one, at(receipt('s', 2, 4), 3)], again)
  expect(after.tokens).toEqual({ ...noTokens, input: 4, calls: 1 })
  expect(read([at(receipt('s', 3, 8), 4)], after.carry).tokens).toEqual({ ...noTokens, input: 8, calls: 1 })
})

test('with receipts, neither messages nor totals add anything', () => {
  const lines = [
    receipt('s', 1, 100),
    event('assistant.message', { content: 'hi', outputTokens: 7 }),
    shutdown(900, 90, 9),
  ]
  expect(read(lines).tokens).toEqual({ ...noTokens, input: 100, calls: 1 })
})

// Versions before there were receipts.
test('without receipts, messages are counted and the totals at shutdown add the rest, also after a resume', () => {
  const message = event('assistant.message', { content: 'hi', outputTokens: 7 })
  const first = read([event('session.start', { sessionId: 's' }), message, message])
  expect(first.tokens).toEqual({ ...noTokens, output: 14, calls: 2 })
  const end = read([shutdown(100, 14, 3)], first.carry)
  expect(end.tokens).toEqual({ ...noTokens, input: 90, cacheRead: 10, calls: 1 })
  const resumed = read([message, shutdown(250, 21, 4)], end.carry)
  expect(resumed.tokens).toEqual({ ...noTokens, input: 150, output: 7, calls: 1 })
})

test('without a list of edits, files come from the telemetry of successful calls', () => {
  const call = (success: boolean, toolTelemetry: object) =>
    event('tool.execution_complete', { success, toolTelemetry })
  const lines = [
    call(true, { properties: { filePaths: '["/a"]' } }),
    call(true, { restrictedProperties: { filePaths: '["/b",7,""]' } }),
    call(false, { properties: { filePaths: '["/c"]' } }),
    call(true, { properties: { filePaths: 'not JSON' } }),
  ]
  expect(read(lines).files).toEqual(['/a', '/b'])
})

test('a call that failed half way counts the files that it lists', () => {
  const lines = [
    event('tool.execution_complete', { success: false, fileEdits: [{ path: '/a', kind: 'edit' }, {}, 'x'] }),
  ]
  expect(read(lines).files).toEqual(['/a'])
})

test('messages that the user did not type are not prompts', () => {
  const said = (data: object, more: object = {}) => event('user.message', data, more)
  const lines = [
    said({ content: 'typed' }),
    said({ content: 'also typed', source: 'user', delivery: 'queued' }),
    said({ content: 'of a skill', source: 'skill-pdf' }),
    said({ content: 'of an agent', source: 'agent-1' }, { agentId: '2' }),
    said({ content: 'go on', isAutopilotContinuation: true }),
    said({ content: '<system_notification>\nShell 0 is done.\n</system_notification>' }),
    said({
      transformedContent: '<current_datetime>now</current_datetime>\n\nolder\n\n<reminder>x</reminder>',
    }),
  ]
  expect(read(lines).prompts).toEqual(['typed', 'also typed', 'older'])
})

test('encrypted content is not stored, and every other line stays as it is', () => {
  const line = event('assistant.message', {
    content: 'hi',
    reasoningOpaque: 'x'.repeat(100),
    encryptedContent: 'y',
    reasoningText: 'why',
  })
  expect(JSON.parse(copilotTranscript.strip?.(line) ?? '').data).toEqual({
    content: 'hi',
    reasoningText: 'why',
  })
  const lines = [
    ...fixtureLines(
      'copilot-cli/run1-create/home/.copilot/session-state/dfe59430-ad73-4e15-af15-a9a2b70ebb91/events.jsonl',
    ),
    '',
  ]
  expect(lines.map((each) => copilotTranscript.strip?.(each))).toEqual(lines)
  expect(copilotTranscript.strip?.('{"encryptedContent"')).toBe('{"encryptedContent"')
})

const helper = fixtureLines(
  'copilot-cli/subagent/home/.copilot/session-state/4bbac332-8302-4a9c-870e-9453f98709ad/events.jsonl',
)

test('the end of a tool call and of a subagent is found, and the transcript cut there', () => {
  const ends = ['call_6moc6gf7lm', '4bff2ad4-c1ee-43da-8700-b956c1a714d9'].map(
    (id) => copilotTranscript.toolResultId?.(helper, id) ?? '',
  )
  const types = ends.map((id) => JSON.parse(copilotTranscript.truncateAt?.(helper, id).at(-1) ?? '{}').type)
  expect(types).toEqual(['tool.execution_complete', 'subagent.completed'])
  expect(copilotTranscript.toolResultId?.(helper, 'call_none')).toBeUndefined()
  expect(copilotTranscript.truncateAt?.(helper, 'none')).toEqual(helper)
})

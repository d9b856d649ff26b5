import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { fixtureLines } from '../../../test/fixtures/agents/read-transcripts.ts'
import { droidTotals, droidTranscript } from './transcript.ts'

const line = (message: object, fields: object = {}) =>
  JSON.stringify({ type: 'message', id: 'm1', message, ...fields })
const typed = (text: string, fields: object = {}) =>
  line({ role: 'user', content: [{ type: 'text', text }], ...fields })
const tool = (name: string, input: object) =>
  line({ role: 'assistant', content: [{ type: 'tool_use', id: 'c', name, input }] })
const read = (...lines: string[]) => droidTranscript.readLines(lines, undefined)

test.each([
  ['a run of a hook', typed('x', { visibility: 'user_only', hookEventName: 'Stop' })],
  ['context for the model', typed('x', { visibility: 'llm_only' })],
  [
    'context by its id',
    JSON.stringify({ type: 'message', id: 'context-1', message: { role: 'user', content: 'be quick' } }),
  ],
  ['a reminder', typed('<system-reminder>x</system-reminder>')],
  [
    'the result of a tool',
    line({ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'x' }] }),
  ],
  [
    'a kind of line that we do not know',
    JSON.stringify({ type: 'mission', message: { role: 'user', content: 'x' } }),
  ],
])('%s is not a prompt', (_what, entry) => {
  expect(read(entry)).toMatchObject({ items: 1, prompts: [] })
})

test('a prompt is the typed text, without the text around it', () => {
  expect(
    read(typed('go<system-reminder>x</system-reminder>'), line({ role: 'user', content: 'on' })).prompts,
  ).toEqual(['go', 'on'])
})

test.each([
  ['Create', { file_path: '/r/a' }, ['/r/a']],
  ['Write', { file_path: '/r/a' }, ['/r/a']],
  ['Edit', { file_path: '/r/a' }, ['/r/a']],
  ['MultiEdit', { file_path: '/r/a' }, ['/r/a']],
  ['NotebookEdit', { notebook_path: '/r/a.ipynb' }, ['/r/a.ipynb']],
  [
    'ApplyPatch',
    { input: '*** Begin Patch\n*** Update File: a.ts\n*** Move to: b.ts\n@@\n*** End Patch' },
    ['a.ts', 'b.ts'],
  ],
  ['ApplyPatch', {}, []],
  ['Read', { file_path: '/r/a' }, []],
  ['Execute', { command: 'touch a' }, []],
  ['Create', { file_path: 7 }, []],
])('%s %j writes %j', (name, input, files) => {
  expect(read(tool(name, input)).files).toEqual(files)
})

test('a repeated message is one call of the model', () => {
  const first = read(tool('Read', {}))
  expect(first.tokens.calls).toBe(1)
  expect(droidTranscript.readLines([tool('Read', {})], first.carry).tokens.calls).toBe(0)
})

test('the tokens of subagents are the difference between the totals with and without them', () => {
  const settings = {
    model: 'claude-opus-4-5',
    tokenUsage: {
      inputTokens: 10,
      outputTokens: 2,
      cacheReadTokens: 5,
      cacheCreationTokens: 1,
      thinkingTokens: 1,
    },
    childInclusiveTokenUsageBySessionId: { a: {}, b: {} },
    inclusiveTokenUsage: { inputTokens: 30, outputTokens: 4, cacheReadTokens: 5, cacheCreationTokens: 1 },
  }
  expect(droidTotals.parse(JSON.stringify(settings))).toEqual({
    model: 'claude-opus-4-5',
    tokens: {
      ...{ input: 10, cacheCreation: 1, cacheRead: 5, output: 2, calls: 0 },
      subagents: { input: 20, cacheCreation: 0, cacheRead: 0, output: 2, calls: 2 },
    },
  })
})

test.each(['', '{', '[]', '{"model":"x"}', '{"tokenUsage":7}'])(
  'settings without usage give no total (%s)',
  (text) => {
    expect(droidTotals.parse(text)).toBeUndefined()
  },
)

test('the conversation has prompts, answers and tool calls, without hooks and context', () => {
  const path =
    'factoryai-droid/run1-create/home/.factory/sessions/-home-dev-app/f5a5cb64-e9dc-455b-baed-0520bda13f0b.jsonl'
  const conversation = [
    { role: 'user' as const, text: 'create hello.txt' },
    { role: 'assistant' as const, text: 'Working on it.' },
    { role: 'tool' as const, name: 'Create', text: '/home/dev/app/hello.txt' },
    { role: 'assistant' as const, text: 'Created hello.txt with a greeting.' },
  ]
  const transcript = fixtureLines(path).join('\n')
  expect(droidTranscript.readEntries?.(transcript, 0)).toEqual(conversation)
  expect(droidTranscript.readEntries?.(transcript, 5)).toEqual(conversation.slice(3))
  expect(() => droidTranscript.readEntries?.('no transcript', 0)).toThrow('no line that is JSON')
})

test('a transcript is cut after a message', () => {
  const lines = ['{"type":"session_start"}', line({}, { id: 'a' }), line({}, { id: 'b', parentId: 'a' })]
  expect(droidTranscript.truncateAt?.(lines, 'a')).toEqual(lines.slice(0, 2))
  expect(droidTranscript.truncateAt?.(lines, 'x')).toEqual(lines)
})

test('any values in a line are read without an exception', () => {
  const messages = fc.record({ type: fc.constant('message'), id: fc.jsonValue(), message: fc.jsonValue() })
  const blocks = fc.record({
    role: fc.constantFrom('user', 'assistant'),
    content: fc.array(fc.jsonValue()),
    modelId: fc.jsonValue(),
  })
  const entries = fc.oneof(
    fc.jsonValue(),
    messages,
    fc.record({ type: fc.constant('message'), message: blocks }),
  )
  fc.assert(
    fc.property(fc.array(entries), (all) =>
      expect(read(...all.map((entry) => JSON.stringify(entry))).items).toBe(all.length),
    ),
  )
})

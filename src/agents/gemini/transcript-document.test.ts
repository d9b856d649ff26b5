import { expect, test } from 'bun:test'
import { geminiTranscript } from './transcript.ts'

const model = 'gemini-2.5-flash'
const tokens = (input: number, cacheRead: number, output: number, calls: number) => ({
  input,
  cacheCreation: 0,
  cacheRead,
  output,
  calls,
})
const call = (name: string, args: object) => ({ name, args, status: 'success' })
const document = (messages: unknown, rest: object = {}) =>
  JSON.stringify({ sessionId: 's', ...rest, messages })
const legacy = [
  { type: 'user', content: 'create a' },
  {
    type: 'gemini',
    content: 'ok',
    toolCalls: [call('write_file', { file_path: 'a' })],
    tokens: { input: 10, output: 5, cached: 3, thoughts: 2, tool: 1 },
    model,
  },
  { id: 'm3', type: 'user', content: [{ text: 'now b' }] },
  {
    id: 'm4',
    type: 'gemini',
    content: '',
    toolCalls: [call('replace', { path: 'b' })],
    tokens: { input: 20, output: 6, cached: 0 },
  },
]

test('an old document is read from a position on', () => {
  expect(geminiTranscript.readDocument?.(document(legacy), 0)).toEqual({
    items: 4,
    prompts: ['create a', 'now b'],
    files: ['a', 'b'],
    tokens: tokens(28, 3, 13, 2),
    subagents: [],
    model,
    summary: 'ok',
    lastId: 'm4',
  })
  expect(geminiTranscript.readDocument?.(document(legacy), 2)).toEqual({
    items: 2,
    prompts: ['now b'],
    files: ['b'],
    tokens: tokens(20, 0, 6, 1),
    subagents: [],
    lastId: 'm4',
  })
  expect(geminiTranscript.readDocument?.(document(legacy), 9)).toMatchObject({ items: 0, prompts: [] })
})

test('every message of a long document counts, also when all have the same time', () => {
  const messages = Array.from({ length: 200 }, (_, n) => ({
    id: `m${n}`,
    timestamp: '2026-01-01T00:00:00Z',
    type: 'gemini',
    tokens: { input: 1, output: 1 },
  }))
  expect(geminiTranscript.readDocument?.(document(messages), 0).tokens.calls).toBe(200)
})

test.each(['', '{', 'null', '[]', '{"messages": 7}', '{}'])(
  'text that is not a document is refused: %s',
  (text) => {
    expect(() => geminiTranscript.readDocument?.(text, 0)).toThrow(
      expect.objectContaining({ code: 'corrupt-state' }),
    )
  },
)

test.each([
  ['document', JSON.stringify(JSON.parse(document(legacy)), null, 2)],
  ['document', document(legacy)],
  ['document', `${document(legacy)}\n`],
  ['document', document(legacy).slice(0, 60)],
  ['lines', ''],
  ['lines', '{"sessionId":"s","messages":[],"kind":"main"}\n{"id":"a","type":"user"}\n'],
  ['lines', '{"sessionId":"s","kind":"main"}\n'],
  ['lines', '{"$set":{"lastUpdated":"x"}}\n'],
] as const)('the head tells a %s', (shape, head) => {
  expect(geminiTranscript.shape(head)).toBe(shape)
})

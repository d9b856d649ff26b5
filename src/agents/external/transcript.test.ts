import { expect, test } from 'bun:test'
import { anyTranscript } from './transcript.ts'

test.each<[string, string, 'lines' | 'document']>([
  ['JSON by lines', '{"a":1}\n{"b":2}\n', 'lines'],
  ['a first line longer than what is shown', `{"text":"${'x'.repeat(300)}`, 'lines'],
  ['a document of one line', '{"session":"a","version":3,"messages":[{"role":"user"}]}\n', 'document'],
  ['a document of one line, of which little is shown', '{"messages":[{"role":"us', 'document'],
  ['lines that speak of messages', '{"role":"user","text":"\\"messages\\":["}\n{"a":1}\n', 'lines'],
  ['an indented document', '{\n  "messages": []\n}', 'document'],
  ['a list', '[{"a":1}]', 'document'],
  ['Markdown', '# Log\n\n> hello\n', 'document'],
  ['text in braces', '{not json}\n', 'document'],
  ['nothing', '', 'document'],
])('%s', (_title, head, shape) => {
  expect(anyTranscript.shape(head)).toBe(shape)
})

const entries = (text: string, from = 0) => anyTranscript.readEntries?.(text, from)

test('roles and texts are found in the forms that agents commonly use', () => {
  const lines = [
    { role: 'user', content: 'hi' },
    { type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: 'hello' }] } },
    { kind: 'prompt', text: 'more' },
    { kind: 'edit', path: 'a.txt' },
    { type: 'model', message: { parts: [{ text: 'done' }] } },
    { version: 3 },
  ]
  expect(entries(lines.map((line) => JSON.stringify(line)).join('\n'))).toEqual([
    { role: 'user', text: 'hi' },
    { role: 'assistant', text: 'hello' },
    { role: 'user', text: 'more' },
    { role: 'tool', text: 'a.txt', name: 'edit' },
    { role: 'assistant', text: 'done' },
  ])
})

test('messages of a document are read from a position on', () => {
  const text = JSON.stringify(
    {
      messages: [
        { role: 'user', text: 'one' },
        { role: 'user', text: 'two' },
      ],
    },
    null,
    2,
  )
  expect(entries(text, 1)).toEqual([{ role: 'user', text: 'two' }])
  expect(anyTranscript.readDocument?.(text, 1).items).toBe(1)
})

test('any other text is one message', () => {
  expect(entries('# Log\n\nhello\n')).toEqual([{ role: 'assistant', text: '# Log\n\nhello' }])
  expect(entries('')).toEqual([])
})

import { expect, test } from 'bun:test'
import { stripThoughts } from './transcript.ts'

const line = (thinkingSignature: unknown) =>
  JSON.stringify({
    type: 'message',
    id: 'a',
    parentId: null,
    message: {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'the words', thinkingSignature },
        { type: 'text', text: 'yes' },
      ],
    },
  })

test('a seal keeps its encrypted part, and loses the text that the message repeats', () => {
  const seal = { type: 'reasoning', id: 'rs_1', encrypted_content: 'gAAA', status: 'completed' }
  const words = [{ type: 'summary_text', text: 'the words' }]
  expect(stripThoughts(line(JSON.stringify({ ...seal, summary: words, content: words })))).toBe(
    line(JSON.stringify({ ...seal, summary: [] })),
  )
})

test.each([
  line('reasoning_content'),
  line('EqQBCkYIBxgCKkD'),
  line(undefined),
  line(7),
  '{"thinkingSignature":"{',
  'no json',
  '',
])('everything else stays as it is (%#)', (other) => {
  expect(stripThoughts(other)).toBe(other)
})

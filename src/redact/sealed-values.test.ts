import { expect, test } from 'bun:test'
import { createRedactor, redactTranscript } from './redact.ts'

const redactor = createRedactor({ emails: false, phones: false, rules: [] })
const sealed = Buffer.from(
  Array.from({ length: 90 }, (_, at) => (at * at * 31 + at * 17 + ((at * 7919) >> 3)) & 0xff),
).toString('base64')

test.each([
  { type: 'thinking', thinking: 'hm', signature: sealed },
  { type: 'redacted_thinking', data: sealed },
  { functionCall: { name: 'write_file' }, thoughtSignature: sealed },
  { type: 'reasoning', encrypted_content: sealed },
  { type: 'thinking', thinking: 'hm', thinkingSignature: sealed },
  { type: 'text', text: 'hm', textSignature: sealed },
])('sealed values stay as they are, so that the session can be resumed: %j', (block) => {
  const line = `${JSON.stringify({ message: { content: [block] } })}\n`
  expect(redactTranscript(line, redactor)).toBe(line)
})

test('the same text elsewhere is taken for a secret', () => {
  expect(redactTranscript(`${JSON.stringify({ text: sealed })}\n`, redactor)).toContain('REDACTED')
})

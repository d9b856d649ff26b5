import { describe, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { defaultSettings } from '../model/settings.ts'
import { createRedactor, redactTranscript } from './redact.ts'

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 1024,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
})
const lines = privateKey.trim().split('\n')
const redactor = createRedactor(defaultSettings.redaction)

/** The key as different transcripts show it. */
const shapes: Record<string, string[]> = {
  'as it is': lines,
  'typed into a chat history': lines.map((line) => `#### ${line}  `),
  'quoted by a tool': lines.map((line) => `> ${line}  `),
  'with the line ends of Windows': lines.map((line) => `${line}\r`),
  'cut off': lines.slice(0, -3),
}

describe('a private key in a transcript of plain text', () => {
  for (const [shape, key] of Object.entries(shapes)) {
    test(`${shape}: none of it is stored, and every other line keeps its place`, () => {
      const text = [
        '# aider chat started at 2026-11-16 03:00:00',
        '',
        '#### use this  ',
        ...key,
        '',
        'Fine.',
        '',
      ].join('\n')
      const redacted = redactTranscript(text, redactor)
      expect(redacted.split('\n')).toHaveLength(text.split('\n').length)
      for (const secret of lines.slice(1, -1)) expect(redacted).not.toContain(secret.slice(0, 20))
      expect(redacted.split('\n').slice(0, 3)).toEqual(text.split('\n').slice(0, 3))
      expect(redacted).toEndWith('\nFine.\n')
      expect(redactTranscript(redacted, redactor)).toBe(redacted)
    })
  }

  test('a line that only mentions a key removes no other lines', () => {
    const text = 'It begins with -----BEGIN PRIVATE KEY----- as you know.\n\nAnd then the story goes on.\n'
    expect(redactTranscript(text, redactor)).toBe(text)
  })

  test('a document that mentions both ends of a key stays as it is', () => {
    const text = `${JSON.stringify({ messages: [{ text: 'from -----BEGIN PRIVATE KEY-----' }, { text: 'to -----END PRIVATE KEY-----' }] }, null, 2)}\n`
    expect(redactTranscript(text, redactor)).toBe(text)
  })
})

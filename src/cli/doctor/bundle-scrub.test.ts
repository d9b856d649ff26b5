// A bundle identifies neither user nor machine and contains no credentials.
import { expect, test } from 'bun:test'
import { defaultSettings } from '../../model/settings.ts'
import { createRedactor, redactName, redactText, redactTranscript } from '../../redact/redact.ts'
import { scrub } from './bundle.ts'

const redactor = createRedactor(defaultSettings.redaction)
const redaction = {
  json: (text: string) => redactTranscript(text, redactor),
  text: (text: string) => redactText(text, redactor),
  name: redactName,
}
const scrubbing = { redaction, home: '/home/ada', user: 'ada', root: '/home/ada/shop' }
const key = ['AKIA', 'Q3EGRIJKLMNOP2QR'].join('')

test.each([
  ['cannot open /home/ada/.claude/x.jsonl', 'cannot open ~/.claude/x.jsonl'],
  ['in /home/ada/shop/.entire', 'in <repository>/.entire'],
  ['owner ada, not adapter nor canada', 'owner ~, not adapter nor canada'],
  ['Ada@example.org', '~@example.org'],
  ['fatal: https://ada:hunter2@host.test/r.git', 'fatal: https://host.test/r.git'],
  ['git push ssh://git@host.test:22/r', 'git push ssh://host.test:22/r'],
  ['https://host.test/a@b', 'https://host.test/a@b'],
])('%s', (text, expected) => {
  expect(scrub(text, 'text', scrubbing)).toBe(expected)
})

test('secrets are replaced in text and in JSON', () => {
  expect(scrub(`key ${key}`, 'text', scrubbing)).not.toContain(key)
  expect(scrub(`{"a":"key ${key}"}`, 'json', scrubbing)).not.toContain(key)
})

test('a user named root, or none, removes no word', () => {
  expect(scrub('the root of it', 'text', { ...scrubbing, user: 'root' })).toBe('the root of it')
  expect(scrub('ada', 'text', { ...scrubbing, user: undefined })).toBe('ada')
})

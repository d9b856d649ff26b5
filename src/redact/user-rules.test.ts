import { describe, expect, test } from 'bun:test'
import { EntireError } from '../std/errors.ts'
import { createRedactor, redactJsonLines, redactText } from './redact.ts'

const none = { emails: false, phones: false, rules: [] }
const ruled = (label: string, regex: string) => createRedactor({ ...none, rules: [{ label, regex }] })

describe('personal data', () => {
  test.each([
    ['ask jane.doe+x@mail.test.org now', 'ask [REDACTED_EMAIL] now'],
    ['noreply@github.com, 1+bot@users.noreply.github.com, git@github.com:a/b', undefined],
    ["import x from '@scope/name'", undefined],
    ['call +49 30 1234 5678 or (555) 123-4567', 'call [REDACTED_PHONE] or [REDACTED_PHONE]'],
    ['2024-01-15 192.168.100.200 1234567890 v1.2.3 555-1234', undefined],
  ])('%s', (text, expected) =>
    expect(redactText(text, createRedactor({ ...none, emails: true, phones: true }))).toBe(expected ?? text),
  )

  test('stays unless the settings ask for its redaction', () =>
    expect(redactText('jane@mail.test.org', createRedactor(none))).toBe('jane@mail.test.org'))
})

describe('a rule from the settings', () => {
  test('names what it replaced', () => {
    expect(redactJsonLines('{"a":"customer C-12345"}', ruled('customer id', 'C-\\d{5}'))).toBe(
      '{"a":"customer [REDACTED_CUSTOMER_ID]"}',
    )
  })

  test('may ignore case with the syntax of other engines', () =>
    expect(redactText('ACME acme', ruled('x', '(?i)acme'))).toBe('[REDACTED_X] [REDACTED_X]'))

  test('never replaces what was replaced before', () =>
    expect(redactText('abc def', ruled('w', '\\w+'))).toBe('[REDACTED_W] [REDACTED_W]'))

  test('gives way to the region that starts first', () => {
    expect(redactText('DB_PASSWORD=C-12345x', ruled('c', 'DB_.*C-\\d{5}'))).toBe('[REDACTED_C]')
  })

  test('finds a match anywhere in a very long line', () => {
    const line = `${'x'.repeat(4090)}C-12345${'y'.repeat(9000)}C-54321`
    expect(redactText(line, ruled('c', 'C-\\d{5}'))).toBe(
      `${'x'.repeat(4090)}[REDACTED_C]${'y'.repeat(9000)}[REDACTED_C]`,
    )
  })
})

// A backtracking engine takes forever on these texts.
test.each([
  ['(a+)+$', `${'a'.repeat(4000)}!`, 'aaaa', '[REDACTED_X]'],
  ['((?:a|b)c?)*d', 'abc'.repeat(1300), 'abcbd', '[REDACTED_X]'],
  ['(a|a)*b', 'a'.repeat(4000), 'aaab', '[REDACTED_X]'],
  ['(\\w+\\s?){2,}!', 'word '.repeat(800), 'one two!', '[REDACTED_X]'],
])('a rule may repeat repeats and choices: %s', (regex, slow, text, expected) => {
  const rules = ruled('x', regex)
  expect(redactText(text, rules)).toBe(expected)
  expect(redactText(slow, rules)).toBe(slow)
})

test('all rules of a run share a limit, however few steps each of them takes on each text', () => {
  const slow = '(?:a|b|ab|ba){1,40}c'
  const overdue: string[] = []
  const rules = ['one', 'two'].map((label) => ({ label, regex: slow }))
  const redactor = createRedactor({ ...none, rules }, (label) => overdue.push(label))
  const text = 'ab'.repeat(2000)
  expect(redactText(text, redactor)).toBe(text)
  for (let count = 0; count < 200 && overdue.length < 2; count += 1) redactText(text, redactor)
  expect(overdue).toEqual(['one', 'two'])
  expect(redactText('nothing else to try', redactor)).toBe('nothing else to try')
  expect(redactText(text, redactor)).toBe('[REDACTED_ONE]')
})

describe('an invalid rule is refused with a hint', () => {
  test.each([
    ['bad syntax', 'x', '(unclosed'],
    ['no label', '--', 'a'],
    ['matches nothing', 'x', 'a*'],
    ['too long', 'x', 'a'.repeat(2001)],
  ])('%s', (_, label, regex) => {
    const attempt = () => ruled(label, regex)
    expect(attempt).toThrow(EntireError)
    expect(attempt).toThrow(expect.objectContaining({ code: 'bad-settings', hint: expect.any(String) }))
  })

  test.each(['[a+]+', 'a+b+', '(ab)+', '\\(a+\\)+', '(?:foo|bar)-\\d+', '(?:\\d{3}-){1,4}\\d+', '[\\](|]+'])(
    '%s is fine',
    (regex) => {
      expect(() => ruled('x', regex)).not.toThrow()
    },
  )
})

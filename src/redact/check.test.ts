import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { rotatingRuns } from '../../test/support/rotation.ts'
import { jsonValue, mixedText } from '../../test/support/secret-samples.ts'
import { findPlaces } from './check.ts'
import { createRedactor, redactTranscript } from './redact.ts'

const redactor = createRedactor({ emails: true, phones: false, rules: [] })
const token = `${'ghp'}_${'a1B2c3D4e5F6'.repeat(3)}`
const [begin, end] = ['BEGIN', 'END'].map((edge) => `-----${edge} PRIVATE KEY-----`)

describe('the place of a secret', () => {
  test.each([
    ['in text', `a\nb ${token}`, [{ rule: 'github', line: 2, column: 3 }]],
    ['in JSON', `{"a":"\\n\\u00e9 ${token}"}`, [{ rule: 'github', line: 1, column: 16 }]],
    ['in a key of JSON', `{"${token}":1}\n`, [{ rule: 'github', line: 1, column: 3 }]],
    ['by its key', '{}\n{"password":"hunter2"}', [{ rule: 'secret-member', line: 2, column: 14 }]],
    [
      'of a login',
      '{"host":"a","user":"b","password":"c"}',
      [{ rule: 'secret-member', line: 1, column: 36 }],
    ],
    [
      'on the next line',
      'name: DB_PASSWORD\nvalue: hunter2',
      [{ rule: 'secret-member', line: 2, column: 8 }],
    ],
    [
      'of keys with many lines',
      [begin, 'A'.repeat(64), end, 'x', begin, 'B'.repeat(64), end, ''].join('\n'),
      [
        { rule: 'private-key', line: 1, column: 1 },
        { rule: 'private-key', line: 5, column: 1 },
      ],
    ],
    ['of an address', 'write to jane@shop.test', [{ rule: 'email', line: 1, column: 10 }]],
    ['after a byte order mark', `\uFEFF{"a":"${token}"}`, [{ rule: 'github', line: 1, column: 8 }]],
  ])('%s', (_, text, places) => expect(findPlaces(text, redactor)).toEqual(places))
})

test('a text has places exactly if redacting changes it', () => {
  const text = fc.oneof(
    mixedText,
    jsonValue.map((value) => JSON.stringify(value, null, 1)),
  )
  fc.assert(
    fc.property(text, (input) =>
      expect(findPlaces(input, redactor).length > 0).toBe(redactTranscript(input, redactor) !== input),
    ),
    rotatingRuns(1000),
  )
})

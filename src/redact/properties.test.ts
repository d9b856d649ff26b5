import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { rotatingRuns } from '../../test/support/rotation.ts'
import { jsonValue, mixedText } from '../../test/support/secret-samples.ts'
import {
  createRedactor,
  type Redactor,
  redactJsonDocument,
  redactJsonLines,
  redactText,
  redactTranscript,
} from './redact.ts'

const plain = createRedactor({ emails: false, phones: false, rules: [] })
const everything = createRedactor({
  emails: true,
  phones: true,
  rules: [{ label: 'vowels', regex: '[aeiou]{2,}' }],
})
const redactors = fc.constantFrom<Redactor>(plain, everything)

const line = fc.oneof(
  jsonValue.map((value) => JSON.stringify(value)),
  jsonValue.map((value) => JSON.stringify(value).slice(0, -3)),
  mixedText.map((text) => text.replaceAll('\n', ' ')),
  fc.constantFrom('', ' ', '\r', '{}', '[1, 2]', 'null'),
)
const lines = fc.array(line, { maxLength: 6 })

/** The value without what its strings say. */
function shape(value: unknown): unknown {
  if (typeof value === 'string') return ''
  if (Array.isArray(value)) return value.map(shape)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value).map(([key, item]) => [key, shape(item)])
}

describe('redacting twice gives the same as redacting once', () => {
  test('for text', () => {
    const check = (text: string, redactor: Redactor) => {
      const once = redactText(text, redactor)
      expect(redactText(once, redactor)).toBe(once)
    }
    fc.assert(fc.property(mixedText, redactors, check), rotatingRuns(1000))
  })

  test('for transcripts', () => {
    const check = (parts: string[], redactor: Redactor) => {
      const once = redactTranscript(parts.join('\n'), redactor)
      expect(redactTranscript(once, redactor)).toBe(once)
    }
    fc.assert(fc.property(lines, redactors, check), rotatingRuns(500))
  })
})

describe('JSON stays JSON', () => {
  test('with the same keys, types and numbers', () => {
    fc.assert(
      fc.property(jsonValue, redactors, fc.constantFrom(undefined, 2, '\t'), (value, redactor, indent) => {
        const text = JSON.stringify(value, null, indent)
        expect(shape(JSON.parse(redactJsonDocument(text, redactor)))).toEqual(shape(JSON.parse(text)))
      }),
      rotatingRuns(1000),
    )
  })

  test('and only string values with a secret change', () => {
    fc.assert(
      fc.property(jsonValue, redactors, (value, redactor) => {
        const before = JSON.stringify(value, null, 1).split('\n')
        const after = redactJsonDocument(before.join('\n'), redactor).split('\n')
        expect(after.length).toBe(before.length)
        for (const [i, text] of after.entries()) if (!text.includes('REDACTED')) expect(text).toBe(before[i]!)
      }),
      rotatingRuns(500),
    )
  })
})

test('redacting only appended lines gives the same as redacting everything', () => {
  fc.assert(
    fc.property(lines, lines, redactors, (first, second, redactor) => {
      const [head, tail] = [`${first.join('\n')}\n`, second.join('\n')]
      expect(redactJsonLines(head + tail, redactor)).toBe(
        redactJsonLines(head, redactor) + redactJsonLines(tail, redactor),
      )
    }),
    rotatingRuns(500),
  )
})

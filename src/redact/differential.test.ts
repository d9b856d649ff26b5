import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { findByRulesNaively, findSecretsNaively } from '../../test/support/naive-redaction.ts'
import { rotatingRuns } from '../../test/support/rotation.ts'
import { jsonValue, mixedText, samplesOf, secretText, tokenRules } from '../../test/support/secret-samples.ts'
import {
  isMediaType,
  isSealedKey,
  isSecretMember,
  isSkippedKey,
  judgements,
  partOfPair,
  roleOfKey,
} from './credentials.ts'
import { findSecrets } from './find-secrets.ts'
import { createRedactor, redactJsonLines, redactText } from './redact.ts'
import { isPlaceholder } from './regions.ts'

const redactor = createRedactor({ emails: false, phones: false, rules: [] })
const naively = (text: string) => redactText(text, redactor, findSecretsNaively)
const nameNaively = (text: string) => redactText(text, redactor, findByRulesNaively)

/** The rules for JSON once more, on decoded values and without any care for speed. */
function redactValue(value: unknown, key?: string): unknown {
  if (typeof value === 'string') {
    if (key !== undefined && isSealedKey(key)) return value
    if (isPlaceholder(value)) return value
    if (key !== undefined && isSkippedKey(key)) return nameNaively(value)
    const isSecret = (text: string) => key !== undefined && !isPlaceholder(text) && isSecretMember(key, text)
    return isSecret(value) || isSecret(naively(value)) ? 'REDACTED' : naively(value)
  }
  if (Array.isArray(value)) return value.map((item) => redactValue(item, key))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value)
  if (members.some(([name, item]) => name === 'type' && typeof item === 'string' && isMediaType(item)))
    return value
  const roles = new Set(
    members.map(([name, item]) => (typeof item === 'string' ? roleOfKey(name) : undefined)),
  )
  const login = roles.has('host') && roles.has('user')
  const labels = members.filter(([name, item]) => partOfPair(name) === 'label' && typeof item === 'string')
  const label = labels.at(-1)?.[1] as string | undefined
  const redactMember = ([name, item]: [string, unknown]): [string, unknown] => {
    const isPassword =
      login &&
      typeof item === 'string' &&
      item !== '' &&
      roleOfKey(name) === 'password' &&
      !isPlaceholder(item)
    const called = partOfPair(name) === 'value' && typeof item === 'string' ? (label ?? name) : name
    return [nameNaively(name), isPassword ? 'REDACTED' : redactValue(item, called)]
  }
  return Object.fromEntries(members.map(redactMember))
}

describe('the keyword engine', () => {
  test('finds in any text what every rule over the whole text finds', () => {
    fc.assert(
      fc.property(mixedText, (text) => {
        expect(redactText(text, redactor)).toBe(naively(text))
      }),
      rotatingRuns(1500),
    )
  })

  test('finds a secret anywhere in a long text', () => {
    const filler = 'const value = readToken(options) // see https://example.test/docs?page=2\n'.repeat(300)
    fc.assert(
      fc.property(secretText, fc.nat(filler.length), fc.nat(filler.length), (secret, a, b) => {
        const text = `${filler.slice(0, a)} ${secret} ${filler.slice(a)}${filler.slice(0, b)}\n${secret}`
        expect(redactText(text, redactor)).toBe(naively(text))
      }),
      { numRuns: 60 },
    )
  })

  test('reports the same places, not only the same result', () => {
    const order = (spans: { start: number; end: number }[]) =>
      [...new Set(spans.map(({ start, end }) => `${start}-${end}`))].sort()
    fc.assert(
      fc.property(mixedText, (text) =>
        expect(order(findSecrets(text))).toEqual(order(findSecretsNaively(text))),
      ),
      rotatingRuns(500),
    )
  })

  test('redacts raw JSON as if every value had been decoded', () => {
    fc.assert(
      fc.property(jsonValue, fc.constantFrom(undefined, 1), fc.boolean(), (value, indent, disguise) => {
        const line = JSON.stringify(value, null, indent).replaceAll('\n', ' ')
        const text = disguise
          ? line
              .replaceAll('/', '\\/')
              .replace(/(?<!\\)([ks])/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`)
          : line
        const source = isSame(text, value) ? text : line
        expect(JSON.parse(redactJsonLines(source, redactor))).toEqual(redactValue(value))
      }),
      rotatingRuns(1500),
    )
  })
})

/** Disguising a letter can hit the inside of an escape; such texts say something else and are left out. */
function isSame(text: string, value: unknown): boolean {
  try {
    return Bun.deepEquals(JSON.parse(text), JSON.parse(JSON.stringify(value)))
  } catch {
    return false
  }
}

test.each(tokenRules.map((rule) => [rule.id, rule] as const))(
  'a token of %s is redacted whole',
  (_, rule) => {
    for (const token of fc.sample(samplesOf(rule), { numRuns: 5, seed: 42 })) {
      if (rule.accept && !judgements[rule.accept](token)) continue
      expect(redactText(`key ${token} end`, redactor)).toBe('key REDACTED end')
    }
  },
)

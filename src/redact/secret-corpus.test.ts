import { describe, expect, test } from 'bun:test'
import { findByReference } from '../../test/support/reference-redaction.ts'
import { rotatingSeeds } from '../../test/support/rotation.ts'
import { inTranscript, type SecretCase, secretCorpus } from '../../test/support/secret-corpus.ts'
import { counted } from '../../test/support/trials.ts'
import { createRedactor, redactTranscript } from './redact.ts'

const redactor = createRedactor({ emails: false, phones: false, rules: [] })

/** The secret, or nearly all of it, is among what was found. */
const isAmong = (found: readonly string[], { secret }: SecretCase) =>
  found.some((text) => text.includes(secret) || (secret.includes(text) && text.length > secret.length * 0.8))

const show = ({ form, kind, text }: SecretCase) => `${form}, ${kind}: ${text}`

describe.each(rotatingSeeds(1))(
  'secrets in every form, under every name, of every kind (seed %d)',
  (seed) => {
    const cases = secretCorpus(seed)
    const leaks = (write: (one: SecretCase) => string) =>
      cases.filter((one) => redactTranscript(write(one), redactor).includes(one.secret))

    test('are many', () => expect(cases.length).toBeGreaterThan(20_000))

    test.each([
      ['as the output of a tool', inTranscript],
      ['as plain text', ({ text }: SecretCase) => text],
    ])('%s, at most one of a hundred remains, and none that the reference program catches', (_, write) =>
      counted('secrets', (trials) => {
        trials.begin(cases.length)
        const remaining = leaks(write)
        expect(remaining.filter((one) => isAmong(findByReference(one.text), one)).map(show)).toEqual([])
        expect(remaining.length / cases.length).toBeLessThan(0.01)
        trials.excuse(remaining.length)
      }),
    )
  },
)

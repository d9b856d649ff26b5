import { expect, test } from 'bun:test'
import { rules } from '@secretlint/secretlint-rule-preset-recommend'
import fc from 'fast-check'
import { renderRules } from '../../scripts/generate-redaction-rules.ts'
import { rotatingRuns } from '../../test/support/rotation.ts'
import { mixedText, secretText } from '../../test/support/secret-samples.ts'
import { createRedactor, redactText } from './redact.ts'

const redactor = createRedactor({ emails: false, phones: false, rules: [] })

interface Report {
  range: readonly [number, number]
}

/** What the installed rules themselves find, run as secretlint runs them. */
function findBySecretlint(content: string): string[] {
  const found: string[] = []
  const report = ({ range }: Report) => found.push(content.slice(...range))
  const context = { createTranslator: () => () => '', report, ignore: () => undefined, sharedOptions: {} }
  for (const rule of rules) {
    const create = rule.create as unknown as (
      context: unknown,
      options: unknown,
    ) => { file?: (source: unknown) => void }
    create(context, {}).file?.({ content, filePath: 'transcript.txt', ext: '.txt', contentType: 'text' })
  }
  return found
}

test('the generated rules are those of the installed preset', async () => {
  const written = await Bun.file(new URL('./secretlint-rules.ts', import.meta.url)).text()
  expect(written).toBe(renderRules())
})

test('secretlint finds no secret in redacted text', () => {
  let found = 0
  const check = (text: string) => {
    found += findBySecretlint(text).length
    expect(
      findBySecretlint(redactText(text, redactor)).filter((secret) => !secret.includes('REDACTED')),
    ).toEqual([])
  }
  fc.assert(fc.property(fc.oneof(secretText, mixedText), check), rotatingRuns(1500))
  expect(found).toBeGreaterThan(20)
})

// Redacts by the plain definition of a secret, every rule over the whole text. Tests and the benchmark
// compare the engine with it.
import { builtInRules } from '../../src/redact/built-in-rules.ts'
import { isHighEntropy } from '../../src/redact/credentials.ts'
import { addMatch, type FoundSecrets, otherOccurrences } from '../../src/redact/find-secrets.ts'
import { compileRule, type Span } from '../../src/redact/rule.ts'

const token = /(?:\\(?:[ntrbfv]|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}))?(?<token>[A-Za-z0-9+_=-]{10,})/dg

export function findSecretsNaively(text: string): Span[] {
  const found: FoundSecrets = { spans: [], anonymous: new Set() }
  for (const match of text.matchAll(token)) {
    const [start, end] = match.indices!.groups!.token!
    if (isHighEntropy(text, start, end)) found.spans.push({ start, end })
  }
  for (const rule of builtInRules) {
    for (const match of text.matchAll(compileRule(rule, 'g'))) addMatch(text, rule, match, found)
  }
  return [...found.spans, ...otherOccurrences(text, found.anonymous)]
}

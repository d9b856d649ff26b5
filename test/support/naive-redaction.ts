// Redacts by the plain definition of a secret, every rule over the whole text. Tests and the benchmark
// compare the engine with it.
import { builtInRules } from '../../src/redact/built-in-rules.ts'
import { isHighEntropy } from '../../src/redact/credentials.ts'
import {
  addMatch,
  entropyRule,
  type Finding,
  type FoundSecrets,
  otherOccurrences,
} from '../../src/redact/find-secrets.ts'
import { compileRule } from '../../src/redact/rule.ts'

const token = /(?:\\(?:[ntrbfv]|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}))?(?<token>[A-Za-z0-9+_=-]{10,})/dg

export function findSecretsNaively(text: string): Finding[] {
  const tokens = [...text.matchAll(token)]
    .map((match) => match.indices!.groups!.token!)
    .filter(([start, end]) => isHighEntropy(text, start, end))
    .map(([start, end]) => ({ start, end, rule: entropyRule }))
  return [...tokens, ...findByRulesNaively(text)]
}

export function findByRulesNaively(text: string): Finding[] {
  const found: FoundSecrets = { spans: [], anonymous: new Map() }
  for (const rule of builtInRules) {
    const expression = compileRule(rule, 'g')
    for (let match = expression.exec(text); match !== null; match = expression.exec(text))
      if (!addMatch(text, rule, match, found)) expression.lastIndex = match.index + 1
  }
  return [...found.spans, ...otherOccurrences(text, found.anonymous)]
}

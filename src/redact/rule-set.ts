// Gives access to the built-in rules as the build has prepared them. A rule is compiled when one of its
// keywords is found; most texts have none.

import { type Keywords, type KeywordTable, openKeywordTable } from './keywords.ts'
import { prepareKeywords, prepareRules, prepareTable } from './prepare-rules.ts' with { type: 'macro' }
import { compileHint, compileRule, type SecretRule } from './rule.ts'

export interface RuleSet {
  keywords: Keywords
  table: KeywordTable
  rule(index: number): SecretRule
  /** The rule as a sticky expression, compiled when its keyword is found for the first time. */
  sticky(index: number): RegExp
  hint(index: number): RegExp
}

function buildRuleSet(): RuleSet {
  let rules: readonly SecretRule[] | undefined
  const rule = (index: number) => {
    rules ??= prepareRules()
    return rules[index]!
  }
  const compiledOnce = (compile: (rule: SecretRule) => RegExp) => {
    const compiled: RegExp[] = []
    return (index: number) => {
      compiled[index] ??= compile(rule(index))
      return compiled[index]
    }
  }
  return {
    keywords: prepareKeywords(),
    table: openKeywordTable(prepareTable()),
    rule,
    sticky: compiledOnce((found) => compileRule(found, 'y')),
    hint: compiledOnce(compileHint),
  }
}

let ruleSet: RuleSet | undefined

export function getRuleSet(): RuleSet {
  ruleSet ??= buildRuleSet()
  return ruleSet
}

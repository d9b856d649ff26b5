// The built-in rules, put together on first use: importing this costs nothing but the tables.
import { assignmentRules } from './assignment-rules.ts'
import { connectionRules } from './connection-rules.ts'
import { credentialKeys } from './credential-object.ts'
import { generatedRules } from './generated-rules.ts'
import { buildKeywordTable, type KeywordTable } from './keyword-table.ts'
import { privateKeyRule } from './private-key-rule.ts'
import { providerRules } from './provider-rules.ts'
import { compileHint, compileRule, isCaseSensitive, type Rule } from './rule.ts'

export const builtInRules: readonly Rule[] = [...generatedRules, ...providerRules, ...connectionRules, ...assignmentRules, privateKeyRule]

export interface Keyword {
  text: string
  rule: number
  exact: boolean
  bounded: boolean
  lead: number
}

export interface RuleSet {
  keywords: readonly Keyword[]
  table: KeywordTable
  /** The rule as a sticky expression; compiled when its keyword is met for the first time. */
  sticky(rule: number): RegExp
  hint(rule: number): RegExp
}

/** A keyword that belongs to no rule only says: look at this JSON text value by value. */
export const noRule = -1

function keywordsOf(rules: readonly Rule[]): Keyword[] {
  const keywords = rules.flatMap((rule, index) =>
    rule.keywords.map((text) => ({
      text,
      rule: index,
      exact: isCaseSensitive(rule),
      bounded: rule.bounded ?? false,
      lead: rule.lead ?? 0,
    })),
  )
  const keys = credentialKeys.map((key) => ({ text: `${key}"`, rule: noRule, exact: false, bounded: false, lead: 0 }))
  return [...keywords, ...keys]
}

function compiledOnce(compile: (rule: Rule) => RegExp): (rule: number) => RegExp {
  const compiled: RegExp[] = []
  return (rule) => {
    compiled[rule] ??= compile(builtInRules[rule]!)
    return compiled[rule]
  }
}

function buildRuleSet(): RuleSet {
  const keywords = keywordsOf(builtInRules)
  return {
    keywords,
    table: buildKeywordTable(keywords.map((keyword) => keyword.text)),
    sticky: compiledOnce((rule) => compileRule(rule, 'y')),
    hint: compiledOnce(compileHint),
  }
}

let ruleSet: RuleSet | undefined

export function getRuleSet(): RuleSet {
  ruleSet ??= buildRuleSet()
  return ruleSet
}

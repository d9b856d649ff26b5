// Prepares the rules at build time: assembling them takes a fresh process longer than using them. Run by the
// bundler as macros. https://bun.com/docs/bundler/macros
import { builtInRules } from './built-in-rules.ts'
import { credentialKeys } from './credentials.ts'
import { type Keywords, noRule, planKeywordTable, type TablePlan } from './keywords.ts'
import { isCaseSensitive, type SecretRule } from './rule.ts'

export function prepareRules(): SecretRule[] {
  return [...builtInRules]
}

export function prepareKeywords(): Keywords {
  const keywords = builtInRules.flatMap((rule, index) => rule.keywords.map((text) => ({ text, index, rule })))
  const keys = credentialKeys.map((key) => ({ text: `${key}"`, index: noRule, rule: undefined }))
  const all = [...keywords, ...keys]
  return {
    texts: all.map(({ text }) => text),
    rules: all.map(({ index }) => index),
    exact: all.map(({ rule }) => rule !== undefined && isCaseSensitive(rule)),
    bounded: all.map(({ rule }) => rule?.bounded ?? false),
    leads: all.map(({ rule }) => rule?.lead ?? 0),
  }
}

export function prepareTable(): TablePlan {
  return planKeywordTable(prepareKeywords().texts)
}

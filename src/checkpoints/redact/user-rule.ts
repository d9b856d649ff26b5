// Rules from the settings: checked before they are trusted with every byte of every transcript.
import type { RedactionRule } from '../../model/settings.ts'
import { EntireError, messageOf } from '../../std/errors.ts'
import type { Pattern } from './pattern.ts'
import { repeatsARepeat } from './slow-regex.ts'

const longestRegex = 2000

export function parseUserRule(rule: RedactionRule): Pattern {
  const where = `redaction rule "${rule.label}"`
  if (!/[A-Za-z0-9]/.test(rule.label)) {
    throw new EntireError('bad-settings', `A ${where} has no usable label.`, {
      hint: 'Give it a label of letters and digits, such as CUSTOMER_ID.',
    })
  }
  if (rule.regex.length > longestRegex) {
    throw new EntireError('bad-settings', `The ${where} is longer than ${longestRegex} characters.`, {
      hint: 'Split it into several rules.',
    })
  }
  const regex = compile(rule, where)
  if (regex.test('')) {
    throw new EntireError('bad-settings', `The ${where} matches an empty text.`, {
      hint: 'Ask for at least one character, for example with + instead of *.',
    })
  }
  if (repeatsARepeat(rule.regex)) {
    throw new EntireError('bad-settings', `The ${where} repeats something that is itself a repeat or a choice, which can take forever.`, {
      hint: 'Replace (a+)+ by a+, and (a|b)* by [ab]*, or give the outer repeat an upper limit such as {1,5}.',
    })
  }
  return { label: rule.label, regex }
}

/** `(?i)` in front is how other engines spell the flag. */
function compile(rule: RedactionRule, where: string): RegExp {
  const insensitive = rule.regex.startsWith('(?i)')
  try {
    return new RegExp(insensitive ? rule.regex.slice(4) : rule.regex, insensitive ? 'gi' : 'g')
  } catch (error) {
    throw new EntireError('bad-settings', `The ${where} is not a regular expression: ${messageOf(error)}`, {
      hint: 'Use JavaScript syntax, and write every backslash twice in JSON.',
      cause: error,
    })
  }
}

// Checks and runs the redaction rules of the settings, and finds personal data.
import type { RedactionRule } from '../model/settings.ts'
import { EntireError, messageOf } from '../std/errors.ts'
import { given } from '../std/given.ts'
import { compilePattern, type LimitedPattern, type StepPool } from './linear-pattern.ts'
import { labelledPlaceholder, type Region } from './regions.ts'

const longestRegex = 2000

/** What all rules of one run share. */
export interface RuleRun {
  pool: StepPool
  report?: ReportOverdue
}

export function parseUserRule(rule: RedactionRule, run: RuleRun): LabelledPattern {
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
  return { label: rule.label, regex, ...given({ limited: limit(rule, where, run) }) }
}

/** A text that takes too many steps is secret as a whole; after a few of them, every text is. */
function limit(rule: RedactionRule, where: string, { pool, report }: RuleRun): LabelledPattern['limited'] {
  const pattern = compileLimited(rule, where)
  let overdue = 0
  return (text) => {
    const found = overdue > mostOverdue ? undefined : pattern.find(text, pool)
    if (found !== undefined) return found
    overdue += 1
    if (overdue === 1) report?.(rule.label)
    return [[0, text.length]]
  }
}

const mostOverdue = 20

/** Called once for a rule that took too many steps. */
export type ReportOverdue = (label: string) => void

function compileLimited(rule: RedactionRule, where: string): LimitedPattern {
  const [source, ignoresCase] = splitFlag(rule)
  try {
    return compilePattern(source, ignoresCase)
  } catch (error) {
    throw new EntireError('bad-settings', `The ${where} cannot be used: ${messageOf(error)}.`, {
      hint: 'Write it without back-references, with texts of one length in (?<=…), and without repeats of what can be empty.',
      cause: error,
    })
  }
}

/** A leading `(?i)` is the flag in the syntax of other engines. */
function splitFlag({ regex }: RedactionRule): [source: string, ignoresCase: boolean] {
  return regex.startsWith('(?i)') ? [regex.slice(4), true] : [regex, false]
}

function compile(rule: RedactionRule, where: string): RegExp {
  const [source, ignoresCase] = splitFlag(rule)
  try {
    return new RegExp(source, ignoresCase ? 'gi' : 'g')
  } catch (error) {
    throw new EntireError('bad-settings', `The ${where} is not a regular expression: ${messageOf(error)}`, {
      hint: 'Use JavaScript syntax, and write every backslash twice in JSON.',
      cause: error,
    })
  }
}

/**
 * An expression without known keywords, so it runs over the whole text: personal data, and rules of the
 * settings.
 */
export interface LabelledPattern {
  label: string
  regex: RegExp
  allow?: (match: string) => boolean
  /** Of a rule of the settings: finds its matches in a limited number of steps. */
  limited?: (text: string) => readonly [start: number, end: number][]
}

/** Bounds the cost of a slow expression: it sees one line, and of a long line this much at a time. */
const window = 4096
const overlap = 1024

export function findPatterns(text: string, patterns: readonly LabelledPattern[]): Region[] {
  const regions: Region[] = []
  if (patterns.length === 0) return regions
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start)
    const end = newline === -1 ? text.length : newline
    for (let from = start; from < end; from += window - overlap) {
      findInWindow(text.slice(from, Math.min(end, from + window)), from, patterns, regions)
      if (from + window >= end) break
    }
    start = end + 1
  }
  return regions
}

function findInWindow(
  piece: string,
  offset: number,
  patterns: readonly LabelledPattern[],
  regions: Region[],
): void {
  for (const { label, regex, allow, limited } of patterns) {
    const found = { replacement: labelledPlaceholder(label), rule: label.toLowerCase() }
    if (limited !== undefined) {
      for (const [start, end] of limited(piece))
        regions.push({ start: offset + start, end: offset + end, ...found })
      continue
    }
    for (const match of piece.matchAll(regex)) {
      if (match[0] === '' || allow?.(match[0])) continue
      const start = offset + match.index
      regions.push({ start, end: start + match[0].length, ...found })
    }
  }
}

/** Addresses that no person reads; git trailers are full of them. */
const publicAddress =
  /^(?:noreply|no-reply|actions)@|@(?:users\.)?noreply\.github\.com$|^git@|@example\.(?:com|org|net)$/i

export const emailPattern: LabelledPattern = {
  label: 'EMAIL',
  regex:
    /(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9-])/g,
  allow: (address) => publicAddress.test(address),
}

/**
 * International numbers, or numbers in the usual groups, but not dates, versions, IP addresses or plain
 * numbers.
 */
export const phonePattern: LabelledPattern = {
  label: 'PHONE',
  regex:
    /(?<![\w.+-])(?:\+\d{1,3}[ .-]?(?:\(\d{1,4}\)|\d{1,4})(?:[ .-]?\d{2,4}){2,4}|(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4})(?![\w-]|\.\d)/g,
}

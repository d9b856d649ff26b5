// Runs a rule only where one of its keywords stands. Gives exactly what running every rule over the whole text would give.

import { isHighEntropy, shortestToken } from './entropy.ts'
import { findKeywords, type Keywords, noRule } from './keywords.ts'
import { type SecretRule, type Span, secretSpan } from './rule.ts'
import { getRuleSet, type RuleSet } from './rule-set.ts'

export function findSecrets(text: string): Span[] {
  const ruleSet = getRuleSet()
  const tokens = findTokens(text)
  const hits = findHits(text, ruleSet)
  if (hits.length === 0) return tokens
  return [...tokens, ...matchHits(text, hits, ruleSet)]
}

function matchHits(text: string, hits: KeywordHit[], ruleSet: RuleSet): Span[] {
  const spans: Span[] = []
  const anonymous = new Set<string>()
  const doneUntil: number[] = []
  for (const { start, rule } of hits.sort((a, b) => a.start - b.start)) {
    // A match never starts inside the previous match of the same rule: that is how a search from left to right works.
    if (rule === noRule || start < (doneUntil[rule] ?? 0)) continue
    const regex = ruleSet.sticky(rule)
    regex.lastIndex = start
    const match = regex.exec(text)
    doneUntil[rule] = match === null ? start + 1 : start + match[0].length
    if (match !== null) addMatch(text, ruleSet.rule(rule), match, spans, anonymous)
  }
  return [...spans, ...otherOccurrences(text, anonymous)]
}

export function addMatch(
  text: string,
  rule: SecretRule,
  match: RegExpExecArray,
  spans: Span[],
  anonymous: Set<string>,
): void {
  const span = secretSpan(rule, match)
  if (span === undefined) return
  spans.push(span)
  if (rule.anonymous) anonymous.add(text.slice(span.start, span.end))
}

/** Shorter ones are too likely to be words. */
const shortestAnonymous = 8
/** Bounds the work on a text that consists of nothing but passwords. */
const mostAnonymous = 64

export function otherOccurrences(text: string, secrets: ReadonlySet<string>): Span[] {
  const spans: Span[] = []
  const worthwhile = [...secrets].filter((secret) => secret.length >= shortestAnonymous).sort()
  for (const secret of worthwhile.slice(0, mostAnonymous)) {
    for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + secret.length)) {
      spans.push({ start: at, end: at + secret.length })
    }
  }
  return spans
}

// A first look at a text that finds every place where a secret could be. What it does not report needs no second look. Most of it is
// done by the regular expression engine: it is quick from the first character on, in a process that has just started, too.

export interface KeywordHit {
  start: number
  rule: number
}

const backslash = 92
const longToken = new RegExp(`[A-Za-z0-9+_=-]{${shortestToken},}`, 'g')
const plainEscape = /\\(?:\/|u00[2-7])/g
const hexDigits: Record<string, number> = { n: 0, t: 0, r: 0, b: 0, f: 0, v: 0, u: 4, x: 2 }

/** Runs of characters that look random. */
export function findTokens(text: string): Span[] {
  const tokens: Span[] = []
  for (const match of text.matchAll(longToken)) {
    const end = match.index + match[0].length
    const start =
      text.charCodeAt(match.index - 1) === backslash ? afterEscape(text, match.index - 1) : match.index
    if (isHighEntropy(text, start, end)) tokens.push({ start, end })
  }
  return tokens
}

/** The letters of an escape in front of a token are not part of it. */
function afterEscape(text: string, at: number): number {
  const digits = hexDigits[text[at + 1] ?? '']
  if (digits === undefined) return at + 1
  if (digits === 0) return at + 2
  const code = text.slice(at + 2, at + 2 + digits)
  return code.length === digits && !/[^0-9A-Fa-f]/.test(code) ? at + 2 + digits : at + 1
}

/** Places where JSON spells a plain character as an escape, which hides what the others look for. */
export function findEscapedCharacters(text: string): number[] {
  return Array.from(text.matchAll(plainEscape), (match) => match.index)
}

/** Where keywords of the rules stand. */
export function findHits(text: string, { table, keywords }: RuleSet): KeywordHit[] {
  const hits: KeywordHit[] = []
  findKeywords(text, table, (at, index) => {
    const start = at - keywords.leads[index]!
    if (start >= 0 && fits(text, at, keywords, index)) hits.push({ start, rule: keywords.rules[index]! })
  })
  return hits
}

function fits(text: string, start: number, { texts, exact, bounded }: Keywords, index: number): boolean {
  if (exact[index] && !text.startsWith(texts[index]!, start)) return false
  if (!bounded[index] || start === 0 || !isLetter(text.charCodeAt(start - 1))) return true
  return (
    text.charCodeAt(start - 2) === backslash ||
    (text[start - 5] === 'u' && text.charCodeAt(start - 6) === backslash)
  )
}

function isLetter(code: number): boolean {
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
}

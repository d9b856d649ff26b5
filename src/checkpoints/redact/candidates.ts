// A first look at a text that finds every place where a secret could be. What it does not report needs no second look. Most of it is
// done by the regular expression engine: it is quick from the first character on, in a process that has just started, too.
import { isHighEntropy, shortestToken } from './entropy.ts'
import type { Keywords } from './keyword.ts'
import { findKeywords } from './keyword-table.ts'
import type { Span } from './rule.ts'
import type { RuleSet } from './rule-set.ts'

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
    const start = text.charCodeAt(match.index - 1) === backslash ? afterEscape(text, match.index - 1) : match.index
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
export function findDisguises(text: string): number[] {
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
  return text.charCodeAt(start - 2) === backslash || (text[start - 5] === 'u' && text.charCodeAt(start - 6) === backslash)
}

function isLetter(code: number): boolean {
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
}

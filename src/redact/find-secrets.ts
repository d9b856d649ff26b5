// Finds secrets in a text. Runs a rule only at its keywords, with the same result as running every rule over
// the whole text.

import { isHighEntropy, isRecognisable, shortestToken } from './credentials.ts'
import { findKeywords, type Keywords, noRule } from './keywords.ts'
import { type SecretRule, type Span, secretSpan } from './rule.ts'
import { getRuleSet, type RuleSet } from './rule-set.ts'

/** A secret, and the rule that found it. */
export interface Finding extends Span {
  rule: string
}

export function findSecrets(text: string): Finding[] {
  const found = [...findTokens(text), ...findByRules(text)]
  return found.length === 0 ? found : withoutPublic(text, found)
}

/** Pictures and fonts in an address, and public keys. */
const publicData =
  /(?:data:(?:image|font|audio|video)\/[\w.+-]{1,40};base64,|(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp\d{3}) (?=AAAA[A-Z]))[A-Za-z0-9+/=]+/g

function withoutPublic(text: string, found: Finding[]): Finding[] {
  if (!text.includes(';base64,') && !text.includes(' AAAA')) return found
  const spans = Array.from(text.matchAll(publicData), ({ 0: { length }, index }) => [index, index + length])
  let next = 0
  return found
    .sort((a, b) => a.start - b.start)
    .filter(({ start, end }) => {
      while (next < spans.length && spans[next]![1]! <= start) next += 1
      return next === spans.length || start < spans[next]![0]! || end > spans[next]![1]!
    })
}

/** Without the runs of characters that only look random, which ids, paths and names of members may be. */
export function findByRules(text: string): Finding[] {
  const ruleSet = getRuleSet()
  const hits = findHits(text, ruleSet)
  return hits.length === 0 ? [] : matchHits(text, hits, ruleSet)
}

function matchHits(text: string, hits: KeywordHit[], ruleSet: RuleSet): Finding[] {
  const found: FoundSecrets = { spans: [], anonymous: new Map() }
  const doneUntil: number[] = []
  for (const { start, rule } of hits.sort((a, b) => a.start - b.start)) {
    // As in a search from left to right, a secret never starts inside the previous one of the same rule.
    if (rule === noRule || start < (doneUntil[rule] ?? 0)) continue
    const regex = ruleSet.sticky(rule)
    regex.lastIndex = start
    const match = regex.exec(text)
    const isSecret = match !== null && addMatch(text, ruleSet.rule(rule), match, found)
    doneUntil[rule] = start + (isSecret ? match[0].length : 1)
  }
  return [...found.spans, ...otherOccurrences(text, found.anonymous)]
}

export interface FoundSecrets {
  spans: Finding[]
  /** Secrets without a shape of their own, hidden wherever else they occur; and the rules that found them. */
  anonymous: Map<string, string>
}

export function addMatch(
  text: string,
  rule: SecretRule,
  match: RegExpExecArray,
  { spans, anonymous }: FoundSecrets,
): boolean {
  const span = secretSpan(rule, match)
  if (span === undefined) return false
  // Generated rules are reported under the name of their provider, like the others.
  const name = rule.id.replace('secretlint-', '')
  spans.push({ ...span, rule: name })
  const secret = text.slice(span.start, span.end)
  if (rule.anonymous && isRecognisable(secret)) anonymous.set(secret, name)
  return true
}

/** Bounds the work on a text full of passwords. */
const mostAnonymous = 64

export function otherOccurrences(text: string, secrets: ReadonlyMap<string, string>): Finding[] {
  const spans: Finding[] = []
  for (const [secret, rule] of [...secrets].sort().slice(0, mostAnonymous)) {
    for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + secret.length)) {
      spans.push({ start: at, end: at + secret.length, rule })
    }
  }
  return spans
}

// The functions below take a first look at a text and find every place where a secret could be; the rest
// needs no second look. Most of the work is done by the regular expression engine, which is fast even in a
// fresh process.

export interface KeywordHit {
  start: number
  rule: number
}

const backslash = 92
const longToken = new RegExp(`[A-Za-z0-9+_=-]{${shortestToken},}`, 'g')
const plainEscape = /\\(?:\/|u00(?:[2-7]|0[9aAdD]))/g
const hexDigits: Record<string, number> = { n: 0, t: 0, r: 0, b: 0, f: 0, v: 0, u: 4, x: 2 }

/** The name under which runs of characters that look random are reported. */
export const entropyRule = 'high-entropy'

/** Finds runs of characters that look random. */
export function findTokens(text: string): Finding[] {
  const tokens: Finding[] = []
  for (const match of text.matchAll(longToken)) {
    const end = match.index + match[0].length
    const start =
      text.charCodeAt(match.index - 1) === backslash ? afterEscape(text, match.index - 1) : match.index
    if (isHighEntropy(text, start, end)) tokens.push({ start, end, rule: entropyRule })
  }
  return tokens
}

/** The end of an escape in front of a token, whose letters are not part of the token. */
function afterEscape(text: string, at: number): number {
  const digits = hexDigits[text[at + 1] ?? '']
  if (digits === undefined) return at + 1
  if (digits === 0) return at + 2
  const code = text.slice(at + 2, at + 2 + digits)
  return code.length === digits && !/[^0-9A-Fa-f]/.test(code) ? at + 2 + digits : at + 1
}

/** Finds plain characters that JSON spells as escapes, which can hide a token or a keyword. */
export function findEscapedCharacters(text: string): number[] {
  return Array.from(text.matchAll(plainEscape), (match) => match.index)
}

/** Finds the keywords of the rules. */
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

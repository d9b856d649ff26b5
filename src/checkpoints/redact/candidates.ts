// One pass over a text that finds every place where a secret could be. What it does not report needs no second look.
import { isHighEntropy, shortestToken } from './entropy.ts'
import { holdsWord, slotOf } from './keyword-table.ts'
import type { Span } from './rule.ts'
import type { Keyword, RuleSet } from './rule-set.ts'

export interface KeywordHit {
  start: number
  rule: number
}

export interface Candidates {
  hits: KeywordHit[]
  tokens: Span[]
  /** Places where JSON spells a plain character as an escape, which hides what this pass looks for. */
  disguised: number[]
}

const backslash = 92
const tokenCharacter = new Uint8Array(128)
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+_=-') tokenCharacter[character.charCodeAt(0)] = 1
const hexDigits: Record<string, number> = { n: 0, t: 0, r: 0, b: 0, f: 0, v: 0, u: 4, x: 2 }

/** The letters of an escape in front of a token are not part of it. */
function afterEscape(text: string, at: number): number {
  const digits = hexDigits[text[at + 1] ?? '']
  if (digits === undefined) return at + 1
  if (digits === 0) return at + 2
  const code = text.slice(at + 2, at + 2 + digits)
  return code.length === digits && !/[^0-9A-Fa-f]/.test(code) ? at + 2 + digits : at + 1
}

function isDisguise(text: string, at: number): boolean {
  const next = text[at + 1]
  return next === '/' || (next === 'u' && text[at + 2] === '0' && text[at + 3] === '0' && /[2-7]/.test(text[at + 4] ?? ''))
}

function isLetter(code: number): boolean {
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
}

function fits(text: string, start: number, keyword: Keyword): boolean {
  if (keyword.exact && !text.startsWith(keyword.text, start)) return false
  if (!keyword.bounded || start === 0 || !isLetter(text.charCodeAt(start - 1))) return true
  return text.charCodeAt(start - 2) === backslash || (text[start - 5] === 'u' && text.charCodeAt(start - 6) === backslash)
}

export function findCandidates(text: string, start: number, end: number, { table, keywords }: RuleSet): Candidates {
  const { slots, buckets, words } = table
  const hits: KeywordHit[] = []
  const tokens: Span[] = []
  const disguised: number[] = []
  let tokenStart = start
  let code = text.charCodeAt(start)
  let second = text.charCodeAt(start + 1)
  for (let i = start; i < end; i++) {
    const third = text.charCodeAt(i + 2)
    const bucket = slots[slotOf(code, second, third)]!
    if (bucket !== 0) {
      for (const index of buckets[bucket]!) {
        const keyword = keywords[index]!
        if (i + keyword.text.length > end || i < keyword.lead || !holdsWord(text, i, words[index]!)) continue
        if (fits(text, i, keyword)) hits.push({ start: i - keyword.lead, rule: keyword.rule })
      }
    }
    if (code >= 128 || tokenCharacter[code] !== 1) {
      if (i - tokenStart >= shortestToken && isHighEntropy(text, tokenStart, i)) tokens.push({ start: tokenStart, end: i })
      tokenStart = i + 1
      if (code === backslash) {
        tokenStart = afterEscape(text, i)
        if (isDisguise(text, i)) disguised.push(i)
      }
    }
    code = second
    second = third
  }
  if (end - tokenStart >= shortestToken && isHighEntropy(text, tokenStart, end)) tokens.push({ start: tokenStart, end })
  return { hits, tokens, disguised }
}

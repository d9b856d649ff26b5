// What a rule is: a regular expression that can only start to match at one of its keywords, so that nobody has to try it anywhere else.
// Nothing but data, so that all of them are put together when the program is built.
import { type Judgement, judgements } from './credentials.ts'

export interface SecretRule {
  id: string
  /** Every match starts `lead` characters before one of these. Compared without case unless the rule is case-sensitive. */
  keywords: readonly string[]
  /** The whole match is secret, or only its group `secret`. */
  source: string
  flags?: string
  /**
   * What the JSON encoding of a match starts with; may match more. Needed where a match can contain or look back at
   * characters that JSON escapes (quotes, backslashes, line breaks); all others look the same encoded.
   */
  encoded?: string
  lead?: number
  /** A letter directly in front (unless it belongs to an escape such as `\n`) means that this is the tail of a longer word. */
  bounded?: boolean
  /** Last word on a match: tells a password from a variable that stands for one. */
  accept?: Judgement
  /** The secret does not give itself away, so its other occurrences in the same text are looked up as well. */
  anonymous?: boolean
}

export interface Span {
  start: number
  end: number
}

/** `\n`, `\t` or `\u00e9` in front of a token end in a letter too, but that letter is not part of the word. */
const boundary = String.raw`(?<!(?<!\\|\\u[0-9A-Fa-f]{3})[A-Za-z])`

/** Tests whether raw JSON text is worth decoding at a keyword of this rule. */
export function compileHint(rule: SecretRule): RegExp {
  return rule.encoded === undefined
    ? compileRule(rule, 'y')
    : new RegExp(rule.encoded, `${rule.flags ?? ''}y`)
}

export function compileRule(rule: SecretRule, mode: 'y' | 'g'): RegExp {
  const indices = rule.source.includes('(?<secret>') ? 'd' : ''
  return new RegExp(
    rule.bounded ? `${boundary}(?:${rule.source})` : rule.source,
    `${rule.flags ?? ''}${indices}${mode}`,
  )
}

export function isCaseSensitive(rule: SecretRule): boolean {
  return !(rule.flags ?? '').includes('i')
}

/** Where the secret is in a match, or nothing if the rule has second thoughts. */
export function secretSpan(rule: SecretRule, match: RegExpExecArray): Span | undefined {
  const [start, end] = match.indices?.groups?.secret ?? [match.index, match.index + match[0].length]
  if (start === end) return undefined
  if (rule.accept && !judgements[rule.accept](match.input.slice(start, end))) return undefined
  return { start, end }
}

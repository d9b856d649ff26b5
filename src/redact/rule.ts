// Defines a rule: a regular expression whose matches start at one of its keywords, so that it is tried only
// there. Rules are plain data, so that they can be assembled at build time.
import { type Judgement, judgements } from './credentials.ts'

export interface SecretRule {
  id: string
  /**
   * Every match starts `lead` characters before one of these. Compared without case unless the rule is
   * case-sensitive.
   */
  keywords: readonly string[]
  /** The whole match is secret, or only its group `secret`. */
  source: string
  flags?: string
  /**
   * What the JSON encoding of a match starts with; may match more. Needed when a match can contain or look
   * back at characters that JSON escapes (quotes, backslashes, line breaks); other matches look the same when
   * encoded.
   */
  encoded?: string
  lead?: number
  /**
   * A letter in front (unless it belongs to an escape such as `\n`) means that this is the end of a longer
   * word.
   */
  bounded?: boolean
  /** The final check of a match, which tells a password from a variable in its place. */
  accept?: Judgement
  /**
   * The secret is not recognisable by itself, so its other occurrences in the same text are replaced, too.
   */
  anonymous?: boolean
}

export interface Span {
  start: number
  end: number
}

/**
 * `\n`, `\t` or `\u00e9` in front of a token end in a letter too, but that letter is not part of the word.
 */
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

/** Where the secret is in a match; undefined when the final check of the rule fails. */
export function secretSpan(rule: SecretRule, match: RegExpExecArray): Span | undefined {
  const [start, end] = match.indices?.groups?.secret ?? [match.index, match.index + match[0].length]
  if (start === end) return undefined
  if (rule.accept && !judgements[rule.accept](match.input.slice(start, end))) return undefined
  return { start, end }
}

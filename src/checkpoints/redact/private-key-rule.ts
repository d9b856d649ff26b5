// Private keys are blocks of many lines, none of which says what it is. The whole block goes.
import type { Rule } from './rule.ts'

/** Also as a tool shows a file: with line numbers, or as the pieces of a string in source code. */
const body = String.raw`(?:[A-Za-z0-9+/=\s\\:,.()"'_@<>|\u2192]|-(?!----BEGIN)){0,20000}?`
/** For a block that was cut off: only lines that can be nothing else. */
const line = String.raw`(?:\s|\\+[nrt]|\d{1,6}[\u2192|])+[A-Za-z0-9+/=]{16,}`
const name = '[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----'

export const privateKeyRule: Rule = {
  id: 'private-key',
  keywords: ['-----BEGIN'],
  source: `-----BEGIN ?${name}(?:${body}-----END ?${name}|(?:${line})+)`,
  encoded: `-----BEGIN ?${name}`,
  accept: 'key block',
}

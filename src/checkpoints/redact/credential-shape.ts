// Tells a real credential from a variable, a placeholder or a word that happens to stand where a credential would.
import { entropy, isMadeOfWords } from './entropy.ts'

const template =
  /^\$|\$\{|\{\{|^<|^%[A-Za-z_]+%$|^%s$|^\{.*\}$|^[*x.•]+$|^(?:process\.env|os\.(?:environ|getenv)|import\.meta|env[.(]|getenv)/i
const constant = /^(?:true|false|null|none|nil|undefined|string|number|boolean|str|required|optional)$/i

export function isTemplate(value: string): boolean {
  return template.test(value) || constant.test(value)
}

/** Named by its owner as a password: enough that it is a value at all. */
export function isFilledIn(value: string): boolean {
  return value.length >= 3 && !isTemplate(value)
}

/** `config.password`, `read(file)`: the value is computed, not written down. */
export function isCode(value: string): boolean {
  return /^[A-Za-z_]+[.([]/.test(value)
}

/** For names such as TOKEN or SECRET, which also hold paths and switches. */
export function isOpaque(value: string): boolean {
  return value.length >= 8 && !isTemplate(value) && !/^[./~]/.test(value)
}

/** In source code a quoted word is more often a label than a password. */
export function isPasswordLiteral(value: string): boolean {
  return value.length >= 6 && !isTemplate(value) && /[0-9!@#$%^&*?]/.test(value)
}

/** Letters and digits mixed as nobody writes them by hand. */
export function looksRandom(value: string): boolean {
  if (value.length < 12 || isTemplate(value) || !/\d/.test(value) || !/[A-Za-z]/.test(value)) return false
  return entropy(value, 0, value.length) >= 3 && !isMadeOfWords(value)
}

const portAndQuery = /^\d{1,5}[?#]/

/** What rules have to say about a match, by name. */
export const judgements = {
  'filled in': isFilledIn,
  'filled in, no code': (value: string) => isFilledIn(value) && !isCode(value),
  opaque: isOpaque,
  'password literal': isPasswordLiteral,
  random: looksRandom,
  'written out': (value: string) => !isTemplate(value),
  'written out, no port': (value: string) => !isTemplate(value) && !portAndQuery.test(value),
  'key block': (value: string) => /[A-Za-z0-9+/=]{20,}/.test(value.slice('-----BEGIN'.length)),
}

export type Judgement = keyof typeof judgements

// Tells real credentials from variables, placeholders and ordinary words in their place.
import { entropy, isMadeOfWords } from './entropy.ts'

const template =
  /^\$|\$\{|\{\{|^<|^%[A-Za-z_]+%$|^%s$|^\{.*\}$|^[*x.•]+$|^(?:process\.env|os\.(?:environ|getenv)|import\.meta|env[.(]|getenv)/i
const constant = /^(?:true|false|null|none|nil|undefined|string|number|boolean|str|required|optional)$/i

export function isTemplate(value: string): boolean {
  return template.test(value) || constant.test(value)
}

/** For a name that says password: any value counts. */
export function isFilledIn(value: string): boolean {
  return value.length >= 3 && !isTemplate(value)
}

/** `config.password`, `read(file)`: the value is computed, not a literal. */
export function isCode(value: string): boolean {
  return /^[A-Za-z_]+[.([]/.test(value)
}

/** For names such as TOKEN or SECRET, which also have paths and switches as values. */
export function isOpaque(value: string): boolean {
  return value.length >= 8 && !isTemplate(value) && !/^[./~]/.test(value)
}

/** In source code a quoted word is more often a label than a password. */
export function isPasswordLiteral(value: string): boolean {
  return value.length >= 6 && !isTemplate(value) && /[0-9!@#$%^&*?]/.test(value)
}

/** Letters and digits in a mixture that no person writes by hand. */
export function looksRandom(value: string): boolean {
  if (value.length < 12 || isTemplate(value) || !/\d/.test(value) || !/[A-Za-z]/.test(value)) return false
  return entropy(value, 0, value.length) >= 3 && !isMadeOfWords(value)
}

const portAndQuery = /^\d{1,5}[?#]/

/** The checks that rules apply to a match, by name. */
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

// Common names of variables and keys that hold a secret.

export const passwordNames = ['password', 'passwd', 'passphrase', 'pwd']
export const secretNames = [
  'api_key',
  'api-key',
  'apikey',
  'secret_key',
  'secret-key',
  'secretkey',
  'secret',
  'token',
  'access_key',
  'accesskey',
]

// Members of a JSON object that are secret because of their own key or because of the keys beside them.

const hostKey = /^(?:db_?)?(?:host|hostname|server|endpoint|address|addr|url)$/
const userKey = /^(?:db_?)?(?:user|username|user_name|login|account)$/
const passwordKeys = ['password', 'passwd', 'pwd', 'pass', 'passphrase']
const passwordKey = new RegExp(`^(?:db_?)?(?:${passwordKeys.join('|')})$`)
const passwordMember = new RegExp(`(?:${passwordNames.join('|')})$`)
const secretMember = new RegExp(`(?:${secretNames.join('|')})$`)

/** A JSON text has such a member only if it contains one of these in front of a quote. */
export const credentialKeys: readonly string[] = [
  ...new Set([...passwordKeys, ...passwordNames, ...secretNames]),
]

export type KeyRole = 'host' | 'user' | 'password'

export function roleOfKey(key: string): KeyRole | undefined {
  const name = key.toLowerCase()
  if (passwordKey.test(name)) return 'password'
  if (userKey.test(name)) return 'user'
  if (hostKey.test(name)) return 'host'
  return undefined
}

export function isSecretKey(key: string): boolean {
  const name = key.toLowerCase()
  return passwordMember.test(name) || secretMember.test(name)
}

/** The same decision as for `key = "value"` in a text. */
export function isSecretMember(key: string, value: string): boolean {
  const name = key.toLowerCase()
  if (/\s/.test(value)) return false
  return (
    (passwordMember.test(name) && isPasswordLiteral(value)) || (secretMember.test(name) && looksRandom(value))
  )
}

const paths = ['filepath', 'file_path', 'cwd', 'root', 'directory', 'dir', 'path']
// Only the provider can read these, and it refuses to continue a conversation in which one has changed.
const sealed = [
  'signature',
  'thoughtsignature',
  'thought_signature',
  'thinkingsignature',
  'textsignature',
  'encrypted_content',
]
const skippedKeys = new Set([...paths, ...sealed])

/** True for ids, paths and sealed values, which look like secrets but must keep their exact value. */
export function isSkippedKey(key: string): boolean {
  const name = key.toLowerCase()
  return skippedKeys.has(name) || name.endsWith('id') || name.endsWith('ids')
}

/** True for pictures, sealed thoughts and other binary data, which look like secrets only by chance. */
export function isMediaType(type: string): boolean {
  return type.startsWith('image') || type === 'base64' || type === 'redacted_thinking'
}

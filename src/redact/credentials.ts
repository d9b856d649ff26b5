// Tells real credentials from variables, placeholders and ordinary words in their place: by their shape, by
// the names they are assigned to, and by their entropy.

const template =
  /^\$|\$\{|\{\{|^<|^%[A-Za-z_]+%$|^%s$|^\{.*\}$|^[*x.•]+$|^(?:process\.env|os\.(?:environ|getenv)|import\.meta|env[.(]|getenv)/i
const constant = /^(?:true|false|null|none|nil|undefined|string|number|boolean|str|required|optional)$/i

function isTemplate(value: string): boolean {
  return template.test(value) || constant.test(value)
}

/** For a name that says password: any value counts. */
function isFilledIn(value: string): boolean {
  return value.length >= 3 && !isTemplate(value)
}

/** `config.password`, `read(file)`: the value is computed, not a literal. */
function isCode(value: string): boolean {
  return /^[A-Za-z_]+[.([]/.test(value)
}

/** For names such as TOKEN or SECRET, which also have paths and switches as values. */
function isOpaque(value: string): boolean {
  return value.length >= 8 && !isTemplate(value) && !/^[./~]/.test(value)
}

/** In source code a quoted word is more often a label than a password. */
function isPasswordLiteral(value: string): boolean {
  return value.length >= 6 && !isTemplate(value) && /[0-9!@#$%^&*?]/.test(value)
}

/** Letters and digits in a mixture that no person writes by hand. */
function looksRandom(value: string): boolean {
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

/** A shorter token cannot reach the limit, for which it needs at least 2^4.5 different characters. */
export const shortestToken = 23
const limit = 4.5

const counts = new Int32Array(128)
let countTimesLog: Float64Array | undefined

function logTable(): Float64Array {
  if (countTimesLog === undefined) {
    // Filled by a loop, because `Float64Array.from` takes milliseconds in a fresh process.
    countTimesLog = new Float64Array(512)
    for (let count = 1; count < countTimesLog.length; count++) countTimesLog[count] = count * Math.log2(count)
  }
  return countTimesLog
}

/** Shannon entropy in bits per character of an ASCII token. */
export function entropy(text: string, start: number, end: number): number {
  const table = logTable()
  counts.fill(0)
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i) & 127
    counts[code] = counts[code]! + 1
  }
  let sum = 0
  for (let code = 0; code < 128; code++) {
    const count = counts[code]!
    sum += count < table.length ? table[count]! : count * Math.log2(count)
  }
  const length = end - start
  return length === 0 ? 0 : Math.log2(length) - sum / length
}

const longestName = 200
/**
 * Each part ends where its kind of character ends, so that there is only one way to divide a token: no
 * backtracking.
 */
const wordParts =
  /^(?:[A-Z]?[a-z]{3,}(?![a-z])|[A-Z]{3,}(?![A-Z])|[a-zA-Z]{1,2}(?=[-_=+]|$)|\d{1,8}(?!\d)|[-_=+])+$/
const longWord = /[A-Za-z]{4,}/g
const vowel = /[aeiouy]/i

/**
 * True for names of files, branches and functions, such as `add-users-2024-01-15_v2` or
 * `parseTranscriptLines`.
 */
function isMadeOfWords(token: string): boolean {
  if (token.length > longestName || !wordParts.test(token)) return false
  const words = token.match(longWord) ?? []
  return words.length > 0 && words.every((word) => vowel.test(word))
}

/**
 * Ids of messages and tool calls, which appear on every line of a transcript and are referred to by others.
 */
const agentId = /^(?:toolu|srvtoolu|msg|req)_01[A-Za-z0-9]{20,24}$/

export function isHighEntropy(text: string, start: number, end: number): boolean {
  if (end - start < shortestToken || entropy(text, start, end) <= limit) return false
  const token = text.slice(start, Math.min(end, start + longestName + 1))
  return !agentId.test(token) && !isMadeOfWords(token)
}

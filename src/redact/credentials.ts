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
  if (value.length < 6 || isTemplate(value) || isReference(value)) return false
  if (/[0-9!@#$%^&*?]/.test(value)) return !algorithm.test(value)
  return isPassphrase(value) || isScrambled(value)
}

const reference = /^(?:env|vault|arn|file|ref|sops|op|ssm|https?):|:\/\//i
const path = /^[.~]?\/[\w.-]+\//

/** `vault:secret/db`, `arn:aws:…`, `https://…`, `/run/secrets/db`: where the secret is, and not the secret. */
function isReference(value: string): boolean {
  return reference.test(value) || (path.test(value) && value.split(/[./]/).every(isNamePart))
}

/** Said of a password, and not one. */
const algorithm =
  /^(?:base\d\d|sha-?\d|md5|argon2|bcrypt|s?crypt|pbkdf2|utf-?\d|aes-?\d|hs\d{3}|rs\d{3}|oauth2|h[mt][at][cp])/i
const labelPart =
  /pass|field|input|label|error|invalid|required|forgot|reset|confirm|current|your|change|enter/

/** Several words, as `correct-horse-battery-staple`. */
function isPassphrase(value: string): boolean {
  return value.length >= 16 && /^[a-z]{3,}(?:-[a-z]{3,}){2,}$/i.test(value) && !labelPart.test(value)
}

const spoken =
  /^(?:(?=.*[aeiouy])(?!.*[bcdfghjklmnpqrstvwxz]{5}).{3,}|a[nst]|b[ey]|do|go|html|i[dfnost]|me|my|no|o[fknr]|so|to|up|ur[il]|we)$/i

/** Letters whose case changes as it does by chance, as in `FoNPcbdaKwtgHw`, and not as in `parseHtmlOfPage`. */
function isScrambled(value: string): boolean {
  if (!/^[A-Za-z_+/=-]{12,512}$/.test(value) || (value.match(/[a-z][A-Z]/g)?.length ?? 0) < 2) return false
  const parts = value.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? []
  const ofWords = parts.filter((part) => spoken.test(part)).join('').length
  return ofWords < 0.7 * parts.join('').length
}

/** `2048-bit`, `id_rsa.pem`: what a key is like, or where it is. */
const aboutKey =
  /^\d+-?(?:bit|byte|char|digit|day|hour|min|sec)|^id_(?:rsa|dsa|ecdsa|ed25519)|\.(?:pem|key|crt|json|ya?ml|txt|[cm]?[jt]sx?|py|go|rs|rb|md|pub)$/i
const typeName =
  /^(?:u?int|bytes|float|varchar|char|string|complex|[iuf])\d{1,3}(?:_t)?[?!]?$|^[A-Za-z]+[?!]$|^![A-Za-z]+$/i
const ownName = /^(?:[a-z]+_)?pass(?:word|wd)?_?\d{0,2}$/i
const dotted = /^[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)+$/

/** Without quotes it may as well be a variable, a type or a call. */
function isPasswordWord(value: string): boolean {
  return isPasswordLiteral(value) && ![typeName, ownName, dotted, aboutKey].some((shape) => shape.test(value))
}

const surelyRandom = 3.5

/** Letters and digits in a mixture that no person writes by hand. */
function looksRandom(value: string): boolean {
  if (isScrambled(value)) return true
  if (value.length < 12 || isTemplate(value) || !/\d/.test(value) || !/[A-Za-z]/.test(value)) return false
  const bits = entropy(value, 0, value.length)
  if (bits <= surelyRandom && (bits < 3 || (value.length < 16 && kindsIn(value) < 3))) return false
  return !isReference(value) && !aboutKey.test(value) && !value.split(/[./:+]/).every(isNamePart)
}

const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9\s._/-]/]
const kindsIn = (value: string) => kinds.filter((kind) => kind.test(value)).length

const emailAddress = /^[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{2,}$/

/** Made of characters of many kinds, and not of words and signs, such as `Ctrl+Alt+F12`. */
function isStrong(value: string): boolean {
  if (value.length < 10 || kindsIn(value) < 3 || isTemplate(value) || algorithm.test(value)) return false
  if (isReference(value) || emailAddress.test(value) || dotted.test(value.replace(/[!?]/g, ''))) return false
  return !value.split(/[^A-Za-z0-9]+/).every(isNamePart)
}

/** What programs generate, or what a person would not write by chance. */
function isUnlikely(value: string): boolean {
  return keyShape.test(value) ? looksRandom(value) : isStrong(value)
}

/** In a sentence or a list, where any word can follow the name. */
function isStrikingWord(value: string): boolean {
  if (!isPasswordWord(value)) return false
  return (
    isUnlikely(value) || (value.length >= 8 && kindsIn(value) === kinds.length && !emailAddress.test(value))
  )
}

/** A digit in the middle of a word, or letters that cannot be spoken, are not of a name. */
const unspeakable = /[A-Za-z]\d+[a-z]|[bcdfghjklmnpqrstvwxz]{5}/i
const numberedWord = /^[A-Z]?[a-z]{1,11}\d{0,4}$|^[A-Za-z]+$/

function isNamePart(part: string): boolean {
  if (part.length < 4 || part.toLowerCase() === 'ctrl') return true
  return isMadeOfWords(part) && !unspeakable.test(part) && (/[-_]/.test(part) || numberedWord.test(part))
}

/**
 * Worth replacing wherever else it occurs: a value that is not a word, such as the `postgres` in
 * `postgres://postgres:postgres@db`.
 */
export function isRecognisable(value: string): boolean {
  if (value.length < 8 || isTemplate(value)) return false
  return (
    kindsIn(value) >= 3 || looksRandom(value) || (/[A-Za-z]\d+[A-Za-z]/.test(value) && !algorithm.test(value))
  )
}

/** User and password as base64, as in the configuration of docker. */
function isEncodedPair(value: string): boolean {
  const pair = Buffer.from(value, 'base64').toString('latin1')
  return value.length >= 12 && /^[\x20-\x7e]+$/.test(pair) && pair.slice(1, -1).includes(':')
}

/** One of the cookies of a header is not a setting such as `theme=dark`. */
function isCookie(value: string): boolean {
  return value.split(/[=;]/).some((part) => isPasswordWord(part.trim()))
}

const portAndQuery = /^\d{1,5}[?#]/
const portAndPath = /^\d{1,5}[?#/,]/

/** The checks that rules apply to a match, by name. */
export const judgements = {
  'filled in': isFilledIn,
  'filled in, no code': (value: string) => isFilledIn(value) && !isCode(value),
  opaque: isOpaque,
  'password literal': isPasswordLiteral,
  'password word': isPasswordWord,
  'encoded pair': isEncodedPair,
  cookie: isCookie,
  random: looksRandom,
  unlikely: isUnlikely,
  'striking word': isStrikingWord,
  'written out': (value: string) => !isTemplate(value),
  'written out, no port': (value: string) => !isTemplate(value) && !portAndQuery.test(value),
  'password literal, no port': (value: string) => isPasswordLiteral(value) && !portAndPath.test(value),
  'key block': (value: string) => /[A-Za-z0-9+/=]{20,}/.test(value.slice('-----BEGIN'.length)),
}

export type Judgement = keyof typeof judgements

// Common names of variables and keys that hold a secret.

export const passwordNames = [
  'password',
  'passwd',
  'passphrase',
  'passcode',
  'pwd',
  'passwort',
  'kennwort',
  'mot de passe',
]
const shortNames = ['_pass', '-pass', '.pass', 'userpass', 'dbpass', 'user pass']
/** Names that leave so little doubt that any value with a digit counts. */
const unmistakable: Record<string, readonly string[]> = {
  key: ['api', 'secret', 'private', 'access', 'signing', 'encryption'],
  token: ['access', 'auth', 'refresh', 'api', 'bearer', 'bot'],
  secret: ['client', 'app', 'api', 'consumer', 'shared', 'webhook'],
}
const pairs = Object.entries(unmistakable).flatMap(([noun, firsts]) => firsts.map((first) => [first, noun]))
export const weakNames: readonly string[] = [
  ...passwordNames,
  ...shortNames,
  ...pairs.flatMap(([first, noun]) => ['', '_', '-', '.', ' '].map((between) => `${first}${between}${noun}`)),
]
/** An expression for any of them. */
export const weakName = `(?:${[
  ...[...passwordNames, ...shortNames].map((name) => name.replace('.', '[.]')),
  ...Object.entries(unmistakable).map(([noun, firsts]) => `(?:${firsts.join('|')})[_. -]?${noun}`),
].join('|')})(?:[_-]?\\d{1,2})?`

/** As the end of a key of JSON: any value that looks random counts. */
const secretNames = ['secret', 'token', 'secretkey', 'access_key', 'accesskey', 'auth']

/** Parts of names that tell of a key, unless they go on so. A value counts if it looks random. */
export const tellingNames: readonly { word: string; unless?: string; unlessAfter?: string }[] = [
  { word: 'access', unless: 'ib|or' },
  { word: 'auth', unless: 'or(?!i[sz])' },
  { word: 'api', unless: 'd|tal' },
  { word: 'credential' },
  { word: 'creds' },
  {
    word: 'key',
    unless: 'board|code|word|frame|stroke|press',
    unlessAfter: '(?:cache|public|primary|foreign|sort|partition)[-_ ]?',
  },
  { word: 'passw' },
  { word: 'secret' },
  { word: 'token', unless: 'iz' },
]

export function tellingPattern({ word, unless, unlessAfter }: (typeof tellingNames)[number]): string {
  const before = unlessAfter === undefined ? '' : `(?<!${unlessAfter})`
  return unless === undefined ? word : `${before}${word}(?!${unless})`
}

// Members of a JSON object that are secret because of their own key or because of the keys beside them.

const hostKey = /^(?:db_?)?(?:host|hostname|server|endpoint|address|addr|url)$/
const userKey = /^(?:db_?)?(?:user|username|user_name|login|account)$/
const passwordKeys = ['password', 'passwd', 'pwd', 'pass', 'passphrase']
const passwordKey = new RegExp(`^(?:db_?)?(?:${passwordKeys.join('|')})$`)
const passwordMember = new RegExp(`(?:^pass|^pw|${weakName})$`)
const secretMember = new RegExp(`(?:${secretNames.join('|')})$`)
const keyShape = /^[\w.~+/%-]{10,512}={0,3}$/
const tellingMember = new RegExp(`(?:${tellingNames.map(tellingPattern).join('|')})[ \\t\\w.-]{0,20}$`)

/** A JSON text has such a member only if it contains one of these in front of a quote. */
export const credentialKeys: readonly string[] = [
  ...new Set([...passwordKeys, 'pw', ...weakNames, ...secretNames]),
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
  return passwordMember.test(name) || secretMember.test(name) || tellingMember.test(name)
}

const labelKey = /^(?:name|key|variable)$/i
const valueKey = /^(?:value|default)$/i

/** `{ "name": "DB_PASSWORD", "value": "x" }`: the value of one member is the name of the other. */
export function partOfPair(key: string): 'label' | 'value' | undefined {
  if (labelKey.test(key)) return 'label'
  return valueKey.test(key) ? 'value' : undefined
}

/** The same decision as for `key = "value"` in a text. */
export function isSecretMember(key: string, value: string): boolean {
  const name = key.toLowerCase()
  if (/\s/.test(value)) return false
  if (name === 'auth' && isEncodedPair(value)) return true
  if (passwordMember.test(name) && isPasswordLiteral(value)) return true
  return (secretMember.test(name) && looksRandom(value)) || (tellingMember.test(name) && isUnlikely(value))
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
const pathKeys = new Set(paths)
const sealedKeys = new Set(sealed)

/** True for ids and paths, which look like secrets by chance and must keep their value. */
export function isSkippedKey(key: string): boolean {
  const name = key.toLowerCase()
  return pathKeys.has(name) || name.endsWith('id') || name.endsWith('ids')
}

export function isSealedKey(key: string): boolean {
  return sealedKeys.has(key.toLowerCase())
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
  /^(?:[A-Z]?[a-z]{3,}(?![a-z])|[A-Z]{3,}(?![A-Z])|[a-zA-Z]{1,2}(?=[-_=+]|$)|[vV]\d{1,3}(?=[-_=+]|$)|\d{1,8}(?!\d)|[-_=+])+$/
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
  return !agentId.test(token) && !isMadeOfWords(token) && !isDigest(text, start)
}

/**
 * Digests of lock files: `sha512-…` of npm, `h1:…` of Go, with the length that such a digest has; fingerprints of
 * keys; digests and paths of nix, which are written without e, o, t and u.
 */
const digest =
  /(?<![A-Za-z0-9])(?:sha512-[A-Za-z0-9+/]{86}==|sha384-[A-Za-z0-9+/]{64}|(?:sha256-|h1:)[A-Za-z0-9+/]{43}=|SHA256:[A-Za-z0-9+/]{43}|sha1-[A-Za-z0-9+/]{27}=|[0-9a-df-np-sv-z]{52}|(?<=\/nix\/store\/)[0-9a-df-np-sv-z]{32}(?=-))(?![A-Za-z0-9+/=])/y
const longestDigest = 'sha512-'.length + 88
const ofDigest = /[A-Za-z0-9+/=:-]/

/** The token may be any part of the digest between two slashes. */
function isDigest(text: string, at: number): boolean {
  for (let start = at; start >= 0 && start > at - longestDigest && ofDigest.test(text[start]!); start--) {
    digest.lastIndex = start
    if (digest.test(text)) return digest.lastIndex > at
  }
  return false
}

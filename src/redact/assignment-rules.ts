// Lists rules for secrets that are recognised by the name they are assigned to: in configuration files, source
// code, JSON inside of strings, markup, environments, options of commands, and sentences.

import { type Judgement, tellingNames, tellingPattern, weakName, weakNames } from './credentials.ts'
import type { SecretRule } from './rule.ts'
import { anyOf, anyText, inBothSpellings, plain, type Spelling, withTails } from './rule-parts.ts'

// Environment variables in upper case, whose values are bare words.

const passwordVariables = ['PASSWORD', 'PASSWD', 'PASSPHRASE', '_PWD', '_PASS']
const secretVariables = [
  'SECRET',
  'TOKEN',
  'API_KEY',
  'APIKEY',
  'ACCESS_KEY',
  'PRIVATE_KEY',
  'AUTH_KEY',
  'ENCRYPTION_KEY',
  'CREDENTIALS',
]
const secretSuffix = '(?:_KEY_BASE|_KEY|_ACCESS_KEY)?'
const databases = [
  'db_',
  'database_',
  'pg',
  'postgres_',
  'mysql_',
  'mariadb_',
  'mongo_',
  'mongodb_',
  'redis_',
  'mssql_',
  'sa_',
  'oracle_',
]

const bare = String.raw`\\{0,3}["']?(?<secret>[^\s"'\\\x60<>]{2,}[^\s"'\\\x60<>;,)\]}])`

const environmentRules: readonly SecretRule[] = [
  {
    id: 'environment-password',
    keywords: passwordVariables,
    source: String.raw`${anyOf(passwordVariables)}\d?=${bare}`,
    encoded: String.raw`${anyOf(passwordVariables)}\d?=`,
    accept: 'filled in',
    anonymous: true,
  },
  {
    id: 'environment-secret',
    keywords: secretVariables,
    source: String.raw`${anyOf(secretVariables)}${secretSuffix}\d?=${bare}`,
    encoded: String.raw`${anyOf(secretVariables)}${secretSuffix}\d?=`,
    accept: 'opaque',
    anonymous: true,
  },
  {
    id: 'database-password',
    keywords: databases.flatMap((database) => [`${database}pass`, `${database}pwd`]),
    source: `${anyOf(databases)}(?:password|passwd|pass|pwd)=${bare}`,
    flags: 'i',
    encoded: anyText,
    accept: 'filled in, no code',
    anonymous: true,
  },
]

// Assignments in all other forms. What stands between a name and its value is the same for every kind of name:
// `name = value`, `"name": "value"`, `name: Type = "value"`, `call("name", "value")`, `<name>value</name>`,
// `{ name: "name", value: "value" }`.

/** `[",] value:`, for lists of names and values. */
const member = ({ quote, space, blank }: Spelling) =>
  `(?:${space}|[,{]){1,16}(?:${quote})?(?:value|default)(?:${quote})?${blank}{0,4}[:=]${space}{0,4}`

/** `: string = `, `string = `: the type of a variable in front of its value. */
const type = ({ blank }: Spelling) =>
  String.raw`(?::${blank}{0,2}[&A-Za-z][\w&<>.|]{0,30}|${blank}str(?:ing)?)?`

const toQuoted = (spelling: Spelling) => {
  const { quote, space, blank } = spelling
  const operator = String.raw`${blank}{0,16}(?:=>|:{0,3}=|[!=]==?|\?\?=?|\|\|=?|\?=|[:,(>])${space}{0,8}`
  return String.raw`(?:${quote})?[\])]{0,2}(?:${type(spelling)}${operator}|${blank}{1,2}|${member(spelling)})(?:[rbfu@$]{1,2})?${quote}`
}

const toBare = (spelling: Spelling) => {
  const { quote, blank } = spelling
  const said = `${blank}(?:is|was|to|be|are):?${blank}{1,2}(?:${quote})?`
  return String.raw`(?:(?:${quote})?(?:${blank}{0,16}(?:=>|:{0,3}=|\?=|[:=>])${blank}{0,4}|${member(spelling)})|${said})`
}

/** The rest of a name, and up to three words after it. Each ends where its characters end: no backtracking. */
const restOfName = ({ blank }: Spelling) =>
  String.raw`[\w.-]{0,20}(?![\w.-])(?:${blank}{1,2}[\w.-]{1,18}(?![\w.-])){0,3}?`

/** Any word of a configuration file, but none that goes on like code. */
const word = String.raw`[^\s"'\x60\\<>,;(){}[\]|&]{5,199}[^\s"'\x60\\<>,;(){}[\]|&.:]`
const endOfWord = String.raw`(?=[.:]?(?:[\s"'\x60\\<>,;)}\]|&]|$))`
/** What programs generate: base64, hexadecimal digits, UUIDs, also encoded in an address. */
const key = String.raw`[\w.~+/%-]{10,512}={0,3}`
const endOfKey = String.raw`(?=\.?(?:["'\x60\s;,)\]}<&|\\]|$))`

/** Passwords without quotes have a digit or a sign, or are several words. */
const notPlain = String.raw`(?=[^\s"'\x60\\<>]{0,199}[0-9!@#$%^&*?]|[a-z]{3,}-[a-z]{3,}-[a-z]|[a-z_+/=-]{12})`

const lineBreak = String.raw`(?:\r?\n|\\{1,7}[nr])`

const passwordRules: readonly SecretRule[] = [
  {
    id: 'password-literal',
    keywords: weakNames,
    ...inBothSpellings(
      (spelling) =>
        String.raw`${weakName}${toQuoted(spelling)}(?<secret>[^\s"'\x60\\]{6,200})${spelling.quote}`,
    ),
    flags: 'i',
    accept: 'password literal',
  },
  {
    id: 'password-value',
    keywords: weakNames,
    ...inBothSpellings(
      (spelling) =>
        `${weakName}(?:${spelling.blank}[a-z]{1,12}){0,4}?${toBare(spelling)}(?<secret>${notPlain}${word})${endOfWord}`,
    ),
    flags: 'i',
    accept: 'password word',
  },
  {
    id: 'short-name',
    keywords: withTails(['pass', 'pw'], ['=', ':', ' =', ' :', '"', "'", '\\']),
    ...inBothSpellings(
      ({ quote, blank }) =>
        `p(?:ass|w)(?:${quote})?${blank}{0,4}[:=]${blank}{0,4}(?:${quote})?(?<secret>${notPlain}${word})${endOfWord}`,
    ),
    flags: 'i',
    bounded: true,
    accept: 'password word',
  },
  {
    id: 'password-beside',
    keywords: weakNames,
    // `password x`, `password (x)`, `password -> x`, and the cells of tables and lists.
    ...inBothSpellings(
      ({ quote, blank }) =>
        String.raw`${weakName}(?:${quote})?(?:${blank}{0,16}(?:->|::|[|,(\u2192])${blank}{0,16}|${blank}{1,2})(?:${quote})?(?<secret>${word})${endOfWord}`,
    ),
    flags: 'i',
    accept: 'striking word',
  },
  {
    id: 'password-block',
    keywords: weakNames,
    ...inBothSpellings(
      ({ quote, blank, space }) =>
        String.raw`${weakName}(?:${quote})?${blank}{0,4}[:=]${blank}{0,4}(?:[|>][+-]?\d?${blank}{0,4}|(?:${quote})?\$\(cat <<-?(?:${quote})?\w{1,20}(?:${quote})?)?${lineBreak}${space}{0,40}(?<secret>${word})(?=${blank}{0,16}(?:["\r\n\\]|$))`,
    ),
    flags: 'i',
    accept: 'password word',
  },
]

const telling = tellingNames.map(tellingPattern)
/** `key_file`, `token type`: says something about a secret. */
const aboutIt = `(?![ _.-]?(?:id|name|file|path|ur[li]|type|length|size|count|version|alias|vault)s?(?![a-z]))`

const keyAssignment = inBothSpellings(
  (spelling) =>
    `${anyOf(telling)}${aboutIt}${restOfName(spelling)}(?:${toQuoted(spelling)}|${toBare(spelling)}${spelling.space}{0,4})(?<secret>${key}${endOfKey}|${word}${endOfWord})`,
)
/** A list in JSON: each of its items counts as the value of its key. */
const listOfKeys = String.raw`${anyOf(telling)}[\w.-]{0,20}"\s{0,40}:\s{0,40}\[`

const keyRules: readonly SecretRule[] = [
  {
    id: 'secret-assignment',
    keywords: tellingNames.map(({ word: start }) => start),
    source: keyAssignment.source,
    encoded: `${keyAssignment.encoded}|${listOfKeys}`,
    flags: 'i',
    accept: 'unlikely',
  },
  {
    id: 'aws-secret-key',
    keywords: ['secret_access', 'secretaccess'],
    source: String.raw`secret_?access_?key(?:${plain.quote})?\s*(?::|=>|=)\s*(?:${plain.quote})?(?<secret>[A-Za-z0-9/+=]{40})(?![A-Za-z0-9/+=])`,
    flags: 'i',
    encoded: anyText,
  },
]

// Options of commands: `--client-secret x`, `-Password x`.

const weakOptions = [
  'password',
  'passwd',
  'passphrase',
  'pass',
  'pwd',
  'token',
  'secret',
  'api-key',
  'apikey',
]
const atOption = String.raw`(?<=(?:^|[\s"'\x60(]|\\[nrt])(?:-{0,2}|--?\w[\w-]{0,40}))`

function optionRule(id: string, names: readonly string[], accept: Judgement): SecretRule {
  return {
    id,
    keywords: names.map((option) => `-${option}`),
    source: String.raw`${atOption}-${anyOf(names)}(?:-\w{1,20})?(?:[ =]{1,2}|${plain.quote}, ?)(?:${plain.quote})?(?<secret>[^\s"'\\\x60<>]{6,})`,
    flags: 'i',
    encoded: String.raw`-${anyOf(names)}(?:-\w{1,20})?(?:[ =]{1,2}|\\{0,7}["'\x60], ?)\\{0,7}["'\x60]?[^\s"'\\\x60<>]{6}`,
    accept,
    anonymous: true,
  }
}

const optionRules: readonly SecretRule[] = [
  optionRule('command-option', weakOptions, 'password word'),
  optionRule('command-option-key', ['key', 'credentials', 'base'], 'unlikely'),
]

export const assignmentRules: readonly SecretRule[] = [
  ...environmentRules,
  ...passwordRules,
  ...keyRules,
  ...optionRules,
]

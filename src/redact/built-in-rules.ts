// Lists the built-in redaction rules, for the build and for tests. The program uses them in prepared form
// (prepare-rules.ts).

import { type Judgement, passwordNames, secretNames } from './credentials.ts'
import { providerRules } from './provider-rules.ts'
import type { SecretRule } from './rule.ts'
import { generatedRules } from './secretlint-rules.ts'

/** A quote, also in text that is itself JSON, encoded once or twice. */
export const quote = String.raw`\\{0,3}["'\x60]`

/** A quote in the raw JSON around such text. */
const encodedQuote = String.raw`\\{0,7}["'\x60]`

/** For rules whose encoded matches have no useful shape. */
const anyText = ''

function withTails(names: readonly string[], tails: readonly string[]): string[] {
  return names.flatMap((name) => tails.map((tail) => name + tail))
}

export function anyOf(names: readonly string[]): string {
  return `(?:${names.join('|')})`
}

// Credentials of connections: in URLs, connection strings and headers.

const parameters = [
  'password',
  'passwd',
  'passphrase',
  'pwd',
  'access_token',
  'refresh_token',
  'client_secret',
  'api_key',
  'apikey',
]
const azureParameters = ['accountkey', 'sharedaccesskey', 'sig']
const otherSettings = String.raw`(?:host|hostaddr|server|data source|addr|address|port|user|username|user id|uid|dbname|database|initial catalog)\s?=`

const connectionRules: readonly SecretRule[] = [
  {
    id: 'uri-credentials',
    keywords: ['://'],
    // Up to the last @ of the address, because passwords are often not encoded.
    source: String.raw`:\/\/[^\s/?#:@"'<>\\\x60]{0,256}:(?<secret>[^\s/"'<>\\\x60]{1,512})@(?=[\w[%.-])`,
    encoded: String.raw`:\/\/[^\s/]{1,1600}@`,
    accept: 'written out, no port',
    anonymous: true,
  },
  {
    id: 'connection-parameter',
    keywords: withTails([...parameters, ...azureParameters], ['=']),
    source: String.raw`(?<=[?&;]\s?)${anyOf([...parameters, ...azureParameters])}=(?<secret>[^\s&;"'\\()<>{}\x60]{3,})(?=[&;\s"'\\)<>\x60]|$)`,
    flags: 'i',
    encoded: anyText,
    accept: 'filled in',
    anonymous: true,
  },
  {
    id: 'keyword-dsn',
    keywords: withTails(['password', 'passwd', 'pwd'], ['=', ' =']),
    source: String.raw`(?<![?&])(?:password|passwd|pwd) ?=\s?(?:(?<=${otherSettings}[^\r\n",()]{0,200}=\s?)|(?=[^\r\n",()]{0,200}[\s;]${otherSettings}))['"]?(?<secret>[^\s;"'\\(){}]{3,})`,
    flags: 'i',
    encoded: anyText,
    accept: 'filled in',
    anonymous: true,
  },
  {
    id: 'authorization-header',
    keywords: ['authorization'],
    source: String.raw`authorization(?:${quote})?\s?[:=]\s?(?:${quote})?(?:basic|token|bot|apikey)\s{1,2}(?<secret>[A-Za-z0-9._~+/=-]{8,4096})`,
    flags: 'i',
    encoded: anyText,
    accept: 'opaque',
  },
  {
    id: 'bearer',
    keywords: ['bearer '],
    source: 'bearer {1,2}(?<secret>[A-Za-z0-9._~+/=-]{8,4096})',
    flags: 'i',
    accept: 'random',
  },
  {
    id: 'curl-user',
    keywords: ['curl '],
    source: String.raw`curl [^\r\n]{0,300}?(?:-u|--user)[ =]?(?:${quote})?[^\s:"'\\]{1,100}:(?<secret>[^\s"'\\]{3,})`,
    encoded: String.raw`curl [^\n]{0,1800}?(?:-u|--user)`,
    accept: 'written out',
  },
  {
    id: 'netrc',
    keywords: ['machine '],
    source: String.raw`machine \S{1,200}\s{1,8}login \S{1,200}\s{1,8}password (?<secret>\S{1,200})`,
    encoded: String.raw`machine [^\n]{1,1400}?login `,
    accept: 'written out',
  },
]

// Secrets recognised by the name they are assigned to: environment variables, options, literals in source
// code.

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
const options = [
  'password',
  'passwd',
  'token',
  'api-key',
  'apikey',
  'secret',
  'client-secret',
  'access-token',
  'auth-token',
]

const bare = String.raw`\\{0,3}["']?(?<secret>[^\s"'\\\x60<>]{2,}[^\s"'\\\x60<>;,)\]}])`

/**
 * A literal in source code or JSON. The keyword includes what follows the name, or every mention of a token
 * would match.
 */
function literal(id: string, names: readonly string[], accept: Judgement): SecretRule {
  const assignment = ' ?(?:=>|:=|[:=])'
  return {
    id,
    keywords: withTails(names, ['"', "'", '`', '=', ':', '\\', ' =', ' :']),
    source: String.raw`${anyOf(names)}(?:${quote})?${assignment}\s?${quote}(?<secret>[^\s"'\\\x60]{6,200})${quote}`,
    flags: 'i',
    encoded: String.raw`${anyOf(names)}(?:${encodedQuote})?${assignment}(?:\s|\\[ntrfv]|\\u[0-9a-f]{4})?${encodedQuote}`,
    accept,
  }
}

const assignmentRules: readonly SecretRule[] = [
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
  literal('password-literal', passwordNames, 'password literal'),
  literal('secret-literal', secretNames, 'random'),
  {
    id: 'aws-secret-key',
    keywords: ['secret_access', 'secretaccess'],
    source: String.raw`secret_?access_?key(?:${quote})?\s*(?::|=>|=)\s*(?:${quote})?(?<secret>[A-Za-z0-9/+=]{40})(?![A-Za-z0-9/+=])`,
    flags: 'i',
    encoded: anyText,
  },
  {
    id: 'command-option',
    keywords: options.map((option) => `--${option}`),
    source: String.raw`--${anyOf(options)}[= ](?:${quote})?(?<secret>[^\s"'\\\x60<>]{6,})`,
    encoded: anyText,
    accept: 'password literal',
    anonymous: true,
  },
  {
    id: 'npmrc',
    keywords: ['_authToken', '_auth', '_password'],
    source: String.raw`(?<=^|[\n:]|\\n)_(?:authToken|auth|password) ?= ?(?:${quote})?(?<secret>[A-Za-z0-9+/=_.-]{8,})`,
    encoded: '_(?:authToken|auth|password) ?=',
    accept: 'opaque',
  },
]

// A private key is a block of many lines that are not recognisable one by one, so the whole block is
// replaced.

/** Also as tools show files: with line numbers, or as pieces of a string in source code. */
const body = String.raw`(?:[A-Za-z0-9+/=\s\\:,.()"'_@<>|\u2192]|-(?!----BEGIN)){0,20000}?`
/** For a truncated block: only lines that cannot be anything else. */
const line = String.raw`(?:\s|\\+[nrt]|\d{1,6}[\u2192|])+[A-Za-z0-9+/=]{16,}`
const name = '[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----'

const privateKeyRule: SecretRule = {
  id: 'private-key',
  keywords: ['-----BEGIN'],
  source: `-----BEGIN ?${name}(?:${body}-----END ?${name}|(?:${line})+)`,
  encoded: `-----BEGIN ?${name}`,
  accept: 'key block',
}

export const builtInRules: readonly SecretRule[] = [
  ...generatedRules,
  ...providerRules,
  ...connectionRules,
  ...assignmentRules,
  privateKeyRule,
]

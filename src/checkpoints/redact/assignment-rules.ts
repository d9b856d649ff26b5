// Secrets that are known by the name of what they are assigned to: environment variables, options, literals in source code.
import type { Judgement } from './credential-shape.ts'
import { anyOf, anything, encodedQuote, quote, withTails } from './quoting.ts'
import type { Rule } from './rule.ts'
import { passwordNames, secretNames } from './secret-names.ts'

const passwordVariables = ['PASSWORD', 'PASSWD', 'PASSPHRASE', '_PWD', '_PASS']
const secretVariables = ['SECRET', 'TOKEN', 'API_KEY', 'APIKEY', 'ACCESS_KEY', 'PRIVATE_KEY', 'AUTH_KEY', 'ENCRYPTION_KEY', 'CREDENTIALS']
const secretSuffix = '(?:_KEY_BASE|_KEY|_ACCESS_KEY)?'
const databases = ['db_', 'database_', 'pg', 'postgres_', 'mysql_', 'mariadb_', 'mongo_', 'mongodb_', 'redis_', 'mssql_', 'sa_', 'oracle_']
const options = ['password', 'passwd', 'token', 'api-key', 'apikey', 'secret', 'client-secret', 'access-token', 'auth-token']

const bare = String.raw`\\{0,3}["']?(?<secret>[^\s"'\\\x60<>]{2,}[^\s"'\\\x60<>;,)\]}])`

/** A literal in source code or JSON. What can follow the name is part of the keyword, or every mention of a token would count. */
function literal(id: string, names: readonly string[], accept: Judgement): Rule {
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

export const assignmentRules: readonly Rule[] = [
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
    encoded: anything,
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
    encoded: anything,
  },
  {
    id: 'command-option',
    keywords: options.map((option) => `--${option}`),
    source: String.raw`--${anyOf(options)}[= ](?:${quote})?(?<secret>[^\s"'\\\x60<>]{6,})`,
    encoded: anything,
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

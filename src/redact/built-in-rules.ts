// Lists the built-in redaction rules, for the build and for tests. The program uses them in prepared form
// (prepare-rules.ts).

import { assignmentRules } from './assignment-rules.ts'
import { commandRules } from './command-rules.ts'
import { providerRules } from './provider-rules.ts'
import type { SecretRule } from './rule.ts'
import { anyOf, anyText, plain, withTails } from './rule-parts.ts'
import { generatedRules } from './secretlint-rules.ts'

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
const azureParameters = ['accountkey', 'sharedaccesskey', 'sig', 'x-amz-signature', 'x-amz-security-token']
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
    id: 'uri-password-with-slash',
    keywords: ['://'],
    source: String.raw`:\/\/[^\s/?#:@[\]"'<>\\\x60]{0,256}:(?<secret>[^\s/@"'<>\\\x60(){}]{0,256}\/[^\s@"'<>\\\x60(){}]{0,256})@(?=[\w%.-]{1,256}(?:[:/?\s"'\\\x60]|$))`,
    encoded: String.raw`:\/\/[^\s@]{1,1600}@`,
    accept: 'password literal, no port',
    anonymous: true,
  },
  {
    id: 'uri-token',
    keywords: ['://'],
    source: String.raw`:\/\/(?<secret>[^\s/?#:@"'<>\\\x60]{12,512})@(?=[\w[%.-])`,
    encoded: String.raw`:\/\/[^\s/]{12,1600}@`,
    accept: 'random',
  },
  {
    id: 'connection-parameter',
    keywords: withTails([...parameters, ...azureParameters], ['=']),
    source: String.raw`(?<=[?&;#]\s?)${anyOf([...parameters, ...azureParameters])}=(?<secret>[^\s&;"'\\()<>{}\x60]{3,})(?=[&;\s"'\\)<>\x60]|$)`,
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
    source: String.raw`authorization(?:${plain.quote})?\s?[:=]\s?(?:${plain.quote})?(?:basic|token|bot|apikey)\s{1,2}(?<secret>[A-Za-z0-9._~+/=-]{8,4096})`,
    flags: 'i',
    encoded: anyText,
    accept: 'opaque',
  },
  {
    id: 'authorization-value',
    keywords: ['authorization'],
    source: String.raw`authorization(?:${plain.quote})?\s?[:=,]\s?(?:${plain.quote})?(?:basic|bearer|token|bot|apikey)\s{1,2}(?<secret>[^\s"'\\\x60<>,;(){}]{8,4096})`,
    flags: 'i',
    encoded: anyText,
    accept: 'password word',
  },
  {
    id: 'bearer',
    keywords: ['bearer '],
    source: 'bearer {1,2}(?<secret>[A-Za-z0-9._~+/=-]{8,4096})',
    flags: 'i',
    accept: 'random',
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
  ...commandRules,
  privateKeyRule,
]

// Credentials in the address or the greeting of a connection: URLs, connection strings, headers.
import { anyOf, anything, quote, withTails } from './quoting.ts'
import type { Rule } from './rule.ts'

const parameters = ['password', 'passwd', 'passphrase', 'pwd', 'access_token', 'refresh_token', 'client_secret', 'api_key', 'apikey']
const azureParameters = ['accountkey', 'sharedaccesskey', 'sig']
const otherSettings = String.raw`(?:host|hostaddr|server|data source|addr|address|port|user|username|user id|uid|dbname|database|initial catalog)\s?=`

export const connectionRules: readonly Rule[] = [
  {
    id: 'uri-credentials',
    keywords: ['://'],
    // Up to the last @ of the address: people forget to encode what is in a password.
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
    encoded: anything,
    accept: 'filled in',
    anonymous: true,
  },
  {
    id: 'keyword-dsn',
    keywords: withTails(['password', 'passwd', 'pwd'], ['=', ' =']),
    source: String.raw`(?<![?&])(?:password|passwd|pwd) ?=\s?(?:(?<=${otherSettings}[^\r\n",()]{0,200}=\s?)|(?=[^\r\n",()]{0,200}[\s;]${otherSettings}))['"]?(?<secret>[^\s;"'\\(){}]{3,})`,
    flags: 'i',
    encoded: anything,
    accept: 'filled in',
    anonymous: true,
  },
  {
    id: 'authorization-header',
    keywords: ['authorization'],
    source: String.raw`authorization(?:${quote})?\s?[:=]\s?(?:${quote})?(?:basic|token|bot|apikey)\s{1,2}(?<secret>[A-Za-z0-9._~+/=-]{8,4096})`,
    flags: 'i',
    encoded: anything,
    accept: 'opaque',
  },
  { id: 'bearer', keywords: ['bearer '], source: 'bearer {1,2}(?<secret>[A-Za-z0-9._~+/=-]{8,4096})', flags: 'i', accept: 'random' },
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

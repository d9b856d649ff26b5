// Lists rules for secrets that are recognised by the command, statement, header or file they stand in.
import type { SecretRule } from './rule.ts'
import { anyOf, anyText, inBothSpellings, plain } from './rule-parts.ts'

const { quote } = plain
/** A bare or quoted argument of a command. */
const argument = String.raw`(?:${quote})?(?<secret>[^\s"'\\\x60<>|;]{4,200})`

/** Commands with an option of their own for a password. */
const passwordCommands: readonly { name: string; rest?: string; option: string }[] = [
  { name: 'redis-cli ', option: '-a ' },
  { name: 'ldap', rest: '(?:search|add|modify|delete|whoami|passwd) ', option: '-w ' },
  { name: 'docker login ', option: '-p ' },
  { name: 'podman login ', option: '-p ' },
  { name: 'helm registry login ', option: '-p ' },
  { name: 'az login ', option: '-p ' },
  { name: 'mongo', rest: '(?:sh|dump|restore|export|import)? ', option: '-p ' },
  { name: 'keytool ', option: '-(?:store|key|new|src|dest)pass ' },
  { name: 'jarsigner ', option: '-(?:store|key)pass ' },
  { name: 'openssl enc ', option: '-k ' },
  { name: 'openssl aes', option: '-k ' },
  { name: 'zip ', option: '-P ?' },
  { name: '7z ', option: '-p' },
  { name: '7za ', option: '-p' },
  { name: 'unrar ', option: '-p' },
  { name: 'sqlcmd ', option: '-P ?' },
  { name: 'pdftk ', option: '(?:user|owner|input)_pw ' },
  { name: 'qpdf ', option: '--password=' },
]

const withPassword = ({ name, rest = '', option }: (typeof passwordCommands)[number]) =>
  String.raw`${name}${rest}[^\r\n|;]{0,200}?(?<=[ "'])${option}`

const shellRules: readonly SecretRule[] = [
  {
    id: 'curl-user',
    keywords: ['curl '],
    source: String.raw`curl [^\r\n]{0,300}?(?:-u|--user)[ =]?(?:${quote})?[^\s:"'\\]{1,100}:(?<secret>[^\s"'\\]{3,})`,
    encoded: String.raw`curl [^\n]{0,1800}?(?:-u|--user)`,
    accept: 'written out',
  },
  {
    id: 'curl-cookie',
    keywords: ['curl '],
    source: String.raw`curl [^\r\n]{0,300}?(?:-b|--cookie)[ =]?(?:${quote})?[\w.-]{1,100}=(?<secret>[^\s"'\\]{6,4096})`,
    encoded: String.raw`curl [^\n]{0,1800}?(?:-b|--cookie)`,
    accept: 'opaque',
  },
  {
    id: 'sshpass',
    keywords: ['sshpass '],
    source: `sshpass -p ?${argument}`,
    encoded: 'sshpass -p',
    accept: 'written out',
  },
  {
    id: 'mysql-password',
    keywords: ['mysql', 'mariadb'],
    source: String.raw`(?:mysql|mariadb)[a-z-]{0,20} [^\r\n|;]{0,200}?(?<=\s)-p${argument}`,
    encoded: String.raw`(?:mysql|mariadb)[a-z-]{0,20} [^\n]{0,1200}?-p`,
    accept: 'written out',
  },
  {
    id: 'command-password',
    keywords: passwordCommands.map(({ name }) => name),
    source: `${anyOf(passwordCommands.map(withPassword))}${argument}`,
    encoded: anyText,
    accept: 'written out',
  },
  {
    id: 'command-account',
    keywords: ['smbclient ', 'rpcclient ', 'sqlplus ', 'chpasswd', 'net use ', 'htpasswd '],
    source: String.raw`(?:(?:smb|rpc)client [^\r\n|;]{0,200}?-U ?(?:${quote})?[^\s%"']{1,100}%|sqlplus (?:-\w{1,2} ){0,3}(?:${quote})?\w[\w.-]{0,60}/|chpasswd ?<<< ?(?:${quote})?[\w.-]{1,60}:|net use [^\r\n|;]{0,200}?\/user:[^\s"']{1,100} |htpasswd (?:-[a-zA-Z]{1,6} ){0,4}?-[a-zA-Z]{0,5}b[a-zA-Z]{0,5} (?:-[a-zA-Z]{1,4} ){0,3}(?:(?<=-[a-zA-Z]{0,5}n[a-zA-Z]{0,5} )|[^\s-][^\s]{0,200} )[^\s:]{1,100} )(?:${quote})?(?<secret>[^\s"'\\\x60<>|;@]{4,200})`,
    encoded: anyText,
    accept: 'written out',
  },
  {
    id: 'openssl-password',
    keywords: ['pass:'],
    source: String.raw`pass:(?<secret>[^\s"'\\\x60<>|;]{4,200})(?=\s-|(?<=-pass(?:in|out)? (?:${quote})?pass:[^\s"'\\\x60<>|;]{4,200}))`,
    encoded: anyText,
    accept: 'password word',
  },
  {
    id: 'piped-password',
    keywords: ['echo ', 'printf '],
    source: String.raw`(?:echo|printf)(?: -n)? (?:${quote})?(?:[\w.-]{1,40}:)?(?<secret>[^\s"'\\\x60<>|;]{4,512})(?:${quote})? ?\| ?(?:sudo -S|chpasswd|gh auth|(?:docker|podman|helm|az|npm) [^\r\n]{0,120}--password-stdin|[^\r\n]{0,120}--with-token)`,
    encoded: String.raw`(?:echo|printf)(?: -n)? [^\n|]{4,700}\| ?(?:sudo -S|chpasswd|gh|docker|podman|helm|az|npm|\w)`,
    accept: 'written out',
  },
  {
    id: 'set-variable',
    keywords: ['ENV ', 'set -', 'setenv ', 'configure set '],
    source: String.raw`(?:ENV|set -[a-zA-Z]{1,4}|setenv|configure set) [\w-]{0,40}(?:PASSWORD|PASSWD|PASSPHRASE|PWD|PASS|KEY|TOKEN|SECRET|CREDENTIALS|password|secret|token|key)\w{0,20} ${argument}`,
    encoded: anyText,
    accept: 'password word',
  },
  {
    id: 'secure-string',
    keywords: ['ConvertTo-SecureString'],
    source: `ConvertTo-SecureString(?: -String)? ${argument}`,
    flags: 'i',
    encoded: anyText,
    accept: 'written out',
  },
]

const statementRules: readonly SecretRule[] = [
  {
    id: 'identified-by',
    keywords: ['identified '],
    source: String.raw`identified (?:with [\w'"]{1,60} )?(?:by|as) ${quote}(?<secret>[^\s"'\\\x60]{1,200})${quote}`,
    flags: 'i',
    encoded: anyText,
    accept: 'written out',
  },
  {
    id: 'login-pair',
    keywords: ['credentials', 'creds', 'login', 'log in'],
    ...inBothSpellings(
      ({ quote }) =>
        String.raw`(?:credentials|creds|log ?in)(?: [a-z]{1,12}){0,2}:? (?:${quote})?[\w.@-]{1,60} ?[/:] ?(?<secret>[^\s"'\\\x60<>|;,/(){}]{6,200})(?=["'\x60\s.,;\\]|$)`,
    ),
    flags: 'i',
    accept: 'password word',
  },
]

const headerRules: readonly SecretRule[] = [
  {
    id: 'cookie',
    keywords: ['cookie'],
    ...inBothSpellings(
      ({ quote }) =>
        String.raw`cookie(?:${quote})?\s?[:=,]\s?(?:${quote})?[\w.-]{1,100}=(?<secret>[^\r\n"'\\\x60(){}<>]{6,1024})(?=["'\x60\r\n\\]|$)`,
    ),
    flags: 'i',
    accept: 'cookie',
  },
  {
    id: 'api-header',
    keywords: ['x-'],
    ...inBothSpellings(
      ({ quote }) =>
        String.raw`x-(?:[a-z]{1,20}-){0,4}(?:key|token|secret|auth|signature)(?:${quote})?\s?[:=,]\s?(?:${quote})?(?<secret>[^\s"'\\\x60<>,;(){}]{6,4096})(?=["'\x60\s;,)&\\]|$)`,
    ),
    flags: 'i',
    accept: 'password word',
  },
]

const fileRules: readonly SecretRule[] = [
  {
    id: 'netrc',
    keywords: ['machine ', 'default login'],
    source: String.raw`(?:machine [^\s\\]{1,200}|default)${plain.space}{1,12}login [^\s\\]{1,200}${plain.space}{1,12}password (?<secret>[^\s\\"]{1,200})`,
    encoded: String.raw`(?:machine [^\n]{1,1400}?|default )login `,
    accept: 'written out',
  },
  {
    id: 'netrc-password',
    keywords: ['password '],
    // One line of a file with a line for each entry, which is redacted by itself.
    source: String.raw`(?<=^\s{0,16})password (?<secret>[^\s\\"']{6,200})(?=\s{0,4}$)`,
    encoded: String.raw`password [^\s\\"']{6,200}(?:\s|\\[nrt]){0,4}(?:["\n]|$)`,
    accept: 'password word',
  },
  {
    id: 'pgpass',
    keywords: [':5432:', ':5433:', ':5434:', ':6432:', ':*:'],
    source: String.raw`(?<=[\w.*-]):(?:\d{4}|\*):[^\s:"'\\]{1,100}:[^\s:"'\\]{1,100}:(?<secret>[^\s:"'\\]{3,200})`,
    encoded: String.raw`:(?:\d{4}|\*):[^\s:]{1,300}:`,
    accept: 'written out',
  },
  {
    id: 'npmrc',
    keywords: ['_authToken', '_auth', '_password'],
    source: String.raw`(?<=^|[\n:]|\\n)_(?:authToken|auth|password) ?= ?(?:${quote})?(?<secret>[^\s"'\\\x60<>]{8,})`,
    encoded: '_(?:authToken|auth|password) ?=',
    accept: 'opaque',
  },
  {
    id: 'docker-auth',
    keywords: ['auth'],
    ...inBothSpellings(
      ({ quote, space }) =>
        `auth${quote}${space}{0,4}:${space}{0,4}${quote}(?<secret>[A-Za-z0-9+/]{8,512}={0,2})${quote}`,
    ),
    accept: 'encoded pair',
  },
]

export const commandRules: readonly SecretRule[] = [
  ...shellRules,
  ...statementRules,
  ...headerRules,
  ...fileRules,
]

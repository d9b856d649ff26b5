import { expect, test } from 'bun:test'
import { createRedactor, type Redactor, redactText, redactTranscript } from './redact.ts'

const redactor = createRedactor({ emails: false, phones: false, rules: [] })

/** Pieces that begin what a rule looks for, again and again, and never end it. */
const pieces = [
  'password ',
  'password: ',
  'password is a password ',
  'key token secret ',
  'key=',
  'key: key: ',
  'token_'.repeat(4),
  'api_key"\\"\\"',
  'secret => ( "',
  'name: DB_PASSWORD\n',
  'name: DB_PASSWORD\n  value: ',
  'auth":"AAAAAAAAAAAAAAAA',
  'cookie: a=b; ',
  'x-a-b-c-d-key-',
  'echo abcd1234 ',
  'mysql -u root ',
  'curl -x ',
  'redis-cli docker login ldapsearch ',
  'identified with x ',
  'machine a login b ',
  'credentials for me: a/',
  '-password-token',
  ':5432:a:b',
  '://aaaaaaaaaaaaaaaa',
  'sha512-AAAAaaaa0123+/',
  'https://a:b/c',
  'password | password -> ',
  'password: |\n  ',
  'keytool zip 7z mongo openssl enc ',
  'htpasswd -b -b a ',
  'smbclient sqlplus net use /user:a ',
  'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7hkIWgk5km94nRORoDezwnJ ',
  'data:image/png;base64,',
  'FoNPcbdaKwtgHw_',
  'h1:aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW/',
]

const size = 16_000

/** Processor time, the least of three attempts. */
function cost(act: () => unknown): number {
  const times = Array.from({ length: 3 }, () => {
    const before = process.cpuUsage()
    act()
    const { user, system } = process.cpuUsage(before)
    return user + system
  })
  return Math.min(...times)
}

const write = (piece: string, length: number) => piece.repeat(Math.ceil(length / piece.length))

test.each(pieces)(
  'a text of four times the size takes four times as long, not sixteen times: %j',
  (piece) => {
    for (const redact of [redactText, redactTranscript]) {
      const small = cost(() => redact(write(piece, size), redactor))
      const large = cost(() => redact(write(piece, 4 * size), redactor))
      // Twenty milliseconds are what other work of the process may take.
      expect(large).toBeLessThan(9 * small + 20_000)
    }
  },
)

test.each(['y', '(x|xx)*y'])(
  'so does a rule of the settings with many matches, each of them reported: %s',
  (regex) => {
    const rules = [{ label: 'many', regex }]
    const many: Redactor = { ...createRedactor({ emails: false, phones: false, rules }), report: () => {} }
    const line = (length: number) => `${JSON.stringify({ text: write('<system-reminder>', length) })}\n`
    const small = cost(() => redactTranscript(line(2 * size), many))
    const large = cost(() => redactTranscript(line(8 * size), many))
    expect(large).toBeLessThan(9 * small + 20_000)
  },
)

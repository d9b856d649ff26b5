import { describe, expect, test } from 'bun:test'
import { createRedactor, redactText } from './redact.ts'

const redactor = createRedactor({ emails: false, phones: false, rules: [] })
const redact = (text: string) => redactText(text, redactor)
const random = 'xK9fT2mQ7bL4vR8nW3cY6hJ1'

describe('text that only looks like a secret stays', () => {
  test.each([
    'commit 9fceb02d0ae598e95dc970b74767f19372d61af8',
    'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    '550e8400-e29b-41d4-a716-446655440000',
    '/home/dev/projects/shop/packages/web/app/routes/users.$userId.settings.tsx',
    'C:\\Users\\dev\\AppData\\Local\\Programs\\node\\node_modules\\npm\\bin',
    "import { redactTranscript } from '@scope/package-name/dist/internal/redact-transcript.ts'",
    'docs/2024-01-15-how-we-moved-the-checkpoint-storage-to-git-refs.md',
    'feature/PROJ-1234-quick-brown-fox-jumps-over-the-lazy-dog-and-vexes-him',
    'readCheckpointMetadataFromQuarantinedWorktreeByJumpingOverBranches',
    'https://developer.mozilla.org/en-US/docs/Web/HTTP/Headers/Authorization?q=password#token',
    'http://localhost:3000?user=a@b.c',
    'toolu_01hTX749cxtfHq56IdrRADZP',
    'PWD=/home/dev/projects/shop OLDPWD=/tmp',
    'MAX_TOKENS=4096 TOKEN_FILE=/run/secrets/token',
    'connect(host=host, user=user, password=password)',
    'password: string; token?: string; secret = process.env.SECRET',
    `DB_PASSWORD=$DB_PASSWORD DB_PASSWORD="$\{DB_PASSWORD}" API_TOKEN=<your-token>`,
    `postgres://user:$\{PASSWORD}@db/app`,
    'if (text.startsWith("-----BEGIN RSA PRIVATE KEY-----")) return "-----END RSA PRIVATE KEY-----"',
    'const tokenizer = "cl100k_base"; const tokens = "count"',
    'REDACTED and [REDACTED_EMAIL] and password=REDACTED',
  ])('%s', (text) => expect(redact(text)).toBe(text))
})

describe('a secret is recognised by its surroundings', () => {
  test.each([
    ['postgres://app:hunter2@db/app', 'postgres://app:REDACTED@db/app'],
    ['mongodb+srv://app:p@ss#1@db.test/app', 'mongodb+srv://app:REDACTED@db.test/app'],
    ['redis://:hunter2@cache:6379', 'redis://:REDACTED@cache:6379'],
    [
      'jdbc:postgresql://db/app?user=app&password=hunter2&ssl=true',
      'jdbc:postgresql://db/app?user=app&password=REDACTED&ssl=true',
    ],
    [
      'Server=db;Database=app;User Id=app;Password=hunter2;',
      'Server=db;Database=app;User Id=app;Password=REDACTED;',
    ],
    ['host=db user=app password=hunter2 dbname=app', 'host=db user=app password=REDACTED dbname=app'],
    ['password=hunter2 host=db', 'password=REDACTED host=db'],
    ['export PGPASSWORD=hunter2', 'export PGPASSWORD=REDACTED'],
    ['mysql_pwd=hunter2', 'mysql_pwd=REDACTED'],
    ['STRIPE_SECRET="abcdefgh"\nNEXT=1', 'STRIPE_SECRET="REDACTED"\nNEXT=1'],
    ["password: 'hunter2'", "password: 'REDACTED'"],
    ['{\\"api_key\\": \\"a1b2c3d4e5f6g7\\"}', '{\\"api_key\\": \\"REDACTED\\"}'],
    ['Authorization: Basic dXNlcjpwYXNz', 'Authorization: Basic REDACTED'],
    ['curl -s -u admin:hunter2 https://x.test', 'curl -s -u admin:REDACTED https://x.test'],
    ['tool --password hunter2 --verbose', 'tool --password REDACTED --verbose'],
    ['AccountName=shop;AccountKey=abc/def==;Suffix=core', 'AccountName=shop;AccountKey=REDACTED;Suffix=core'],
    ['//registry.test/:_authToken=0123-abcd', '//registry.test/:_authToken=REDACTED'],
    ['machine db.test login app password hunter2', 'machine db.test login app password REDACTED'],
    ['DB_PASSWORD=c0rrect-h0rse then c0rrect-h0rse', 'DB_PASSWORD=REDACTED then REDACTED'],
    ['DB_PASSWORD=correct-horse then correct-horse', 'DB_PASSWORD=REDACTED then correct-horse'],
    [
      'postgres://postgres:postgres@db runs postgres, as postgres',
      'postgres://postgres:REDACTED@db runs postgres, as postgres',
    ],
  ])('%s', (text, expected) => expect(redact(text)).toBe(expected))
})

describe('a token with too much entropy', () => {
  test('is replaced, and the escape in front of it stays', () => {
    expect(redact(`a\\n${random} b\\t${random} c\\u00e9${random}`)).toBe(
      'a\\nREDACTED b\\tREDACTED c\\u00e9REDACTED',
    )
  })

  test('is not looked for across a slash', () =>
    expect(redact('aB3dE5fG7hJ9/kL2mN4pQ6rS8/tU1vW')).toBe('aB3dE5fG7hJ9/kL2mN4pQ6rS8/tU1vW'))
})

describe('a private key is replaced as a whole', () => {
  const [begin, end] = ['-----BEGIN PRIVATE', '-----END PRIVATE'].map((edge) => `${edge} KEY-----`)
  const lines = [
    'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC',
    'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
    'BBBBBBBBBBBBBBBBBBBB==',
  ]
  test.each([
    ['in lines', `x ${begin}\n${lines.join('\n')}\n${end} y`, 'x REDACTED y'],
    ['escaped', `x ${begin}\\n${lines.join('\\n')}\\n${end}\\n`, 'x REDACTED\\n'],
    [
      'with line numbers',
      `     1→${begin}\n${lines.map((line, i) => `     ${i + 2}→${line}`).join('\n')}\n     5→${end}`,
      '     1→REDACTED',
    ],
    ['cut off', `${begin}\n${lines.join('\n')}\n\nand so on`, 'REDACTED\n\nand so on'],
  ])('%s', (_, text, expected) => expect(redact(text)).toBe(expected))
})

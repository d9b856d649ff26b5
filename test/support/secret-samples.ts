// Makes strings that look like secrets, so that no real-looking secret has to be written into a file.
import fc from 'fast-check'
import { builtInRules } from '../../src/redact/built-in-rules.ts'
import type { SecretRule } from '../../src/redact/rule.ts'
import { secretCorpus } from './secret-corpus.ts'

/** Look-around constrains the text beside a match, not the match. */
function withoutLookaround(source: string): string {
  const open = source.search(/\(\?<?[=!]/)
  if (open === -1) return source
  let depth = 0
  for (let i = open; i < source.length; i++) {
    if (source[i] === '\\') i += 1
    else if (source[i] === '(') depth += 1
    else if (source[i] === ')' && --depth === 0)
      return withoutLookaround(source.slice(0, open) + source.slice(i + 1))
  }
  return source
}

export function samplesOf(rule: SecretRule): fc.Arbitrary<string> {
  const source = withoutLookaround(rule.source)
    .replaceAll('\\b', '')
    .replaceAll('{1,10000}', '{1,80}')
    .replaceAll(/\{(\d\d+),\}/g, '{$1,$1}')
  return fc.stringMatching(new RegExp(`^(?:${source})$`))
}

export const tokenRules = builtInRules.filter(
  (rule) => rule.encoded === undefined && !rule.source.includes('(?<secret>'),
)

const word = fc.stringMatching(/^[A-Za-z0-9!#%*+_]{8,20}$/).map((text) => `${text}7`)

const inContext: readonly ((secret: string) => string)[] = [
  (secret) => `postgres://app:${secret.replace('#', '%')}@db.internal:5432/shop`,
  (secret) => `jdbc:mysql://db/shop?user=app&password=${secret}&ssl=true`,
  (secret) => `Server=tcp:db,1433;User Id=app;Password=${secret};Encrypt=true;`,
  (secret) => `host=db user=app password=${secret} dbname=shop`,
  (secret) => `export DB_PASSWORD=${secret}`,
  (secret) => `db_password="${secret}"`,
  (secret) => `APP_TOKEN='${secret}'`,
  (secret) => `const password = "${secret}"`,
  (secret) => `{\\"apiKey\\": \\"${secret}9aZ81k\\"}`,
  (secret) => `Authorization: Basic ${secret.replace(/[!#%*]/g, 'x')}`,
  (secret) => `curl -u admin:${secret} https://example.test`,
  (secret) => `login --password ${secret}`,
  (secret) => `//registry.test/:_authToken=${secret.replace(/[!#%*]/g, 'x')}`,
  (secret) => `machine db.test login app password ${secret}`,
]

const keyBody = fc.array(fc.stringMatching(/^[A-Za-z0-9+/]{64}$/), { minLength: 2, maxLength: 6 })
const privateKey = keyBody.map((lines) =>
  ['-----BEGIN RSA PRIVATE', ' KEY-----\n', lines.join('\n'), '\n-----END RSA PRIVATE', ' KEY-----'].join(''),
)

const fromCorpus = fc.constantFrom(...secretCorpus(7)).map(({ text }) => text)

export const secretText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fromCorpus },
  { weight: 6, arbitrary: fc.constantFrom(...tokenRules).chain(samplesOf) },
  { weight: 6, arbitrary: fc.tuple(fc.constantFrom(...inContext), word).map(([put, secret]) => put(secret)) },
  { weight: 2, arbitrary: fc.stringMatching(/^[A-Za-z0-9+_=-]{24,60}$/) },
  { weight: 1, arbitrary: privateKey },
)

const plain = fc.constantFrom(
  'the token is read from the environment',
  "import { parse } from '../agents/claude-code/transcript.ts'",
  '/home/dev/projects/shop/src/checkpoints/redact/generated-rules.ts',
  'password: string, secret: string',
  '\\n\\tsk-',
  'Ünïcode → “text” 🔑',
  '"quoted"',
  '\\',
  'REDACTED',
  '[REDACTED_EMAIL]',
)

const glue = fc.constantFrom(
  '',
  ' ',
  '\n',
  '\t',
  '\\n',
  '"',
  "'",
  '\\"',
  ':',
  '=',
  '/',
  ';',
  ',',
  'é',
  'a',
  '_',
  '9',
)

/** Secrets and ordinary text in any order, with or without something between them. */
export const mixedText: fc.Arbitrary<string> = fc
  .array(fc.tuple(fc.oneof(secretText, plain, fc.string({ maxLength: 30 })), glue), { maxLength: 8 })
  .map((pieces) => pieces.flat().join(''))

/** Keys that mean something to the redaction, and keys that do not. */
const key = fc.constantFrom(
  'text',
  'content',
  'type',
  'password',
  'host',
  'user',
  'token',
  'apiKey',
  'session_id',
  'path',
  'signature',
  'input',
  'name',
  'value',
  'hmac_key_v2',
  'auth',
)
const leaf = fc.oneof(
  mixedText,
  word,
  fc.constantFrom('DB_PASSWORD', 'api_token', 'YXBwOnZlbHZldDYyIQ=='),
  fc.constantFrom('image', 'base64', 'text', 'hunter2'),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
)

export const jsonValue: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, leaf, fc.array(tie('value'), { maxLength: 3 }), tie('object')),
  object: fc.dictionary(key, tie('value'), { maxKeys: 5 }),
})).object!

// What is not a secret stays: lock files, digests, generated code, and text and code about passwords.
import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { createRedactor, redactTranscript } from './redact.ts'
import { placeholder } from './regions.ts'

const redactor = createRedactor({ emails: false, phones: false, rules: [] })

const names = [
  'lodash',
  'react-dom',
  '@types/node',
  '@babel/helper-plugin-utils',
  'is-glob',
  'yargs-parser',
  'token-types',
]
const digest = (algorithm: string, encoding: 'hex' | 'base64', seed: string) =>
  createHash(algorithm).update(seed).digest(encoding)
const uuidOf = (seed: string) =>
  digest('md5', 'hex', seed).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
const nixLetters = '0123456789abcdfghijklmnpqrsvwxyz'
const nixDigest = (seed: string, length: number) =>
  Array.from(createHash('sha512').update(seed).digest(), (byte) => nixLetters[byte % 32])
    .join('')
    .slice(0, length)
const bytesOf = (seed: string, length: number) =>
  Array.from({ length: Math.ceil(length / 64) }, (_, at) =>
    digest('sha512', 'base64', `${seed}-${at}`).slice(0, 86),
  )
    .join('')
    .slice(0, Math.ceil((length * 4) / 3))
const many = (count: number, line: (seed: string, name: string) => string) =>
  Array.from({ length: count }, (_, at) => line(String(at), names[at % names.length]!)).join('\n')

const documents: Record<string, string> = {
  'package-lock.json': JSON.stringify(
    {
      lockfileVersion: 3,
      packages: Object.fromEntries(
        Array.from({ length: 200 }, (_, at) => [
          `node_modules/${names[at % names.length]}-${at}`,
          {
            version: `${at}.1.0`,
            resolved: `https://registry.npmjs.org/x/-/x-${at}.1.0.tgz`,
            integrity: `sha512-${digest('sha512', 'base64', `n${at}`)}`,
          },
        ]),
      ),
    },
    null,
    2,
  ),
  'yarn.lock': many(
    200,
    (seed, name) =>
      `"${name}@^${seed}.0.0":\n  version "${seed}.0.1"\n  resolved "https://registry.yarnpkg.com/${name}/-/x-${seed}.tgz#${digest('sha1', 'hex', seed)}"\n  integrity sha1-${digest('sha1', 'base64', seed)}\n`,
  ),
  'pnpm-lock.yaml': many(
    200,
    (seed, name) =>
      `  '${name}@${seed}.0.0':\n    resolution: {integrity: sha512-${digest('sha512', 'base64', seed)}}`,
  ),
  'go.sum': many(
    200,
    (seed) =>
      `github.com/some/module/v2 v2.${seed}.0 h1:${digest('sha256', 'base64', seed)}\ngithub.com/some/module/v2 v2.${seed}.0/go.mod h1:${digest('sha256', 'base64', `m${seed}`)}`,
  ),
  'Cargo.lock': many(
    200,
    (seed, name) =>
      `[[package]]\nname = "${name}"\nversion = "${seed}.2.0"\nchecksum = "${digest('sha256', 'hex', seed)}"\n`,
  ),
  'poetry.lock': many(
    200,
    (seed, name) =>
      `    {file = "${name}-${seed}.tar.gz", hash = "sha256:${digest('sha256', 'hex', seed)}"},`,
  ),
  'git log': many(
    200,
    (seed) =>
      `commit ${digest('sha1', 'hex', seed)}\nAuthor: Jane Doe <jane@example.test>\nDate:   Mon Nov 16 03:00:00 2026 +0000\n\n    fix(auth): the token is refreshed in time\n`,
  ),
  'git ls-tree': many(
    200,
    (seed) => `100644 blob ${digest('sha1', 'hex', seed)}\tsrc/redact/file-${seed}.ts`,
  ),
  UUIDs: many(200, (seed) => `{"uuid":"${uuidOf(seed)}","parentUuid":"${uuidOf(`p${seed}`)}","seq":${seed}}`),
  'docker images': many(
    200,
    (seed) =>
      `registry.test/app@sha256:${digest('sha256', 'hex', seed)} ${digest('md5', 'hex', seed).slice(0, 12)}`,
  ),
  'nix expressions': many(
    200,
    (seed, name) =>
      `  src = fetchurl {\n    url = "https://example.test/${name}-${seed}.tar.gz";\n    sha256 = "${nixDigest(seed, 52)}";\n  };\n  # /nix/store/${nixDigest(`s${seed}`, 32)}-${seed}.0`,
  ),
  'answers of a cache': many(
    200,
    (seed) => `HTTP/1.1 200 OK\nCache-Key: ${digest('sha256', 'hex', seed)}\nAge: ${seed}\n`,
  ),
  'public keys': many(
    40,
    (seed) =>
      `ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC${bytesOf(seed, 276)} jane@laptop\nssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${bytesOf(`e${seed}`, 30)} jane@laptop`,
  ),
  'pictures in a page': many(
    20,
    (seed) => `<img alt="" src="data:image/png;base64,iVBORw0KGgo${bytesOf(seed, 3000)}">`,
  ),
  'key bindings': many(
    40,
    (seed) =>
      `{ "key": "ctrl+Shift+Alt+F${Number(seed) % 12}", "command": "workbench.action.openEditor${seed}" },`,
  ),
  'minified code': many(
    200,
    (seed) =>
      `!function(e,t){"object"==typeof exports&&"undefined"!=typeof module?t(exports):t((e=e||self).a${seed}={})}(this,function(e){"use strict";var t=e.key||e.token,n=t&&t.access?t.access(e.auth,{password:e.password,secret:t.secret,api_key:n.apiKey}):null;for(var r=0;r<e.keys.length;r++)n=n||o(e.keys[r],"${seed}")});`,
  ),
  'minified style': many(
    200,
    (seed) =>
      `.a${seed}{color:#${digest('md5', 'hex', seed).slice(0, 6)};background:url(/img/key-${seed}.svg)}`,
  ),
}

const lines = [
  // Code that handles passwords.
  'password: string',
  'password: string;',
  'password?: string | undefined',
  'password: String!',
  'password: Option<String>,',
  'password: z.string().min(8).max(128),',
  'password VARCHAR(255) NOT NULL,',
  'const token = getToken()',
  'const token = await getToken(user.id, 3600)',
  'password = os.environ["DB_PASSWORD"]',
  "password = os.getenv('DB_PASSWORD', '')",
  'password: process.env.DB_PASSWORD,',
  'const { password, token, apiKey } = options',
  'user.password = await bcrypt.hash(password, 12)',
  'if (password !== confirmPassword) return fail(400)',
  'expect(login({ password })).toBe(true)',
  'token: ctx.session.token,',
  'apiKey: config.get<string>("apiKey"),',
  'api_key = config.section.api_key',
  'def login(username: str, password: str) -> Token:',
  'func Login(user string, password string) (string, error) {',
  'fn login(user: &str, password: &str) -> Result<Token, Error> {',
  '$password = $request->input("password");',
  '<input type="password" name="password" autocomplete="current-password">',
  '<label for="password">Password</label>',
  `password: $\{{ secrets.DB_PASSWORD }}`,
  'password: "$DB_PASSWORD"',
  'password = var.db_password',
  'password: !vault |',
  'password: {{ .Values.postgres.password }}',
  'passwordFile: /run/secrets/db-password',
  'token_type: bearer',
  'tokens: 12345678',
  '"input_tokens":12345,"output_tokens":67890,"cache_read_input_tokens":1234567',
  'keyboard: qwerty-2024-layout',
  'primaryKey: "user_profile_id_2"',
  'api_version: 2024-10-01-preview',
  'apiVersion: networking.k8s.io/v1beta1',
  'author: jane-doe-1984-berlin',
  "key: 'settings.account2.password.label'",
  'cacheKey = `user-profile-v2-settings`',
  'accessKeyId = credentials.accessKeyId',
  'authUrl: https://login.test/oauth2/v2/authorize',
  'token = tokens[index + 1]',
  'secretName: postgres-credentials-v2',
  'key={item.id}',
  'SELECT password FROM users WHERE id = $1',
  'UPDATE users SET password = ? WHERE id = ?',
  'mysql -u root -p shop',
  'docker login -u app --password-stdin registry.test',
  'curl -H "Authorization: Bearer $TOKEN" https://api.test',
  'tool --password-file /run/secrets/db1 --token-ttl 3600',
  'password: required',
  '| password | string | required |',
  '| api_key | string | The key of the service, 32 characters |',
  'access_token: string | null',
  'const accessToken = await getAccessToken()',
  'const refreshToken = parseRefreshTokenFromHtmlOfPage(body)',
  'private_key: id_rsa_2048.pem',
  'access_token: <your-token>',
  'Authorization: Bearer <your-token>',
  'Authorization: Bearer YOUR_ACCESS_TOKEN',
  `//registry.npmjs.org/:_authToken=$\{NPM_TOKEN}`,
  `access_token: $\{{ secrets.ACCESS_TOKEN }}`,
  'secret_key = process.env.SECRET_KEY',
  'secretKey: env.SECRET_KEY_V2,',
  'passwd, err := term.ReadPassword(0)',
  'password:\n  type: string\n  minLength: 8',
  'password:\n  - required\n  - min:8',
  'pass: true, fail: false',
  'pass = count > 0',
  'cat password | base64 | python3 -m json.tool',
  'http://localhost:3000/node_modules/@vite/client',
  'see https://registry.npmjs.org/@types/node@20.1.0',
  'import x from "http://cdn.test:8080/npm/react@18.2.0"',
  'zip -r a.zip src -x "*.test.ts"',
  'mongo --host db.test -u admin -p',
  '["--token-file", "/run/secrets/db1", "--verbose"]',
  '["--password", "$DB_PASSWORD"]',
  // Prose.
  'The private key is 2048-bit RSA, the access token is short-lived.',
  'An access token expires after 3600 seconds; the refresh token after 30 days.',
  'Use password-based login (PBKDF2) or the API key v2 endpoint.',
  'The private key fingerprint is SHA256:nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8.',
  'The password is hashed with bcrypt and never stored.',
  'Your password must be at least 12 characters long.',
  'The token is refreshed every 15 minutes, the access key is rotated.',
  'The password is base64-encoded, the key is sha256-hashed.',
  'Set the API key to the value from the dashboard.',
  'Authorization: the header that carries the credentials',
  'Add a Cookie: header with theme=dark to the request.',
  'Use postgres://postgres:REDACTED@localhost, then run postgres as postgres.',
]

const removed = (before: string, after: string) =>
  before.length - after.length + placeholder.length * (after.split(placeholder).length - 1)

const shapes: Record<string, (text: string) => string> = {
  'as a file': (text) => text,
  'as the output of a tool': (text) =>
    `${JSON.stringify({ type: 'user', content: [{ type: 'text', text }] })}\n`,
}

describe.each(Object.entries(shapes))('%s', (_, write) => {
  test.each(Object.entries(documents))('%s: less than one character of a hundred changes', (_, text) => {
    const before = write(text)
    expect(removed(before, redactTranscript(before, redactor)) / before.length).toBeLessThan(0.01)
  })

  test.each(lines)('stays as it is: %s', (line) => {
    expect(redactTranscript(write(line), redactor)).toBe(write(line))
  })
})

import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defaultSettings } from '../model/settings.ts'
import { isSetUp, readSettings } from './read.ts'
import { ensureEntireDir } from './write.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'entire-settings-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function put(name: string, content: unknown) {
  mkdirSync(join(root, '.entire'), { recursive: true })
  writeFileSync(join(root, '.entire', name), typeof content === 'string' ? content : JSON.stringify(content))
}
const text = (name: string) => readFileSync(join(root, '.entire', name), 'utf8')

test('without files the defaults apply and nothing is set up', () => {
  expect(readSettings(root)).toEqual(defaultSettings)
  expect(isSetUp(root)).toBe(false)
})

test('either file alone makes a repository set up', () => {
  put('settings.local.json', {})
  expect(isSetUp(root)).toBe(true)
})

test.each([
  ['enabled is on unless said otherwise', {}, {}, { enabled: true }],
  [
    'the local file wins',
    { enabled: true, strategy: 'manual-commit' },
    { enabled: false },
    { enabled: false, strategy: 'manual-commit' },
  ],
  [
    'an empty strategy or level is ignored',
    { strategy: 'auto-commit', log_level: 'WARN' },
    { strategy: '', log_level: '' },
    { strategy: 'auto-commit', logLevel: 'warn' },
  ],
  [
    'options merge one by one',
    { strategy_options: { push_sessions: false } },
    { strategy_options: { summarize: {} } },
    { pushSessions: false },
  ],
  [
    'only a literal false stops pushing',
    { strategy_options: { push_sessions: 'false' } },
    {},
    { pushSessions: true },
  ],
  ['unknown keys are ignored', { telemetry: false, future: { a: 1 } }, {}, defaultSettings],
  ['null says nothing', { enabled: null }, {}, { enabled: true }],
  [
    'the backend is chosen as a block',
    { checkpoints: { primary: { type: 'git-refs' } } },
    { checkpoints: {} },
    { checkpointsBackend: 'git-branch' },
  ],
  [
    'linking and hook path',
    { commit_linking: 'always' },
    { absolute_git_hook_path: true, external_agents: true },
    { commitLinking: 'always', absoluteHookPath: true, externalAgents: true },
  ],
] as const)('%s', (_rule, project, local, expected) => {
  put('settings.json', project)
  put('settings.local.json', local)
  expect(readSettings(root)).toMatchObject(expected as object)
})

test('a local file can add redaction but never remove it', () => {
  put('settings.json', {
    redaction: { pii: { enabled: true, phone: false, custom_patterns: { TICKET: 'T-[0-9]+' } } },
  })
  put('settings.local.json', {
    redaction: { pii: { enabled: false }, rules: [{ label: 'HOST', regex: 'db[0-9]' }, { label: 3 }] },
  })
  expect(readSettings(root).redaction).toEqual({
    emails: true,
    phones: false,
    rules: [
      { label: 'TICKET', regex: 'T-[0-9]+' },
      { label: 'HOST', regex: 'db[0-9]' },
    ],
  })
})

test.each([
  ['settings.json', '{', 'not a JSON object'],
  ['settings.local.json', '[]', 'not a JSON object'],
  ['settings.json', '{"enabled":"yes"}', '"yes" is not a valid value for enabled in .entire/settings.json'],
  ['settings.json', '{"strategy":"shadow"}', '"shadow" is not a valid value for strategy in'],
])('a file that cannot be understood is named: %s %s', (name, content, message) => {
  put(name, content)
  expect(() => readSettings(root)).toThrow(
    expect.objectContaining({
      code: 'bad-settings',
      message: expect.stringContaining(message),
      hint: expect.any(String),
    }),
  )
  expect(() => readSettings(root)).toThrow(name)
})

test('comments, a trailing comma and a byte order mark are accepted', () => {
  put(
    'settings.json',
    '\uFEFF{\n  // why\n  "strategy": "auto-commit", /* since */\n  "enabled": false,\n}\n',
  )
  expect(readSettings(root)).toMatchObject({ strategy: 'auto-commit', enabled: false })
})

test.each([
  ['nothing', {}, {}, undefined],
  [
    'a hosted repository',
    { checkpoint_remote: { provider: 'github', repo: 'acme/private' } },
    {},
    { kind: 'hosted', provider: 'github', repo: 'acme/private' },
  ],
  ['a remote by name', { checkpoint_push_remote: 'private' }, {}, { kind: 'remote', name: 'private' }],
  [
    'the local file wins, whichever key it uses',
    { checkpoint_remote: { provider: 'github', repo: 'acme/private' } },
    { checkpoint_push_remote: 'mine' },
    { kind: 'remote', name: 'mine' },
  ],
  [
    'a URL',
    {},
    { checkpoint_remote: { url: 'https://example.com/x.git' } },
    { kind: 'url', url: 'https://example.com/x.git' },
  ],
] as const)('where checkpoints go: %s', (_rule, project, local, expected) => {
  put('settings.json', { strategy_options: project })
  put('settings.local.json', { strategy_options: local })
  expect(readSettings(root).checkpointRemote).toEqual(expected as never)
})

test.each([
  ['a URL of the project', 'settings.json', { checkpoint_remote: { url: 'https://example.com/x.git' } }],
  ['an option in disguise', 'settings.local.json', { checkpoint_remote: { url: '--upload-pack=touch x' } }],
  ['a URL that runs programs', 'settings.local.json', { checkpoint_remote: { url: 'ext::sh -c x' } }],
  ['an unknown provider', 'settings.json', { checkpoint_remote: { provider: 'nowhere', repo: 'a/b' } }],
  ['a repository that climbs', 'settings.json', { checkpoint_remote: { provider: 'github', repo: '../b' } }],
  ['a text', 'settings.json', { checkpoint_remote: 'github:a/b' }],
  ['a remote that is an option', 'settings.json', { checkpoint_push_remote: '--mirror' }],
  ['a remote that is a URL', 'settings.json', { checkpoint_push_remote: 'https://example.com/x.git' }],
  ['a remote that is a path', 'settings.json', { checkpoint_push_remote: '/tmp/x' }],
])('%s is refused, not ignored', (_rule, name, options) => {
  put(name, { strategy_options: options })
  expect(readSettings(root).checkpointRemote).toMatchObject({ kind: 'refused' })
})

test.each([
  [undefined, 'tmp/\nsettings.local.json\nmetadata/\nlogs/\n'],
  ['tmp/', 'tmp/\nsettings.local.json\nmetadata/\nlogs/\n'],
  ['# mine\n/logs/\n', '# mine\n/logs/\ntmp/\nsettings.local.json\nmetadata/\n'],
])('the ignore list is completed, the user’s lines stay: %j', (before, after) => {
  if (before !== undefined) put('.gitignore', before)
  ensureEntireDir(root)
  ensureEntireDir(root)
  expect(text('.gitignore')).toBe(after)
})

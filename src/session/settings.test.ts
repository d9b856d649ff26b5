import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { defaultSettings } from '../model/settings.ts'
import { formatJson, type JsonObject } from '../std/json.ts'
import { ensureEntireDir, isSetUp, readSettings, writeSetting } from './settings.ts'

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

test('without files the defaults hold and nothing is set up', () => {
  expect(readSettings(root)).toEqual(defaultSettings)
  expect(isSetUp(root)).toBe(false)
})

test('either file alone makes a repository set up', () => {
  put('settings.local.json', {})
  expect(isSetUp(root)).toBe(true)
})

test.each([
  ['enabled is on unless said otherwise', {}, {}, { enabled: true }],
  ['the local file wins', { enabled: true, strategy: 'manual-commit' }, { enabled: false }, { enabled: false, strategy: 'manual-commit' }],
  [
    'an empty strategy or level says nothing',
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
  ['only a literal false stops pushing', { strategy_options: { push_sessions: 'false' } }, {}, { pushSessions: true }],
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

test('a local file can add redaction but never take it away', () => {
  put('settings.json', { redaction: { pii: { enabled: true, phone: false, custom_patterns: { TICKET: 'T-[0-9]+' } } } })
  put('settings.local.json', { redaction: { pii: { enabled: false }, rules: [{ label: 'HOST', regex: 'db[0-9]' }, { label: 3 }] } })
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
  ['settings.json', '{"enabled":"yes"}', '"enabled"'],
  ['settings.json', '{"strategy":"shadow"}', '"strategy"'],
])('a file that cannot be understood is named: %s %s', (name, content, message) => {
  put(name, content)
  expect(() => readSettings(root)).toThrow(
    expect.objectContaining({ code: 'bad-settings', message: expect.stringContaining(message), hint: expect.any(String) }),
  )
  expect(() => readSettings(root)).toThrow(name)
})

test('a broken file is not overwritten', () => {
  put('settings.json', '{ broken')
  expect(() => writeSetting(root, 'project', { enabled: false })).toThrow('not a JSON object')
  expect(text('settings.json')).toBe('{ broken')
})

test('writing changes only the given keys, in place', () => {
  put('settings.json', { future: [1], strategy_options: { a: 1, push_sessions: true }, enabled: true })
  writeSetting(root, 'project', { enabled: false, strategy_options: { push_sessions: false }, strategy: 'manual-commit' })
  expect(text('settings.json')).toBe(
    formatJson({ future: [1], strategy_options: { a: 1, push_sessions: false }, enabled: false, strategy: 'manual-commit' }),
  )
  expect(statSync(join(root, '.entire/settings.json')).mode & 0o777).toBe(0o644 & ~process.umask())
})

test('for every file content, writing a key keeps all the others and their order', () => {
  const key = fc.string().filter((name) => !/^\d+$/.test(name) && name !== '__proto__' && name !== 'enabled')
  fc.assert(
    fc.property(fc.dictionary(key, fc.jsonValue()), (content) => {
      put('settings.json', content)
      writeSetting(root, 'project', { enabled: false })
      const written = JSON.parse(text('settings.json')) as JsonObject
      expect(Object.keys(written)).toEqual([...Object.keys(JSON.parse(JSON.stringify(content)) as JsonObject), 'enabled'])
      expect(written).toEqual({ ...(JSON.parse(JSON.stringify(content)) as JsonObject), enabled: false })
    }),
    { numRuns: 50 },
  )
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

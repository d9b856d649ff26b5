import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { claimChatsDir, findChatsDir, geminiResume } from './session-files.ts'

const base = mkdtempSync(join(tmpdir(), 'entire-gemini-chats-'))
afterAll(() => rmSync(base, { recursive: true, force: true }))
let homes = 0

interface Known {
  projects?: Record<string, string>
  owners?: Record<string, string>
}

function home({ projects, owners = {} }: Known): string {
  homes += 1
  const dir = join(base, String(homes))
  mkdirSync(join(dir, '.gemini/tmp'), { recursive: true })
  if (projects) writeFileSync(join(dir, '.gemini/projects.json'), JSON.stringify({ projects }))
  for (const [name, root] of Object.entries(owners)) {
    mkdirSync(join(dir, '.gemini/tmp', name), { recursive: true })
    writeFileSync(join(dir, '.gemini/tmp', name, '.project_root'), root)
  }
  return dir
}

test.each<[string, Known, string]>([
  ['the one that was noted', { projects: { '/w/app': 'app-7' } }, 'app-7'],
  ['one that says whose it is', { projects: {}, owners: { 'app-3': '/w/app' } }, 'app-3'],
  [
    'not one that was noted but is another project’s',
    { projects: { '/w/app': 'app' }, owners: { app: '/x/app' } },
    'app-1',
  ],
  ['a new one, named like the project', { projects: {} }, 'app'],
  [
    'a new one, with a number where the name is taken',
    { projects: { '/x/app': 'app' }, owners: { 'app-1': '/y/app' } },
    'app-2',
  ],
  ['never one outside', { projects: { '/w/app': '../../evil' } }, 'app'],
])('the directory of a project: %s', (_name, known, expected) => {
  const HOME = home(known)
  expect(findChatsDir('/w/app', { HOME })).toBe(join(HOME, '.gemini/tmp', expected, 'chats'))
})

test('older versions named it by a hash of the path', () => {
  const HOME = home({})
  const hash = new Bun.CryptoHasher('sha256').update('/w/app').digest('hex')
  mkdirSync(join(HOME, '.gemini/tmp', hash, 'chats'), { recursive: true })
  expect(findChatsDir('/w/app', { HOME })).toBe(join(HOME, '.gemini/tmp', hash, 'chats'))
})

test('a claimed directory stays with its project when another project has the same name', () => {
  const HOME = home({})
  const dir = findChatsDir('/w/app', { HOME })
  claimChatsDir(dir, '/w/app')
  claimChatsDir(dir, '/x/app')
  expect(readFileSync(join(dir, '../.project_root'), 'utf8')).toBe('/w/app')
  expect(findChatsDir('/x/app', { HOME })).toBe(join(HOME, '.gemini/tmp/app-1/chats'))
})

test('a restored file keeps its name, or gets one in the form that Gemini expects', () => {
  const dir = join(home({}), 'chats')
  const file = (origin: Parameters<typeof geminiResume.sessionFile>[2]) =>
    geminiResume.sessionFile(dir, 'c6e3dc5e-7c40', origin)
  expect(file({ name: 'session-2026-11-15T19-21-c6e3dc5e.jsonl', shape: 'lines' })).toBe(
    join(dir, 'session-2026-11-15T19-21-c6e3dc5e.jsonl'),
  )
  expect(file({ name: '../session-x-c6e3dc5e.jsonl', startedAt: '2026-02-03T04:05:06Z' })).toBe(
    join(dir, 'session-2026-02-03T04-05-c6e3dc5e.jsonl'),
  )
  expect(file({ startedAt: '2026-02-03T04:05:06Z', shape: 'document' })).toBe(
    join(dir, 'session-2026-02-03T04-05-c6e3dc5e.json'),
  )
})

test('two sessions whose ids begin alike are told apart by the content of their files', () => {
  const dir = join(home({}), 'chats')
  mkdirSync(dir)
  const header = (id: string) =>
    `${JSON.stringify({ sessionId: id, projectHash: 'x' })}\n{"id":"1","type":"gemini"}\n`
  writeFileSync(join(dir, 'session-2026-01-01T00-00-c6e3dc5e.jsonl'), header('c6e3dc5e-other'))
  writeFileSync(join(dir, 'session-2026-01-02T00-00-c6e3dc5e.jsonl'), header('c6e3dc5e-mine'))
  expect(geminiResume.sessionFile(dir, 'c6e3dc5e-mine')).toBe(
    join(dir, 'session-2026-01-02T00-00-c6e3dc5e.jsonl'),
  )
})

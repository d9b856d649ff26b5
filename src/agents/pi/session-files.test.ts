import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { piResume } from './index.ts'

const home = mkdtempSync(join(tmpdir(), 'entire-pi-files-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))
const put = (path: string, content: string) => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}
const id = '01a1e0b2-7cac-759b-b11e-c3ad235bf442'
const sessions = join(home, '.pi/agent/sessions')

test.each([
  ['/home/dev/app', '--home-dev-app--'],
  ['/w/My_Proj.v2 x', '--w-My_Proj.v2 x--'],
  ['/w/größe/日本', '--w-größe-日本--'],
  ['C:\\w\\app', '--C--w-app--'],
])('the sessions of %s are in %s', (root, slug) => {
  expect(piResume.sessionDir(root, { HOME: home })).toBe(join(sessions, slug))
})

test('the directory can be set by the user, by the project, for a shell and for a test', () => {
  const root = join(home, 'project')
  const env = { HOME: home }
  put(join(home, '.pi/agent/settings.json'), '{"sessionDir":"~/kept"}')
  expect(piResume.sessionDir(root, env)).toBe(join(home, 'kept'))
  put(join(root, '.pi/settings.json'), '{"sessionDir":".pi/sessions"}')
  expect(piResume.sessionDir(root, env)).toBe(join(root, '.pi/sessions'))
  expect(piResume.sessionDir(root, { ...env, PI_CODING_AGENT_SESSION_DIR: '~/mine' })).toBe(
    join(home, 'mine'),
  )
  expect(piResume.sessionDir(root, { ...env, ENTIRE_TEST_PI_SESSION_DIR: '/test' })).toBe('/test')
  put(join(root, '.pi/settings.json'), 'no json')
  rmSync(join(home, '.pi/agent/settings.json'))
  expect(piResume.sessionDir('/w/app', { ...env, PI_CODING_AGENT_DIR: '~/pi' })).toBe(
    join(home, 'pi/sessions/--w-app--'),
  )
  expect(piResume.sessionDir(root, env)).toBe(join(sessions, `--${root.slice(1).replaceAll('/', '-')}--`))
})

test('the file of a session is found by its id, and a new one is named as Pi would name it', () => {
  const dir = join(sessions, '--found--')
  put(join(dir, `2026-11-15T19-32-36-141Z_${id}.jsonl`), '')
  put(join(dir, 'mine.jsonl'), `{"type":"session","version":3,"id":"by-hand","cwd":"/w"}\n`)
  expect(piResume.sessionFile(dir, id)).toBe(join(dir, `2026-11-15T19-32-36-141Z_${id}.jsonl`))
  expect(piResume.sessionFile(dir, 'by-hand', { name: 'mine.jsonl' })).toBe(join(dir, 'mine.jsonl'))
  expect(
    piResume.sessionFile(dir, 'other', { name: 'mine.jsonl', startedAt: '2026-01-02T03:04:05.6Z' }),
  ).toBe(join(dir, '2026-01-02T03-04-05-600Z_other.jsonl'))
  expect(piResume.sessionFile('/nowhere', 'abc', { name: '2026-05-05T00-00-00-000Z_abc.jsonl' })).toBe(
    '/nowhere/2026-05-05T00-00-00-000Z_abc.jsonl',
  )
  expect(piResume.sessionFile('/nowhere', 'abc', { name: '../up_abc.jsonl' })).toBe(
    '/nowhere/1970-01-01T00-00-00-000Z_abc.jsonl',
  )
  expect(piResume.sessionFile('/nowhere', 'abc')).toBe('/nowhere/1970-01-01T00-00-00-000Z_abc.jsonl')
})

test('a session is continued by its id', () => {
  expect(piResume.command(id)).toBe(`pi --session ${id}`)
  expect(piResume.command('')).toBe('pi --continue')
})

const deliver = async (root: string, text: string) => {
  const path = join(home, 'delivered', 'x.jsonl')
  rmSync(path, { force: true })
  const taken = await piResume.deliver?.({ session: id, path, root, startedAt: '', bytes: Buffer.from(text) })
  return taken ? readFileSync(path, 'utf8') : taken
}

test('a session of another directory continues in this one', async () => {
  const header = {
    type: 'session',
    version: 3,
    id,
    timestamp: '2026-11-15T19:32:36.141Z',
    cwd: '/home/dev/app',
    future: [1],
  }
  const rest = '{"type":"message","id":"a","parentId":null}\n'
  const session = `${JSON.stringify(header)}\n${rest}`
  expect(await deliver('/w/the clone', session)).toBe(
    `${JSON.stringify({ ...header, cwd: '/w/the clone' })}\n${rest}`,
  )
  expect(await deliver('/home/dev/app-2', session)).toContain('"cwd":"/home/dev/app-2"')
  // There already, or in a directory below.
  for (const root of ['/home/dev/app', '/home/dev', '/']) expect(await deliver(root, session)).toBe(false)
  for (const odd of ['', '\n', 'no json\n', '{"type":"message","cwd":"/x"}\n', '{"type":"session"}\n'])
    expect(await deliver('/w', odd)).toBe(false)
})

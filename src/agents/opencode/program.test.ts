import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { installOpencode } from '../../../test/support/opencode-repo.ts'
import { type OpencodeSession, opencodeSessions } from '../../../test/support/opencode-sessions.ts'
import { tempDir } from '../../../test/support/repo.ts'
import { opencodeResume, opencodeSource } from './index.ts'

const id = 'ses_abc'

/** A work tree with an odd name, and an OpenCode with the sessions of a home. */
function place(env: Record<string, string> = {}) {
  const dir = tempDir()
  const root = join(dir.base, 'wörk tree.d')
  mkdirSync(root)
  const bin = join(dir.base, 'bin')
  installOpencode(bin)
  const path = join(root, '.entire/tmp', `${id}.json`)
  const there = {
    root,
    env: {
      ...dir.env,
      PATH: `${bin}${delimiter}${dir.env.PATH}`,
      GIT_DIR: '.git',
      GIT_INDEX_FILE: 'index',
      PWD: '/elsewhere',
      ...env,
    },
  }
  return {
    ...there,
    path,
    sessions: opencodeSessions(dir.env.HOME as string),
    fetch: async () => {
      const fetched = await opencodeSource.fetch(path, there)
      return JSON.parse(('bytes' in fetched ? fetched.bytes : Buffer.alloc(0)).toString('utf8'))
    },
    deliver: (session: OpencodeSession, more: Record<string, string> = {}) =>
      opencodeResume.deliver?.(
        { session: id, path, root, startedAt: '', bytes: Buffer.from(JSON.stringify(session)) },
        { ...there.env, ...more },
      ),
    mirror: () => opencodeResume.mirror?.(id, path, there),
    temporary: () => (existsSync(join(root, '.entire/tmp')) ? readdirSync(join(root, '.entire/tmp')) : []),
    without: () => rmSync(join(bin, 'opencode')),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  }
}

const message = (name: string, ...parts: object[]) => ({ info: { id: name }, parts: parts as never })
const session = (...names: string[]): OpencodeSession => ({
  info: { id },
  messages: names.map((name) => message(name)),
})
const names = (found: OpencodeSession | undefined) => found?.messages.map((each) => each.info.id)

test('a session is exported whole, however long it is', async () => {
  await using here = place()
  const long = { info: { id }, messages: [message('m1', { type: 'text', text: 'x'.repeat(1_000_000) })] }
  here.sessions.put(long)
  expect(await opencodeSource.locate(id, here)).toBe(here.path)
  expect(await here.fetch()).toEqual(long)
  expect(here.temporary()).toEqual([])
})

const failures: [string, Record<string, string>, (here: ReturnType<typeof place>) => void, string][] = [
  ['has no such session', {}, () => {}, 'OpenCode session not found: ses_abc'],
  [
    'fails',
    { OPENCODE_FAILS: 'export' },
    (here) => here.sessions.put(session('m1')),
    'Error: database is locked',
  ],
  ['is not there', {}, (here) => here.without(), 'opencode: not found'],
]

test.each(failures)('the error gives the reason when OpenCode %s', async (_name, env, prepare, reason) => {
  await using here = place(env)
  prepare(here)
  await expect(here.fetch()).rejects.toThrow(reason)
  expect(here.temporary()).toEqual([])
})

test('tests can provide the export as a file', async () => {
  await using here = place({ ENTIRE_TEST_OPENCODE_MOCK_EXPORT: '1' })
  here.without()
  mkdirSync(join(here.root, '.entire/tmp'), { recursive: true })
  writeFileSync(here.path, JSON.stringify(session('m1')))
  expect(await here.fetch()).toEqual(session('m1'))
})

test('a session is delivered to the directory in which it continues', async () => {
  await using here = place()
  expect(await here.deliver(session('m1', 'm2'))).toBe(true)
  expect(here.sessions.find(id)).toEqual({
    info: { id, directory: here.root },
    messages: session('m1', 'm2').messages,
  })
  expect(here.temporary()).toEqual([`${id}.json`])
})

test('missing messages are added, and different ones are replaced', async () => {
  await using here = place()
  here.sessions.put(session('m1', 'm2'))
  await here.mirror()
  expect(await here.deliver(session('m1', 'm2', 'm3'))).toBe(true)
  expect(names(here.sessions.find(id))).toEqual(['m1', 'm2', 'm3'])
  await here.mirror()
  expect(await here.deliver(session('m1', 'm4'))).toBe(true)
  expect(names(here.sessions.find(id))).toEqual(['m1', 'm4'])
})

test('a replaced session keeps its subagents, and their subagents', async () => {
  await using here = place()
  const task = (child: string) => ({
    id: 'p',
    type: 'tool',
    tool: 'task',
    state: { metadata: { sessionId: child } },
  })
  const child = { info: { id: 'ses_child', parentID: id }, messages: [message('c1', task('ses_grandchild'))] }
  const grandchild = { info: { id: 'ses_grandchild', parentID: 'ses_child' }, messages: [message('g1')] }
  here.sessions.put({ info: { id }, messages: [message('m1', task('ses_child')), message('m2')] })
  here.sessions.put(child)
  here.sessions.put(grandchild)
  await here.mirror()
  await here.deliver(session('m1'))
  expect(['ses_child', 'ses_grandchild'].map((each) => names(here.sessions.find(each)))).toEqual([
    ['c1'],
    ['g1'],
  ])
})

test('when OpenCode refuses a session, it keeps its own', async () => {
  await using here = place()
  here.sessions.put(session('m1', 'm2'))
  await here.mirror()
  expect(await here.deliver(session('m1'), { OPENCODE_FAILS: 'session' })).toBe(false)
  expect(names(here.sessions.find(id))).toEqual(['m1', 'm2'])
  // OpenCode has lost its own session as well; the file still has it.
  await expect(here.deliver(session('m1'), { OPENCODE_FAILS: 'import' })).rejects.toMatchObject({
    hint: expect.stringContaining(here.path),
  })
  here.without()
  expect(await here.deliver(session('m3'))).toBe(false)
})

test('the mirror file has the session of OpenCode, and is removed with it', async () => {
  await using here = place()
  here.sessions.put(session('m1'))
  await here.mirror()
  expect(here.temporary()).toEqual([`${id}.json`])
  // The same content in another format stays.
  writeFileSync(here.path, JSON.stringify({ messages: session('m1').messages }))
  await here.mirror()
  expect(JSON.parse(await Bun.file(here.path).text())).toEqual({ messages: session('m1').messages })
  here.sessions.put(session('m1', 'm2'))
  await here.mirror()
  expect(names(JSON.parse(await Bun.file(here.path).text()))).toEqual(['m1', 'm2'])
  here.sessions.remove(id)
  await here.mirror()
  expect(here.temporary()).toEqual([])
})

test('the file of a session with a foreign id is left alone', async () => {
  await using here = place()
  const path = join(here.root, 'x.json')
  writeFileSync(path, 'a foreign session')
  await opencodeResume.mirror?.('c6e3dc5e-7c40-4655-b6db-87627775080b', path, here)
  expect(existsSync(path)).toBe(true)
})

test('a session is resumed by its id', () => {
  expect(opencodeResume.command(id)).toBe(`opencode -s ${id}`)
  expect(opencodeResume.sessionDir('/a b/ü.d', {})).toBe('/a b/ü.d/.entire/tmp')
  expect(opencodeResume.sessionFile('/a b/ü.d/.entire/tmp', id)).toBe('/a b/ü.d/.entire/tmp/ses_abc.json')
})

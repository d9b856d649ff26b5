// Plays complete stories with rewinds.
import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { pointsOf, stepOf } from '../support/rewind-points.ts'

const rewind = async (repo: RecordedRepo, step: string) =>
  expect(await repo.entire(['rewind', '--to', await stepOf(repo, step)])).toMatchObject({ code: 0 })
const isThere = (repo: RecordedRepo, ...paths: string[]) =>
  paths.map((path) => existsSync(join(repo.root, path)))

test('after a rewind every commit holds only the work that was kept', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('make a', { 'a.ts': 'export const a = 1\n' })
  await agent.turn('make b', { 'b.ts': 'export const b = 1\n' })
  await agent.turn('break a', { 'a.ts': 'export const broken = 1\n' })
  await rewind(repo, 'Make b')
  expect([repo.read('a.ts'), repo.read('b.ts')]).toEqual(['export const a = 1\n', 'export const b = 1\n'])
  await repo.commitAs('human', 'a and b')
  const first = await repo.checkpointOf()
  expect(await repo.storedSession(first)).toMatchObject({
    files_touched: ['a.ts', 'b.ts'],
    checkpoints_count: 2,
  })
  expect(await repo.stored(first, '0/prompt.txt')).toBe('make a\n\n---\n\nmake b')
  await agent.turn('make c', { 'c.ts': 'export const c = 1\n' })
  expect((await pointsOf(repo)).map(({ message }) => message)).toEqual(['Make c', 'a and b'])
  await repo.commitAs('human', 'and c')
  const second = await repo.checkpointOf()
  expect(second).not.toBe(first)
  expect(await repo.storedSession(second)).toMatchObject({ files_touched: ['c.ts'] })
  expect(await repo.stored(second, '0/prompt.txt')).toBe('make c')
  expect(await repo.shadows()).toEqual([])
})

test('repeated rewinds go further back', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  for (const number of ['one', 'two', 'three'])
    await agent.turn(number, {
      'shared.txt': `${number}\n`,
      [`${number}/x.txt`]: 'x\n',
      [`${number}/y.txt`]: 'y\n',
    })
  await rewind(repo, 'Two')
  expect([repo.read('shared.txt'), ...isThere(repo, 'one/x.txt', 'two/y.txt', 'three')]).toEqual([
    'two\n',
    true,
    true,
    false,
  ])
  await rewind(repo, 'One')
  expect([repo.read('shared.txt'), ...isThere(repo, 'one/x.txt', 'two', 'three')]).toEqual([
    'one\n',
    true,
    false,
    false,
  ])
  await agent.turn('another two', { 'shared.txt': 'another two\n' })
  expect((await pointsOf(repo)).map(({ message }) => message)).toEqual(['Another two', 'One'])
  await rewind(repo, 'One')
  expect(repo.read('shared.txt')).toBe('one\n')
})

test('untracked files of the user survive the rewinds of several sessions', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  repo.write('before-one.txt', 'the user\n')
  const one = fakeAgent(repo)
  await one.turn('of one', { 'one.txt': 'one\n' })
  repo.write('before-two.txt', 'the user\n')
  const two = fakeAgent(repo)
  await two.turn('of two', { 'two.txt': 'two\n' })
  await one.turn('more of one', { 'more.txt': 'more\n' })
  await rewind(repo, 'Of two')
  expect(isThere(repo, 'before-one.txt', 'one.txt', 'before-two.txt', 'two.txt', 'more.txt')).toEqual([
    true,
    true,
    true,
    true,
    false,
  ])
  await rewind(repo, 'Of one')
  expect(isThere(repo, 'before-one.txt', 'one.txt', 'before-two.txt', 'two.txt')).toEqual([
    true,
    true,
    true,
    false,
  ])
})

test('rewinding a new session keeps the files that existed when it started', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const old = fakeAgent(repo)
  await old.turn('of old', { 'old.txt': 'old\n' })
  await old.end()
  repo.write('config.local', 'made in between\n')
  const fresh = fakeAgent(repo)
  await fresh.turn('of new', { 'new.txt': 'new\n' })
  await fresh.turn('more of new', { 'more.txt': 'more\n' })
  await rewind(repo, 'Of new')
  expect(isThere(repo, 'old.txt', 'config.local', 'new.txt', 'more.txt')).toEqual([true, true, true, false])
})

test('tracked files of the user are never deleted, and files the agent deleted are restored and removed', async () => {
  await using repo = await recordedRepo()
  for (const path of ['kept.txt', 'deleted.txt']) repo.write(path, `${path}\n`)
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.prompt('delete')
  repo.remove('deleted.txt')
  await agent.stop()
  await agent.prompt('bring it back')
  agent.write('deleted.txt', 'deleted.txt\n')
  agent.write('new.txt', 'new\n')
  await agent.stop()
  await rewind(repo, 'Delete')
  expect(isThere(repo, 'kept.txt', 'deleted.txt', 'new.txt')).toEqual([true, false, false])
})

test('after a commit its steps are gone, but its logs can be restored', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('make a', { 'a.ts': 'export const a = 1\n' })
  const step = await stepOf(repo, 'Make a')
  const head = await repo.commitAs('human', 'add a')
  expect((await pointsOf(repo)).map(({ id, is_logs_only }) => [id, is_logs_only])).toEqual([[head, true]])
  expect(await repo.entire(['rewind', '--to', step])).toMatchObject({ code: 1 })
})

test('a transcript that is a single document is restored completely', async () => {
  await using repo = await recordedRepo({ agent: 'gemini' })
  await repo.commit('set up')
  const session = 'f3c0e5aa-0000-4000-8000-000000000001'
  const transcript = join(
    repo.base,
    'home',
    '.gemini',
    'tmp',
    'x',
    'chats',
    `session-${session.slice(0, 8)}.json`,
  )
  mkdirSync(dirname(transcript), { recursive: true })
  const messages: object[] = []
  const turn = async (prompt: string, content: string) => {
    const hook = (verb: string, fields: object = {}) =>
      repo.entire(['hooks', 'gemini', verb], {
        stdin: JSON.stringify({
          session_id: session,
          transcript_path: transcript,
          cwd: repo.root,
          hook_event_name: verb,
          ...fields,
        }),
      })
    messages.push({ id: `u${messages.length}`, type: 'user', content: prompt })
    writeFileSync(transcript, JSON.stringify({ sessionId: session, messages }))
    await hook('before-agent', { prompt })
    repo.write('a.txt', content)
    messages.push({ id: `g${messages.length}`, type: 'gemini', content: 'Done.' })
    writeFileSync(transcript, JSON.stringify({ sessionId: session, messages }))
    await hook('after-agent')
  }
  await turn('one', 'one\n')
  const one = readFileSync(transcript, 'utf8')
  await turn('two', 'two\n')
  const two = readFileSync(transcript, 'utf8')
  await rewind(repo, 'One')
  expect(repo.read('a.txt')).toBe('one\n')
  expect(JSON.parse(readFileSync(transcript, 'utf8'))).toEqual(JSON.parse(one))
  await repo.entire(['rewind', '--undo'])
  expect(readFileSync(transcript, 'utf8')).toBe(two)
})

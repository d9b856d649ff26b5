// Going back to a step and forth again never loses anything that was on disk.
import { expect, test } from 'bun:test'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fakeAgent } from '../support/fake-agent.ts'
import { recordedRepo } from '../support/recorded-repo.ts'

test('a rewind restores the step, keeps what is the user’s, leaves the index alone, and can be undone step by step', async () => {
  await using repo = await recordedRepo()
  repo.write('.gitignore', 'build/\n')
  repo.write('kept.txt', 'never touched\n')
  repo.write('doomed.txt', 'the agent deletes this\n')
  await repo.commit('ground')
  repo.write('before.txt', 'untracked before the session\n')
  const agent = fakeAgent(repo)
  await agent.turn('one', { 'a.txt': 'one\n' })
  await agent.prompt('two')
  agent.write('a.txt', 'two\n')
  agent.write('dir/b.txt', 'new in two\n')
  repo.remove('doomed.txt')
  await agent.stop()
  repo.write('build/out.txt', 'ignored\n')
  repo.write('mine.txt', 'made by the user\n')
  await repo.git('add', 'mine.txt')
  const index = await repo.git('ls-files', '--stage')
  const times = statSync(join(repo.root, 'kept.txt')).mtimeMs
  const points = JSON.parse((await repo.entire(['rewind', '--list'])).out) as { id: string; message: string }[]
  const [two, one] = points
  expect([two?.message, one?.message]).toEqual(['Two', 'One'])

  const dry = await repo.entire(['rewind', '--to', one?.id ?? '', '--dry-run', '--json'])
  expect(JSON.parse(dry.out)).toEqual({ restore: ['a.txt', 'doomed.txt'], remove: ['dir/b.txt'], keep: ['mine.txt'] })
  expect(repo.read('a.txt')).toBe('two\n')

  expect((await repo.entire(['rewind', '--to', one?.id.slice(0, 8) ?? ''])).code).toBe(0)
  expect(repo.read('a.txt')).toBe('one\n')
  expect(repo.read('doomed.txt')).toBe('the agent deletes this\n')
  expect(existsSync(join(repo.root, 'dir'))).toBe(false)
  for (const path of ['build/out.txt', 'mine.txt', 'before.txt', 'kept.txt']) expect(existsSync(join(repo.root, path))).toBe(true)
  expect(await repo.git('ls-files', '--stage')).toBe(index)
  expect(statSync(join(repo.root, 'kept.txt')).mtimeMs).toBe(times)

  expect((await repo.entire(['rewind', '--undo'])).code).toBe(0)
  expect(repo.read('a.txt')).toBe('two\n')
  expect(repo.read('dir/b.txt')).toBe('new in two\n')
  expect(existsSync(join(repo.root, 'doomed.txt'))).toBe(false)
  const again = await repo.entire(['rewind', '--undo'])
  expect(again.code).toBe(1)
  expect(again.err).toContain('There is no rewind to undo.')
})

test('after a rewind the session goes on, and the commit holds what is there', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('good', { 'good.txt': 'good work, really\n' })
  await agent.turn('bad', { 'bad.txt': 'bad work, really\n' })
  const points = JSON.parse((await repo.entire(['rewind', '--list'])).out) as { id: string; message: string }[]
  await repo.entire(['rewind', '--to', points.find((point) => point.message === 'Good')?.id ?? ''])
  expect(repo.state(agent.session).files_touched).toEqual(['good.txt'])
  await repo.commitAs('human', 'good', 'good.txt')
  const [id = ''] = await repo.checkpointsOf()
  expect(JSON.parse(await repo.stored(id, '0/metadata.json')).files_touched).toEqual(['good.txt'])
  expect(await repo.refs('refs/heads/entire/')).toEqual(['entire/checkpoints/v1'])
})

test('a point that does not exist is named, and nothing changes', async () => {
  await using repo = await recordedRepo()
  const missing = await repo.entire(['rewind', '--to', 'abcdef0123'])
  expect(missing.code).toBe(1)
  expect(missing.err).toContain('rewind point not found: abcdef0123')
  expect((await repo.entire(['rewind'])).code).toBe(2)
})

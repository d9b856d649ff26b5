// Rewinding to a step and undoing that never loses anything on disk.
import { expect, test } from 'bun:test'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fakeAgent } from '../support/fake-agent.ts'
import { recordedRepo } from '../support/recorded-repo.ts'
import { pointsOf, stepOf } from '../support/rewind-points.ts'

test('a rewind restores the step, keeps files of the user and the index, and can be undone and redone', async () => {
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
  expect((await pointsOf(repo)).map((point) => point.message)).toEqual(['Two', 'One', 'Before: One'])
  const one = await stepOf(repo, 'One')

  const dry = await repo.entire(['rewind', '--to', one, '--dry-run', '--json'])
  expect(JSON.parse(dry.out)).toEqual({
    id: one,
    dry_run: true,
    restore: ['a.txt', 'doomed.txt'],
    remove: ['dir/b.txt'],
    keep: [{ path: 'mine.txt', reason: 'not-made-by-a-session' }],
    merge: [],
    conflicts: [],
    log: {
      state: 'write',
      session_id: agent.session,
      path: agent.transcript,
      resume_command: `claude -r ${agent.session}`,
    },
    can_undo: false,
  })
  expect(repo.read('a.txt')).toBe('two\n')

  const ran = await repo.entire(['rewind', '--to', one.slice(0, 8)])
  const short = one.slice(0, 7)
  expect(ran.out).toBe(
    `\nRestored files from step ${short}\n\nRewound to ${short}. claude -r ${agent.session}\n`,
  )
  expect(ran.err).toContain('  Deleted: dir/b.txt\n  Restored: a.txt\n  Restored: doomed.txt\n')
  expect(ran.err).toContain(`[entire] Moved ${repo.shadow(await repo.head())} back to step ${short}\n`)
  expect(repo.read('a.txt')).toBe('one\n')
  expect(repo.read('doomed.txt')).toBe('the agent deletes this\n')
  expect(existsSync(join(repo.root, 'dir'))).toBe(false)
  for (const path of ['build/out.txt', 'mine.txt', 'before.txt', 'kept.txt'])
    expect(existsSync(join(repo.root, path))).toBe(true)
  expect(await repo.git('ls-files', '--stage')).toBe(index)
  expect(statSync(join(repo.root, 'kept.txt')).mtimeMs).toBe(times)
  expect((await pointsOf(repo)).map((point) => point.message)).toEqual(['One', 'Before: One'])

  const undone = await repo.entire(['rewind', '--undo'])
  expect(undone.out).toBe('Undone: 3 files changed.\n')
  expect(repo.read('a.txt')).toBe('two\n')
  expect(repo.read('dir/b.txt')).toBe('new in two\n')
  expect(existsSync(join(repo.root, 'doomed.txt'))).toBe(false)
  expect((await pointsOf(repo)).map((point) => point.message)).toEqual(['Two', 'One', 'Before: One'])
  const again = await repo.entire(['rewind', '--undo'])
  expect(again).toMatchObject({
    code: 1,
    err: 'error: There is no rewind to undo.\nhint: `entire rewind --redo` reverses the last undo.\n',
  })

  expect((await repo.entire(['rewind', '--redo'])).code).toBe(0)
  expect(repo.read('a.txt')).toBe('one\n')
  expect(repo.temporary()).toEqual([])
})

test('changes made after a rewind survive its undo', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('one', { 'a.txt': 'one\n' })
  await agent.turn('two', { 'a.txt': 'two\n' })
  await repo.entire(['rewind', '--to', await stepOf(repo, 'One')])
  repo.write('a.txt', 'edited after the rewind\n', 0o600)
  await repo.entire(['rewind', '--undo'])
  expect(repo.read('a.txt')).toBe('two\n')
  await repo.entire(['rewind', '--redo'])
  expect(repo.read('a.txt')).toBe('edited after the rewind\n')
  expect(statSync(join(repo.root, 'a.txt')).mode & 0o777).toBe(0o600)
})

test('several rewinds are undone one by one, even after a new rewind', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  for (const name of ['one', 'two', 'three']) await agent.turn(name, { 'a.txt': `${name}\n` })
  const seen: string[] = []
  const go = async (...args: string[]) => {
    expect(await repo.entire(['rewind', ...args])).toMatchObject({ code: 0 })
    seen.push(repo.read('a.txt').trim())
  }
  await go('--to', await stepOf(repo, 'Two'))
  await go('--to', await stepOf(repo, 'One'))
  await go('--undo')
  await go('--to', await stepOf(repo, 'One'))
  for (const _ of [1, 2, 3]) await go('--undo')
  expect(seen).toEqual(['two', 'one', 'two', 'one', 'two', 'one', 'three'])
  expect((await repo.entire(['rewind', '--undo'])).code).toBe(1)
})

test('a session continues after a rewind, and its commit holds the current files', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('good', { 'good.txt': 'good work, really\n' })
  await agent.turn('bad', { 'bad.txt': 'bad work, really\n' })
  await repo.entire(['rewind', '--to', await stepOf(repo, 'Good')])
  expect(repo.state(agent.session)).toMatchObject({ files_touched: ['good.txt'], checkpoint_count: 1 })
  await repo.commitAs('human', 'good', 'good.txt')
  const [id = ''] = await repo.checkpointsOf()
  expect(JSON.parse(await repo.stored(id, '0/metadata.json')).files_touched).toEqual(['good.txt'])
  expect(await repo.refs('refs/heads/entire/')).toEqual(['entire/checkpoints/v1'])
})

test('after a rewind and its undo the next commit is linked to everything', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('one', { 'one.txt': 'the first work, really\n' })
  await agent.turn('two', { 'two.txt': 'the second work, really\n' })
  const state = repo.state(agent.session)
  await repo.entire(['rewind', '--to', await stepOf(repo, 'One')])
  await repo.entire(['rewind', '--undo'])
  expect(repo.state(agent.session)).toMatchObject({ files_touched: state.files_touched, checkpoint_count: 2 })
  expect(agent.lines().length).toBeGreaterThan(4)
  await repo.commitAs('human', 'both')
  const session = await repo.storedSession(await repo.checkpointOf())
  expect(session).toMatchObject({ files_touched: ['one.txt', 'two.txt'], checkpoints_count: 2 })
  expect(await repo.stored(await repo.checkpointOf(), '0/prompt.txt')).toBe('one\n\n---\n\ntwo')
})

test('while an agent is working its log is not changed, and the rewind is not counted as its work', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('one', { 'a.txt': 'one\n', 'b.txt': 'one\n' })
  await agent.turn('two', { 'a.txt': 'two\n', 'b.txt': 'two\n' })
  await agent.prompt('three')
  agent.write('a.txt', 'three, half done\n')
  const log = agent.lines()
  const ran = await repo.entire(['rewind', '--to', await stepOf(repo, 'One')])
  expect(ran).toMatchObject({
    code: 0,
    err: expect.stringContaining('Note: The session is running: its log was not changed.\n'),
  })
  expect([repo.read('a.txt'), repo.read('b.txt')]).toEqual(['one\n', 'one\n'])
  expect(agent.lines()).toEqual(log)
  agent.write('c.txt', 'made after it\n')
  await agent.stop()
  expect((await pointsOf(repo)).map((point) => point.message)).toEqual(['Three', 'One'])
  await repo.entire(['rewind', '--undo'])
  expect(repo.read('a.txt')).toBe('three, half done\n')
})

test('an unknown point is reported, and nothing changes', async () => {
  await using repo = await recordedRepo()
  const missing = await repo.entire(['rewind', '--to', 'abcdef0123'])
  expect(missing).toMatchObject({
    code: 1,
    err: 'error: rewind point not found: abcdef0123\nhint: `entire rewind --list` shows the points.\n',
  })
  expect((await repo.entire(['rewind', '--to', 'abc'])).err).toContain('Type at least 7 digits.')
  expect(await repo.entire(['rewind'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('entire rewind --list'),
  })
  expect((await repo.entire(['rewind', '--list'])).out).toBe('[]\n')
})

test.each([
  [['--list', '--undo'], '--list and --undo cannot be used together'],
  [['--reset'], '--reset requires --to'],
  [['--to', 'abcdef0', '--reset', '--logs-only'], 'cannot be used together'],
  [['--undo', '--force'], '--force requires --reset'],
  [['--json'], 'Choose one of --list, --to <id>, --undo and --redo.'],
])('conflicting flags are an error with a hint: %p', async (args, message) => {
  await using repo = await recordedRepo()
  const ran = await repo.entire(['rewind', ...args])
  expect(ran.code).toBe(2)
  expect(ran.err).toContain(message)
  expect(ran.err).toContain('\nhint: ')
})

test('a rewind does nothing while recording is disabled, but an undo always works', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('one', { 'a.txt': 'one\n' })
  await agent.turn('two', { 'a.txt': 'two\n' })
  const one = await stepOf(repo, 'One')
  await repo.entire(['rewind', '--to', one])
  await repo.entire(['disable'])
  expect(await repo.entire(['rewind', '--to', one])).toMatchObject({
    code: 0,
    out: 'Entire is disabled. Run `entire enable` to re-enable.\n',
  })
  expect((await repo.entire(['rewind', '--undo'])).code).toBe(0)
  expect(repo.read('a.txt')).toBe('two\n')
})

// With the auto-commit strategy turns are commits: a rewind moves the branch, if nothing is uncommitted.
import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fakeAgent } from '../support/fake-agent.ts'
import { recordedRepo } from '../support/recorded-repo.ts'
import { pointsOf } from '../support/rewind-points.ts'

async function autoCommitted() {
  const repo = await recordedRepo()
  repo.write('.entire/settings.json', JSON.stringify({ enabled: true, strategy: 'auto-commit' }))
  await repo.commit('set up')
  await repo.git('switch', '--quiet', '-c', 'feature')
  const agent = fakeAgent(repo)
  await agent.turn('one', { 'a.txt': 'one\n' })
  const one = await repo.head()
  await agent.turn('two', { 'a.txt': 'two\n', 'b.txt': 'two\n' })
  return { repo, agent, one, two: await repo.head() }
}

test('a turn on a feature branch is a point with files: the branch moves back to it, and an undo moves it forward', async () => {
  const { repo, agent, one, two } = await autoCommitted()
  await using _repo = repo
  expect((await pointsOf(repo)).map(({ id, is_logs_only }) => [id, is_logs_only])).toEqual([
    [two, false],
    [one, false],
  ])
  repo.write('untracked.txt', 'untracked\n')
  const lines = agent.lines()
  const ran = await repo.entire(['rewind', '--to', one])
  expect(ran.out).toBe(`Reset to commit ${one.slice(0, 7)}\nclaude -r ${agent.session}  # one\n`)
  expect([await repo.head(), repo.read('a.txt'), repo.read('untracked.txt')]).toEqual([
    one,
    'one\n',
    'untracked\n',
  ])
  expect(existsSync(join(repo.root, 'b.txt'))).toBe(false)
  expect(agent.lines()).toEqual(lines.slice(0, 3))
  expect((await repo.entire(['rewind', '--undo'])).out).toContain(
    `Moved feature from ${one.slice(0, 7)} to ${two.slice(0, 7)}.`,
  )
  expect([await repo.head(), await repo.git('status', '--porcelain'), agent.lines()]).toEqual([
    two,
    '?? untracked.txt',
    lines,
  ])
})

test('a rewind with uncommitted changes is refused, and shows them', async () => {
  const { repo, one, two } = await autoCommitted()
  await using _repo = repo
  repo.write('a.txt', 'two\nand more\n')
  repo.remove('b.txt')
  repo.write('c.txt', 'c\n')
  await repo.git('add', 'c.txt')
  const ran = await repo.entire(['rewind', '--to', one])
  expect(ran.code).toBe(1)
  expect(ran.err).toBe(
    'error: You have uncommitted changes:\n  modified:  a.txt (+1)\n  deleted:   b.txt (-1)\n  added:     c.txt (+1)\n\nTotal: +2/-1 lines\nhint: Please commit or stash your changes before rewinding.\n',
  )
  expect([await repo.head(), repo.read('a.txt')]).toEqual([two, 'two\nand more\n'])
})

test('a commit on the main branch is a point with logs only', async () => {
  const { repo, one, two } = await autoCommitted()
  await using _repo = repo
  await repo.git('branch', '--force', 'main', one)
  expect((await pointsOf(repo)).map(({ id, is_logs_only }) => [id, is_logs_only])).toEqual([
    [two, false],
    [one, true],
  ])
  const ran = await repo.entire(['rewind', '--to', one])
  expect(ran.out).toContain('Note: Working directory unchanged.')
  expect(await repo.head()).toBe(two)
})

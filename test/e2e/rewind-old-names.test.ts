// Steps of the first versions are on branches whose names do not contain the work tree.
import { expect, test } from 'bun:test'
import { fakeAgent } from '../support/fake-agent.ts'
import { recordedRepo } from '../support/recorded-repo.ts'
import { pointsOf, stepOf } from '../support/rewind-points.ts'

test('old steps are listed and can be rewound to, but not in another work tree', async () => {
  await using repo = await recordedRepo()
  await repo.commit('ground')
  const agent = fakeAgent(repo)
  await agent.turn('one', { 'a.txt': 'one\n' })
  await agent.turn('two', { 'a.txt': 'two\n' })
  const head = await repo.head()
  await repo.git('branch', '--move', repo.shadow(head), `entire/${head.slice(0, 7)}`)
  expect((await pointsOf(repo)).map(({ message }) => message)).toEqual(['Two', 'One'])
  expect((await repo.entire(['explain', '--no-pager'])).out).toContain('[step]')
  expect(await repo.entire(['rewind', '--to', await stepOf(repo, 'One')])).toMatchObject({ code: 0 })
  expect(repo.read('a.txt')).toBe('one\n')
  expect(await repo.entire(['rewind', '--undo'])).toMatchObject({ code: 0 })
  expect(repo.read('a.txt')).toBe('two\n')
  expect(await pointsOf(await repo.addWorktree('other'))).toEqual([])
})

import { expect, test } from 'bun:test'
import { tempRepo } from '../../test/support/repo.ts'
import { readLive, writeLive } from './live-index.ts'
import { prefetchStatus, statusIfStillTrue } from './prefetch-status.ts'

test('a prefetched status counts until another process records something', async () => {
  await using temp = await tempRepo()
  const { repo } = temp
  const first = prefetchStatus(repo, { type: 'turn-end' })
  expect((await statusIfStillTrue(first, repo))?.head).toBe(await temp.head())
  writeLive(repo, readLive(repo))
  expect(statusIfStillTrue(first, repo)).toBeUndefined()
  const second = prefetchStatus(repo, { type: 'turn-start' })
  expect(statusIfStillTrue(second, repo)).toBe(second?.status as NonNullable<typeof second>['status'])
  writeLive(repo, readLive(repo))
  expect(statusIfStillTrue(second, repo)).toBeUndefined()
})

test('a prefetched status of one work tree does not count in another', async () => {
  await using temp = await tempRepo()
  await using other = await tempRepo()
  expect(statusIfStillTrue(prefetchStatus(temp.repo, { type: 'turn-end' }), other.repo)).toBeUndefined()
})

test('events that need no status do not prefetch it', async () => {
  await using temp = await tempRepo()
  for (const type of [
    'session-start',
    'session-end',
    'compaction',
    'subagent-start',
    'subagent-end',
  ] as const)
    expect(prefetchStatus(temp.repo, { type })).toBeUndefined()
})

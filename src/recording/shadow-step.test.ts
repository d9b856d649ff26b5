// Tests which untracked files a step has room for, and who may decide that.
import { expect, test } from 'bun:test'
import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import { tempRepo } from '../../test/support/repo.ts'
import { readSettings } from '../settings/read.ts'
import { findExcluded } from './shadow-step.ts'

const names = ['a', 'b', 'c', 'd', 'e']

test.each([
  ['the default', undefined, {}, ['e']],
  ['a project that raises it', 'settings.json', { max_untracked_mb: 300 }, ['e']],
  ['a project that lowers it', 'settings.json', { max_untracked_mb: 100 }, ['c', 'd', 'e']],
  ['a user who raises it', 'settings.local.json', { max_untracked_mb: 300 }, []],
  ['a user who lowers it', 'settings.local.json', { max_untracked_mb: 50 }, ['b', 'c', 'd', 'e']],
])('%s', async (_, file, settings, left) => {
  await using repo = await tempRepo()
  if (file !== undefined) repo.write(`.entire/${file}`, JSON.stringify(settings))
  expect(await excluded(repo)).toEqual(left)
})

test('a local file that is committed raises nothing', async () => {
  await using repo = await tempRepo()
  repo.write('.entire/settings.local.json', '{"max_untracked_mb": 300}')
  await repo.git('add', '--force', '.entire/settings.local.json')
  expect(await excluded(repo)).toEqual(['e'])
})

test('a file that is stored stays, however small the new ones are', async () => {
  await using repo = await tempRepo()
  expect(await excluded(repo, { stored: ['c', 'd', 'e'], others: ['a', 'b'] })).toEqual(['b'])
})

// Files without content: only their sizes count.
async function excluded(
  repo: Awaited<ReturnType<typeof tempRepo>>,
  paths = { stored: [] as string[], others: names.toReversed() },
): Promise<string[]> {
  for (const name of names) {
    repo.write(name, '')
    truncateSync(join(repo.root, name), 49 * 1024 * 1024)
  }
  const found = await findExcluded({ repo: repo.repo, settings: readSettings(repo.root) }, paths)
  return [...found].sort()
}

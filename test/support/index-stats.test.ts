import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { refreshIndex } from './index-stats.ts'
import { tempRepo } from './repo.ts'
import { copyDirectory } from './template.ts'

test('the index of a copy is the same as after a refresh by git', async () => {
  await using temp = await tempRepo()
  for (const name of ['a', 'dir/1234567', 'dir/12345678', 'dir/ünï', 'z'.repeat(100)]) temp.write(name, name)
  await temp.commit('several lengths of names')
  const root = join(temp.base, 'copy')
  copyDirectory(temp.root, root)
  const index = join(root, '.git', 'index')
  expect(refreshIndex(root, index)).toBe(true)
  const refreshed = readFileSync(index)
  const debug = await temp.git('-C', root, 'ls-files', '--debug')
  await temp.git('-C', root, 'update-index', '-q', '--really-refresh')
  expect(await temp.git('-C', root, 'ls-files', '--debug')).toBe(debug)
  expect(readFileSync(index).equals(refreshed)).toBe(true)
  expect(await temp.git('-C', root, 'diff-files')).toBe('')
})

test('an index of SHA-256 is left to git', async () => {
  await using temp = await tempRepo({ kind: 'sha256' })
  temp.write('a', 'a')
  await temp.commit('one file')
  expect(refreshIndex(temp.root, join(temp.repo.gitDir, 'index'))).toBe(false)
})

import { expect, test } from 'bun:test'
import { tempRepo } from '../../test/support/repo.ts'
import { openObjectReader } from './cat-file.ts'
import { differingPaths } from './tree-diff.ts'

test('finds the differing paths that git finds: contents, modes, files that became directories and back', async () => {
  await using repo = await tempRepo()
  repo.write('same/deep/a', 'a\n')
  repo.write('changed/deep/b', 'b\n')
  repo.write('mode', 'x\n')
  repo.write('gone/c', 'c\n')
  repo.write('file-then-dir', 'd\n')
  repo.write('dir-then-file/e', 'e\n')
  repo.write('skipped/f', 'f\n')
  const before = await repo.commit('before')
  repo.write('changed/deep/b', 'other\n')
  repo.write('mode', 'x\n', 0o755)
  repo.remove('gone')
  repo.remove('file-then-dir')
  repo.write('file-then-dir/inside', 'd\n')
  repo.remove('dir-then-file')
  repo.write('dir-then-file', 'e\n')
  repo.write('new/one two\nthree', 'new\n')
  repo.write('skipped/f', 'other\n')
  const after = await repo.commit('after')
  const tree = (commit: string) => repo.git('rev-parse', `${commit}^{tree}`)
  const [from, to] = [await tree(before), await tree(after)]
  await using objects = openObjectReader(repo.repo)
  const named = (await repo.git('diff-tree', '-r', '-z', '--name-only', '--no-renames', from, to))
    .split('\0')
    .filter((path) => path !== '' && path !== 'skipped/f')
  const skip = (path: string) => path === 'skipped'
  expect((await differingPaths(objects, from, to, skip)).toSorted()).toEqual(named.toSorted())
  expect((await differingPaths(objects, to, from, skip)).toSorted()).toEqual(named.toSorted())
  expect(await differingPaths(objects, to, to, skip)).toEqual([])
})

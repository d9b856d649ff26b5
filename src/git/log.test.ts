import { expect, test } from 'bun:test'
import { tempRepo } from '../../test/support/repo.ts'
import { readBranches, readWorktrees } from './branches.ts'
import { openObjectReader } from './cat-file.ts'
import { readLog } from './log.ts'
import { readTree } from './tree.ts'

test('history is read completely, whatever a message contains', async () => {
  await using repo = await tempRepo()
  repo.write('a', 'a')
  const oid = await repo.commit('subject\n\nbody with \x01 and “quotes”\n\nKey: value')
  const parent = await repo.git('rev-parse', 'HEAD~1')
  const log = await readLog(repo.repo, ['-5', 'HEAD'])
  expect(log[0]).toMatchObject({
    oid,
    parents: [parent],
    subject: 'subject',
    message: 'subject\n\nbody with \x01 and “quotes”\n\nKey: value\n',
  })
  expect(log.at(-1)?.parents).toEqual([])
  expect(await readLog(repo.repo, ['-1', 'no-such-branch'])).toEqual([])
})

test.each(['plain', 'sha256'] as const)('a tree is read with names that are not UTF-8 (%s)', async (kind) => {
  await using repo = await tempRepo({ kind })
  repo.write('dir/a b', 'x')
  repo.write('caf\udce9', 'x')
  await repo.commit('files')
  await using objects = openObjectReader(repo.repo)
  const entries = await readTree(objects, 'HEAD^{tree}')
  expect(entries.map(({ name, isTree }) => [name, isTree])).toContainEqual(['caf\udce9', false])
  const dir = entries.find(({ name }) => name === 'dir')!
  expect(dir).toMatchObject({ isTree: true, oid: await repo.git('rev-parse', 'HEAD:dir') })
  expect((await readTree(objects, dir.oid)).map(({ name }) => name)).toEqual(['a b'])
  expect(await readTree(objects, 'HEAD:dir/a b')).toEqual([])
})

test('the default branch is origin’s, then main; the current one is known before its first commit', async () => {
  await using repo = await tempRepo()
  await repo.git('switch', '-q', '--orphan', 'fresh')
  expect(await readBranches(repo.repo)).toEqual({ current: 'fresh', default: 'refs/heads/main', refs: [] })
  await repo.git('update-ref', 'refs/remotes/origin/trunk', 'main')
  await repo.git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/trunk')
  await repo.git('switch', '-q', '--detach', 'main')
  expect(await readBranches(repo.repo, 'refs/remotes/')).toEqual({
    current: undefined,
    default: 'refs/remotes/origin/trunk',
    refs: [{ ref: 'refs/remotes/origin/trunk', oid: await repo.head() }],
  })
})

test('work trees are listed with their branches', async () => {
  await using repo = await tempRepo()
  await repo.git('worktree', 'add', '-q', '-b', 'side', `${repo.base}/a side\ntree`)
  expect(await readWorktrees(repo.repo)).toEqual(
    new Map([
      [repo.root, 'main'],
      [`${repo.base}/a side\ntree`, 'side'],
    ]),
  )
})

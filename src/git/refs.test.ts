import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { tempRepo } from '../../test/support/repo.ts'
import { listRefs, moveRefs, openRefTransaction } from './refs.ts'
import type { Repo } from './repo.ts'

const side = 'refs/heads/entire/side'

test.each(['plain', 'sha256', 'linked-worktree'] as const)(
  '%s: created, moved and deleted only from where it was seen',
  async (kind) => {
    await using temp = await tempRepo({ kind })
    const first = await temp.head()
    temp.write('a', '')
    const second = await temp.commit('second')
    const moved = { code: 'ref-moved', hint: expect.any(String) }
    await moveRefs(temp.repo, [{ ref: side, from: undefined, to: first }])
    await expect(moveRefs(temp.repo, [{ ref: side, from: undefined, to: second }])).rejects.toMatchObject(
      moved,
    )
    await moveRefs(temp.repo, [{ ref: side, from: first, to: second }])
    await expect(moveRefs(temp.repo, [{ ref: side, from: first, to: second }])).rejects.toMatchObject(moved)
    expect(await listRefs(temp.repo, 'refs/heads/entire/')).toEqual([{ ref: side, oid: second }])
    await expect(moveRefs(temp.repo, [{ ref: side, from: first, to: undefined }])).rejects.toMatchObject(
      moved,
    )
    await expect(moveRefs(temp.repo, [{ ref: side, from: undefined, to: undefined }])).rejects.toMatchObject(
      moved,
    )
    await moveRefs(temp.repo, [{ ref: side, from: second, to: undefined }])
    await expect(moveRefs(temp.repo, [{ ref: side, from: second, to: undefined }])).rejects.toMatchObject(
      moved,
    )
    expect(await listRefs(temp.repo, 'refs/heads/entire/')).toEqual([])
  },
)

test('all move or none', async () => {
  await using temp = await tempRepo()
  const head = await temp.head()
  const moves = ['a', 'b', 'main'].map((name) => ({ ref: `refs/heads/${name}`, from: undefined, to: head }))
  await expect(moveRefs(temp.repo, moves)).rejects.toMatchObject({ code: 'ref-moved' })
  expect(await listRefs(temp.repo, 'refs/heads/')).toEqual([{ ref: 'refs/heads/main', oid: head }])
  await moveRefs(temp.repo, [])
})

test('packed refs are deleted too', async () => {
  await using temp = await tempRepo()
  const head = await temp.head()
  await moveRefs(temp.repo, [{ ref: side, from: undefined, to: head }])
  await temp.git('pack-refs', '--all')
  await moveRefs(temp.repo, [{ ref: side, from: head, to: undefined }])
  expect(await listRefs(temp.repo, side)).toEqual([])
})

test.each([
  ['a ref name that cannot be', 'refs/heads/a..b', undefined],
  ['an object that is not there', side, '1'.repeat(40)],
])('%s is a failure, not a race', async (_, ref, oid) => {
  await using temp = await tempRepo()
  await expect(
    moveRefs(temp.repo, [{ ref, from: undefined, to: oid ?? (await temp.head()) }]),
  ).rejects.toMatchObject({
    code: 'git-failed',
  })
})

test('prepared refs move at the commit and not before; disposed of, they leave no lock behind', async () => {
  await using temp = await tempRepo()
  const head = await temp.head()
  const move = { ref: side, from: undefined, to: head }
  {
    using given = openRefTransaction(temp.repo)
    given.prepare([move])
    expect(await listRefs(temp.repo, side)).toEqual([])
  }
  const locks = () => locksIn(temp.repo)
  for (let waited = 0; locks().length > 0 && waited < 200; waited += 1) await Bun.sleep(10)
  expect(locks()).toEqual([])
  using refs = openRefTransaction(temp.repo)
  refs.prepare([move])
  await refs.commit()
  expect(await listRefs(temp.repo, side)).toEqual([{ ref: side, oid: head }])
  await refs.commit()
})

const locksIn = (repo: Repo) =>
  readdirSync(repo.gitDir, { recursive: true }).filter((name) => String(name).endsWith('.lock'))

test('with reftable, where one lock covers all refs, nothing is locked before the commit', async () => {
  await using temp = await tempRepo()
  // Git looks at its configuration; the program, which saves that process, at the directory.
  mkdirSync(join(temp.repo.commonDir, 'reftable'))
  const head = await temp.head()
  using refs = openRefTransaction(temp.repo)
  refs.prepare([{ ref: side, from: undefined, to: head }])
  await Bun.sleep(100)
  expect(locksIn(temp.repo)).toEqual([])
  await refs.commit()
  expect(await listRefs(temp.repo, side)).toEqual([{ ref: side, oid: head }])
})

test('a ref that moved after it was seen is noticed by prepare and reported by commit', async () => {
  await using temp = await tempRepo()
  const head = await temp.head()
  using refs = openRefTransaction(temp.repo)
  refs.prepare([{ ref: 'refs/heads/main', from: '1'.repeat(40), to: undefined }])
  await expect(refs.commit()).rejects.toMatchObject({ code: 'ref-moved' })
  expect(await temp.head()).toBe(head)
})

import { expect, test } from 'bun:test'
import { tempRepo } from '../../test/support/repo.ts'
import { listRefs, moveRefs } from './refs.ts'

const side = 'refs/heads/entire/side'

test.each(['plain', 'sha256', 'linked-worktree'] as const)('%s: created, moved and deleted only from where it was seen', async (kind) => {
  await using temp = await tempRepo({ kind })
  const first = await temp.head()
  temp.write('a', '')
  const second = await temp.commit('second')
  const moved = { code: 'ref-moved', hint: expect.any(String) }
  await moveRefs(temp.repo, [{ ref: side, from: undefined, to: first }])
  await expect(moveRefs(temp.repo, [{ ref: side, from: undefined, to: second }])).rejects.toMatchObject(moved)
  await moveRefs(temp.repo, [{ ref: side, from: first, to: second }])
  await expect(moveRefs(temp.repo, [{ ref: side, from: first, to: second }])).rejects.toMatchObject(moved)
  expect(await listRefs(temp.repo, 'refs/heads/entire/')).toEqual([{ ref: side, oid: second }])
  await expect(moveRefs(temp.repo, [{ ref: side, from: first, to: undefined }])).rejects.toMatchObject(moved)
  await expect(moveRefs(temp.repo, [{ ref: side, from: undefined, to: undefined }])).rejects.toMatchObject(moved)
  await moveRefs(temp.repo, [{ ref: side, from: second, to: undefined }])
  await expect(moveRefs(temp.repo, [{ ref: side, from: second, to: undefined }])).rejects.toMatchObject(moved)
  expect(await listRefs(temp.repo, 'refs/heads/entire/')).toEqual([])
})

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
  await expect(moveRefs(temp.repo, [{ ref, from: undefined, to: oid ?? (await temp.head()) }])).rejects.toMatchObject({
    code: 'git-failed',
  })
})

// Merging packs loses nothing, and touches nothing that is not a plain small pack.
import { expect, test } from 'bun:test'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TempRepo, tempRepo } from '../../test/support/repo.ts'
import { mergePacksCommand } from './merge-packs.ts'

const packDir = (repo: TempRepo) => join(repo.repo.commonDir, 'objects', 'pack')
const packs = (repo: TempRepo) => readdirSync(packDir(repo)).filter((name) => name.endsWith('.pack'))

async function addPacks(repo: TempRepo, sizes: number[]): Promise<string[]> {
  const before = new Set(packs(repo))
  const blobs = sizes.map(
    (size, index) =>
      `${index} of ${sizes.length}: ${crypto.getRandomValues(Buffer.alloc(size)).toString('hex')}`,
  )
  for (const text of blobs)
    await repo.run(['git', '-c', 'fastimport.unpackLimit=0', 'fast-import', '--quiet'], {
      stdin: `blob\ndata ${text.length}\n${text}\n`,
    })
  return packs(repo).filter((name) => !before.has(name))
}

const merge = async (repo: TempRepo) => expect((await repo.run(mergePacksCommand(repo.repo))).code).toBe(0)

test.each(['plain', 'sha256', 'linked-worktree'] as const)(
  'small packs become one, and every object stays: %s',
  async (kind) => {
    await using repo = await tempRepo({ kind })
    await addPacks(
      repo,
      Array.from({ length: 12 }, () => 100),
    )
    const objects = await repo.git('cat-file', '--batch-all-objects', '--batch-check')
    const loose = await repo.git('count-objects')
    await merge(repo)
    expect(packs(repo)).toHaveLength(1)
    expect(await repo.git('cat-file', '--batch-all-objects', '--batch-check')).toBe(objects)
    // The user's loose objects, and their directories, are as they were.
    expect(await repo.git('count-objects')).toBe(loose)
    expect(await repo.git('fsck', '--no-dangling', '--no-progress')).toBe('')
    await merge(repo)
    expect(packs(repo)).toHaveLength(1)
  },
)

test('a large pack is left alone until the small ones have grown', async () => {
  await using repo = await tempRepo()
  const [large] = await addPacks(repo, [200_000])
  // A pack that is much smaller than the others does not prevent merging.
  await addPacks(repo, [1, 1_000, 1_000, 1_000])
  await merge(repo)
  expect(packs(repo)).toHaveLength(2)
  expect(packs(repo)).toContain(large as string)
})

test.each(['keep', 'promisor', 'bitmap', 'mtimes'])('a pack with a .%s file is left alone', async (mark) => {
  await using repo = await tempRepo()
  const [marked = ''] = await addPacks(repo, [50])
  writeFileSync(join(packDir(repo), marked.replace('.pack', `.${mark}`)), '')
  await addPacks(repo, [100, 100])
  await merge(repo)
  expect(packs(repo)).toHaveLength(2)
  expect(existsSync(join(packDir(repo), marked))).toBe(true)
})

test('a repository with a multi-pack index is left alone', async () => {
  await using repo = await tempRepo()
  await addPacks(repo, [100, 100, 100])
  await repo.git('multi-pack-index', 'write')
  await merge(repo)
  expect(packs(repo)).toHaveLength(3)
})

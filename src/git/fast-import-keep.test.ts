import { expect, test } from 'bun:test'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TempRepo, tempRepo } from '../../test/support/repo.ts'
import { startFastImport } from './fast-import.ts'

const ref = 'refs/heads/entire/side'

async function save(repo: TempRepo): Promise<void> {
  const writes = startFastImport(repo.repo)
  const changes = [{ path: 'a', mode: '100644' as const, content: Buffer.from('content\n') }]
  writes.commit({
    ref,
    parent: undefined,
    message: 'step\n',
    author: { name: 'a', email: 'a@b' },
    seconds: 1_700_000_000,
    changes,
  })
  await writes.finish()
}

test('a save whose pack a killed import had begun fails once and then succeeds', async () => {
  await using repo = await tempRepo()
  const dir = join(repo.repo.commonDir, 'objects', 'pack')
  await save(repo)
  const name = readdirSync(dir)
    .find((entry) => entry.endsWith('.pack'))
    ?.slice(0, -'.pack'.length)
  // As kill -9 leaves it: the .keep file, but no pack and no ref.
  await repo.git('update-ref', '-d', ref)
  for (const entry of readdirSync(dir)) rmSync(join(dir, entry), { force: true })
  writeFileSync(join(dir, `${name}.keep`), 'fast-import')
  writeFileSync(join(dir, 'pack-mine.keep'), 'because I say so')
  await expect(save(repo)).rejects.toMatchObject({ code: 'ref-moved' })
  await save(repo)
  expect(await repo.git('log', '-1', '--format=%s', ref)).toBe('step')
  expect(readdirSync(dir).filter((entry) => entry.endsWith('.keep'))).toEqual(['pack-mine.keep'])
})

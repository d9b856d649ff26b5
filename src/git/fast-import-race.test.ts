import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { tempRepo } from '../../test/support/repo.ts'
import { EntireError } from '../std/errors.ts'
import { startFastImport } from './fast-import.ts'
import type { Oid } from './oid.ts'
import { listRefs } from './refs.ts'
import type { Repo } from './repo.ts'

const ref = 'refs/heads/entire/1234567-e3b0c4'

async function save(repo: Repo, parent: Oid | undefined, name: string, pause = 0): Promise<Oid> {
  const writes = startFastImport(repo)
  const author = { name: 'Ada', email: 'ada@example.com' }
  const mark = writes.commit({
    ref,
    parent,
    message: name,
    author,
    seconds: 1,
    changes: [{ path: name, mode: '100644', content: Buffer.from(name) }],
  })
  const oid = await writes.oidOf(mark)
  await Bun.sleep(pause)
  await writes.finish()
  return oid
}

const filesOf = async (git: (...args: string[]) => Promise<string>) =>
  (await git('ls-tree', '-r', '--name-only', ref)).split('\n')

// Many more than there are writers: each time, one of them succeeds.
const mostTries = 100

// What every caller does: read, write, and on `ref-moved` read again.
async function addFile(repo: Repo, name: string, [first = 0, second = 0]: number[] = []): Promise<void> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const parent = (await listRefs(repo, ref))[0]?.oid
    await Bun.sleep(first)
    try {
      await save(repo, parent, name, second)
      return
    } catch (error) {
      if (!(error instanceof EntireError && error.code === 'ref-moved')) throw error
    }
  }
  throw new Error(`${name} was not added: ${ref} moved during each of ${mostTries} tries`)
}

test.each([true, false])(
  'of two writers that saw the same (ref existing: %p), one fails and its retry keeps both',
  async (existing) => {
    await using temp = await tempRepo()
    const parent = existing ? await save(temp.repo, undefined, 'base') : undefined
    await save(temp.repo, parent, 'theirs')
    await expect(save(temp.repo, parent, 'ours')).rejects.toMatchObject({
      code: 'ref-moved',
      hint: expect.any(String),
    })
    await addFile(temp.repo, 'ours')
    expect(await filesOf(temp.git)).toEqual([...(existing ? ['base'] : []), 'ours', 'theirs'])
  },
)

test('however writers interleave, nothing is lost', async () => {
  const writer = fc.array(fc.integer({ min: 0, max: 8 }), { minLength: 2, maxLength: 2 })
  await fc.assert(
    fc.asyncProperty(fc.array(writer, { minLength: 2, maxLength: 4 }), async (writers) => {
      await using temp = await tempRepo({ kind: 'unborn' })
      await Promise.all(writers.map((pauses, at) => addFile(temp.repo, `file-${at}`, pauses)))
      expect(await filesOf(temp.git)).toEqual(writers.map((_, at) => `file-${at}`))
      expect(await temp.git('rev-list', '--count', ref)).toBe(String(writers.length))
    }),
    { numRuns: 6 },
  )
}, 30_000)

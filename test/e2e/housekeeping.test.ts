// Recording leaves many small objects behind; the user's own `git gc --auto` must never have to clean up after us.
import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fakeAgent } from '../support/fake-agent.ts'
import { recordedRepo } from '../support/recorded-repo.ts'

// Git begins to collect at about 27 files in this directory.
function looseIn17(root: string): number {
  try {
    return readdirSync(join(root, '.git/objects/17')).length
  } catch {
    return 0
  }
}

const packs = (root: string) => readdirSync(join(root, '.git/objects/pack')).filter((name) => name.endsWith('.pack')).length

test('packs of many turns grow together in the background before git would do it in the user’s way', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  // Each turn leaves a small pack; git begins to collect at fifty.
  for (let turn = 0; turn < 30; turn += 1) {
    const text = `turn ${turn}`
    await repo.run(['git', '-c', 'fastimport.unpackLimit=0', 'fast-import', '--quiet'], { stdin: `blob\ndata ${text.length}\n${text}\n` })
  }
  expect(packs(repo.root)).toBeGreaterThan(20)
  await agent.turn('write', { 'a.txt': 'a\n' })
  for (let waited = 0; waited < 500 && packs(repo.root) > 20; waited += 1) await Bun.sleep(20)
  expect(packs(repo.root)).toBeLessThan(20)
  await agent.turn('again', { 'b.txt': 'b\n' })
  expect(await repo.git('fsck', '--no-dangling')).toBe('')
  expect(await repo.git('log', '-1', '--format=%s', (await repo.refs('refs/heads/entire/*-*'))[0] ?? '')).toBe('Again')
})

test('objects of many turns are packed in the background before git would do it in the user’s way', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  // As many objects as hundreds of turns leave.
  const blobs = Array.from({ length: 4_000 }, (_, index) => `blob\ndata ${String(index).length}\n${index}\n`).join('')
  await repo.run(['git', '-c', 'fastimport.unpackLimit=100000', 'fast-import', '--quiet'], { stdin: blobs })
  const before = looseIn17(repo.root)
  expect(before).toBeGreaterThan(6)
  await agent.turn('write', { 'a.txt': 'a\n' })
  const loose = async () => Number.parseInt(await repo.git('count-objects'), 10)
  for (let waited = 0; waited < 500 && (await loose()) > 200; waited += 1) await Bun.sleep(50)
  expect(await loose()).toBeLessThan(200)
  expect(looseIn17(repo.root)).toBeLessThan(6)
  expect(await repo.git('fsck', '--no-dangling')).toBe('')
  expect(await repo.git('log', '-1', '--format=%s', (await repo.refs('refs/heads/entire/*-*'))[0] ?? '')).toBe('Write')
})

// Tests housekeeping: recording leaves many small packs, which must never trigger the user's `git gc --auto`.
import { expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'

const packs = (root: string) =>
  readdirSync(join(root, '.git/objects/pack')).filter((name) => name.endsWith('.pack')).length

test('packs of many turns are merged in the background, before git would do it in the foreground', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  // Each turn leaves a small pack; git begins to collect at fifty.
  for (let turn = 0; turn < 30; turn += 1) {
    const text = `turn ${turn}`
    await repo.run(['git', '-c', 'fastimport.unpackLimit=0', 'fast-import', '--quiet'], {
      stdin: `blob\ndata ${text.length}\n${text}\n`,
    })
  }
  expect(packs(repo.root)).toBeGreaterThan(20)
  await agent.turn('write', { 'a.txt': 'a\n' })
  for (let waited = 0; waited < 500 && packs(repo.root) >= 20; waited += 1) await Bun.sleep(20)
  expect(packs(repo.root)).toBeLessThan(20)
  await agent.turn('again', { 'b.txt': 'b\n' })
  expect(await repo.git('fsck', '--no-dangling')).toBe('')
  expect(
    await repo.git('log', '-1', '--format=%s', (await repo.refs('refs/heads/entire/*-*'))[0] ?? ''),
  ).toBe('Again')
})

const day = 86_400_000
const dueFile = (root: string) => join(root, '.git/entire-kept.json')
const kept = async (repo: RecordedRepo) => [
  ...(await repo.refs('refs/entire/trash')),
  ...(await repo.refs('refs/entire/undo')),
]

test('refs kept for a month are removed at the end of a turn, and no younger ones', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('one', { 'a.txt': 'one\n' })
  const [step] = JSON.parse((await repo.entire(['rewind', '--list'])).out)
  await agent.turn('two', { 'a.txt': 'two\n' })
  expect((await repo.entire(['rewind', '--to', step.id])).code).toBe(0)
  const [undo = ''] = await kept(repo)
  expect(undo).toMatch(/^entire\/undo\/[0-9a-f]{6}-\d{13}-[0-9a-f]{6}$/)
  const since = Number(/-(\d{13})-/.exec(undo)?.[1])
  expect(Number(readFileSync(dueFile(repo.root), 'utf8'))).toBe(since + 30 * day)

  const [old, young] = [Date.now() - 31 * day, Date.now() - 29 * day]
  const prefixes = ['entire/trash/', undo.slice(0, undo.indexOf('-') + 1)]
  for (const prefix of prefixes)
    for (const time of [old, young]) await repo.git('update-ref', `refs/${prefix}${time}-abcdef`, 'HEAD')
  // Nothing is checked before it is due.
  await agent.turn('three', { 'b.txt': 'three\n' })
  expect(await kept(repo)).toHaveLength(5)
  writeFileSync(dueFile(repo.root), String(old + 30 * day))
  await agent.turn('four', { 'b.txt': 'four\n' })
  expect(await kept(repo)).toEqual([`${prefixes[0]}${young}-abcdef`, `${prefixes[1]}${young}-abcdef`, undo])
  expect(Number(readFileSync(dueFile(repo.root), 'utf8'))).toBe(young + 30 * day)
  expect((await repo.entire(['rewind', '--undo'])).code).toBe(0)
  expect(readFileSync(join(repo.root, 'a.txt'), 'utf8')).toBe('two\n')
})

test('removed steps stay reachable for a day or two: one ref per day, which no branch list shows', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  const removed = () => repo.refs('refs/entire/removed')
  const tips: string[] = []
  for (const text of ['one\n', 'two\n', 'three\n']) {
    await agent.turn('work', { 'a.txt': text })
    tips.push(await repo.git('rev-parse', repo.shadow(await repo.head())))
    await repo.commitAs('human', 'work')
  }
  const [today = '', ...others] = await removed()
  expect(others).toEqual([])
  for (const tip of tips) await repo.git('merge-base', '--is-ancestor', tip, today)
  expect(await repo.git('branch', '--all', '--format=%(refname)')).not.toContain('removed')
  expect(await repo.paths(today)).toEqual([])
  const since = Number(/(\d{13})-[0-9a-f]{6}$/.exec(today)?.[1])
  expect(Number(readFileSync(dueFile(repo.root), 'utf8'))).toBe(since + 2 * day)

  await repo.git('update-ref', `refs/entire/removed/${since - 2 * day - 1}-abcdef`, 'HEAD')
  writeFileSync(dueFile(repo.root), String(since - 1))
  await agent.end()
  expect(await removed()).toEqual([today])
  expect(Number(readFileSync(dueFile(repo.root), 'utf8'))).toBe(since + 2 * day)
})

test('without kept refs their file is removed, and a broken file is repaired', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('one', { 'a.txt': 'one\n' })
  expect(existsSync(dueFile(repo.root))).toBe(false)
  await repo.git(
    'update-ref',
    `refs/entire/trash/${Date.now() - 40 * day}-abcdef`,
    repo.shadow(await repo.head()),
  )
  writeFileSync(dueFile(repo.root), 'garbage')
  await agent.end()
  expect(await kept(repo)).toEqual([])
  expect(existsSync(dueFile(repo.root))).toBe(false)
})

test('safety steps are found by their refs when the file that lists them is lost', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('one', { 'a.txt': 'one\n' })
  const [step] = JSON.parse((await repo.entire(['rewind', '--list'])).out)
  for (const text of ['two\n', 'three\n']) {
    repo.write('a.txt', text)
    await repo.entire(['rewind', '--to', step.id, '--everything'])
  }
  writeFileSync(join(repo.root, '.git/entire-undo.json'), '')
  for (const text of ['three\n', 'two\n']) {
    expect((await repo.entire(['rewind', '--undo'])).code).toBe(0)
    expect(readFileSync(join(repo.root, 'a.txt'), 'utf8')).toBe(text)
  }
})

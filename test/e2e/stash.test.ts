// Stashes work of sessions: whenever it is restored and committed, the commit is linked.
import { expect, test } from 'bun:test'
import { fakeAgent } from '../support/fake-agent.ts'
import { recordedRepo } from '../support/recorded-repo.ts'

const body = (name: string) => `export function ${name}() {\n  return '${name}'\n}\n`

test('files stashed after a partial commit are linked when they are restored after another turn and another commit', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('write a, b and c', { 'a.ts': body('a'), 'b.ts': body('b'), 'c.ts': body('c') })
  await repo.commitAs('human', 'a', 'a.ts')
  const first = await repo.checkpointOf()
  await repo.git('stash', '--quiet', '--include-untracked')
  await agent.turn('write d', { 'd.ts': body('d') })
  await repo.commitAs('human', 'd', 'd.ts')
  const second = await repo.checkpointOf()
  expect(repo.state(agent.session).files_touched).toEqual(['b.ts', 'c.ts'])
  await repo.git('stash', 'pop', '--quiet')
  await repo.commitAs('human', 'b and c', 'b.ts', 'c.ts')
  const third = await repo.checkpointOf()
  expect(new Set([first, second, third]).size).toBe(3)
  expect((await repo.storedSession(third)).files_touched).toEqual(['b.ts', 'c.ts'])
  expect(repo.state(agent.session).files_touched).toBeUndefined()
  expect(await repo.shadows()).toEqual([])
})

test('files stashed during a turn and restored before the commit are linked with everything else', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('write a and b', { 'a.ts': body('a'), 'b.ts': body('b') })
  await repo.commitAs('human', 'a', 'a.ts')
  await repo.git('stash', '--quiet', '--include-untracked')
  await agent.turn('write c', { 'c.ts': body('c') })
  await repo.git('stash', 'pop', '--quiet')
  await repo.commitAs('human', 'the rest', 'b.ts', 'c.ts')
  expect((await repo.storedSession(await repo.checkpointOf())).files_touched).toEqual(['b.ts', 'c.ts'])
  expect(repo.state(agent.session).files_touched).toBeUndefined()
})

test('files stashed while other work continues are linked when they are committed alone', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('write a and edit the readme', { 'a.ts': body('a'), 'README.md': '# test\n\nMore.\n' })
  await repo.git('stash', '--quiet', '--include-untracked')
  await agent.turn('write b', { 'b.ts': body('b') })
  await repo.git('stash', 'pop', '--quiet')
  await repo.commitAs('human', 'a', 'a.ts')
  expect((await repo.storedSession(await repo.checkpointOf())).files_touched).toContain('a.ts')
  await repo.commitAs('human', 'readme and b', 'README.md', 'b.ts')
  await repo.checkpointOf()
  expect(repo.state(agent.session).files_touched).toBeUndefined()
})

test('files that were stashed when another file was committed are linked when they are restored', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('write a and b', { 'a.ts': body('a'), 'b.ts': body('b') })
  await repo.git('stash', 'push', '--quiet', '--include-untracked', '--', 'b.ts')
  await repo.commitAs('human', 'a', 'a.ts')
  expect(repo.state(agent.session).files_touched).toEqual(['b.ts'])
  await repo.git('stash', 'pop', '--quiet')
  await repo.commitAs('human', 'b', 'b.ts')
  expect((await repo.storedSession(await repo.checkpointOf())).files_touched).toEqual(['b.ts'])
})

test('a file that the agent wrote and deleted again leaves nothing to wait for', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('write a and a scratch file', { 'a.ts': body('a'), 'scratch.ts': body('scratch') })
  await agent.prompt('drop the scratch file')
  repo.remove('scratch.ts')
  agent.say('Dropped.')
  await agent.stop()
  expect(await repo.paths((await repo.shadows())[0] as string)).not.toContain('scratch.ts')
  await repo.commitAs('human', 'a', 'a.ts')
  expect(repo.state(agent.session).files_touched).toBeUndefined()
  expect(await repo.shadows()).toEqual([])
})

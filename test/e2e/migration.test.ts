// Moves HEAD under a session by rebase, amend and checkout: its steps follow, with its next step at the
// latest.
import { expect, test } from 'bun:test'
import { fakeAgent } from '../support/fake-agent.ts'
import { recordedRepo } from '../support/recorded-repo.ts'

const line = (name: string) => `export const ${name} = '${name}'\n`

test('a rebase takes the steps of a session along', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  await repo.git('checkout', '--quiet', '-b', 'feature')
  repo.write('mine.ts', 'mine\n')
  const before = await repo.commit('mine', 'mine.ts')
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': line('a') })
  await repo.git('checkout', '--quiet', 'main')
  repo.write('main.ts', 'main\n')
  await repo.commit('main moves', 'main.ts')
  await repo.git('checkout', '--quiet', 'feature')
  await repo.gitAs('human', ['rebase', '--quiet', 'main'])
  const after = await repo.head()
  expect(repo.state(agent.session)).toMatchObject({
    base_commit: after,
    attribution_base_commit: before,
    checkpoint_count: 1,
  })
  expect(await repo.shadows()).toEqual([repo.shadow(after)])

  await agent.turn('write b', { 'b.ts': line('b') })
  expect(await repo.subjects(repo.shadow(after))).toEqual(['Write b', 'Write a'])
  expect(await repo.paths(repo.shadow(after))).toEqual(
    expect.arrayContaining(['a.ts', 'b.ts', 'main.ts', 'mine.ts']),
  )
  await repo.commitAs('human', 'a and b', 'a.ts', 'b.ts')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({
    checkpoints_count: 2,
    files_touched: ['a.ts', 'b.ts'],
  })
})

test('a linked commit keeps its checkpoint through a rebase, and the session continues from the rewritten commit', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  await repo.git('checkout', '--quiet', '-b', 'feature')
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': line('a') })
  await repo.commitAs('human', 'a', 'a.ts')
  const id = await repo.checkpointOf()
  await agent.prompt('rebase onto main, then write b')
  await repo.git('checkout', '--quiet', 'main')
  repo.write('main.ts', 'main\n')
  await repo.commitAs('human', 'main moves', 'main.ts')
  await repo.git('checkout', '--quiet', 'feature')
  await repo.gitAs('agent', ['rebase', '--quiet', 'main'])
  expect(await repo.checkpointsOf()).toEqual([id])
  agent.write('b.ts', line('b'))
  agent.say('Done.')
  await agent.stop()
  const head = await repo.head()
  expect(repo.state(agent.session)).toMatchObject({
    base_commit: head,
    files_touched: ['b.ts'],
    checkpoint_count: 1,
  })
  expect(await repo.refs('refs/notes/')).toEqual([])
  // Amending the rewritten commit still finds its link, also without the trailer.
  await repo.gitAs('human', ['commit', '--quiet', '--amend', '-m', 'a, reworded'])
  await repo.commitAs('human', 'b', 'b.ts')
  expect(await repo.checkpointOf()).not.toBe(id)
  expect(await repo.shadows()).toEqual([])
})

test('amending a commit under an idle session moves its steps to the new commit', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': line('a') })
  await repo.gitAs('human', ['commit', '--quiet', '--amend', '-m', 'first, reworded'])
  const head = await repo.head()
  expect(repo.state(agent.session)).toMatchObject({ base_commit: head, checkpoint_count: 1 })
  expect(await repo.shadows()).toEqual([repo.shadow(head)])
  await repo.commitAs('human', 'a', 'a.ts')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({
    files_touched: ['a.ts'],
    initial_attribution: { agent_lines: 1, human_added: 0 },
  })
})

test('sessions that share a branch all follow a rewritten HEAD', async () => {
  await using repo = await recordedRepo()
  const [one, two] = [fakeAgent(repo), fakeAgent(repo)]
  await one.turn('write a', { 'a.ts': line('a') })
  await two.turn('write b', { 'b.ts': line('b') })
  await repo.gitAs('human', ['commit', '--quiet', '--amend', '-m', 'first, reworded'])
  const head = await repo.head()
  expect([repo.state(one.session).base_commit, repo.state(two.session).base_commit]).toEqual([head, head])
  expect(await repo.shadows()).toEqual([repo.shadow(head)])
  await repo.commitAs('human', 'both', 'a.ts', 'b.ts')
  expect(JSON.parse(await repo.stored(await repo.checkpointOf(), 'metadata.json')).sessions).toHaveLength(2)
})

test('a session continues on another branch; a shadow branch that other sessions use stays', async () => {
  await using repo = await recordedRepo()
  const h0 = await repo.commit('set up')
  repo.write('x.ts', 'x\n')
  await repo.git('checkout', '--quiet', '-b', 'other')
  const h1 = await repo.commit('x', 'x.ts')
  await repo.git('checkout', '--quiet', 'main')
  const [one, two] = [fakeAgent(repo), fakeAgent(repo)]
  await one.turn('write a', { 'a.ts': line('a') })
  await two.turn('write b', { 'b.ts': line('b') })
  await repo.git('checkout', '--quiet', 'other')
  await one.turn('write more', { 'a.ts': `${line('a')}${line('more')}` })
  expect(repo.state(one.session)).toMatchObject({ base_commit: h1, checkpoint_count: 2 })
  expect(repo.state(two.session)).toMatchObject({ base_commit: h0, checkpoint_count: 1 })
  expect(await repo.shadows()).toEqual([repo.shadow(h0), repo.shadow(h1)].toSorted())
  await repo.commitAs('human', 'both', 'a.ts', 'b.ts')
  const id = await repo.checkpointOf()
  expect(JSON.parse(await repo.stored(id, 'metadata.json'))).toMatchObject({
    branch: 'other',
    checkpoints_count: 3,
    files_touched: ['a.ts', 'b.ts'],
  })
  expect(await repo.shadows()).toEqual([])
})

test('a session whose branch was deleted starts a new one', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': line('a') })
  await repo.git('branch', '--quiet', '-D', ...(await repo.shadows()))
  await agent.turn('write b', { 'b.ts': line('b') })
  const shadow = repo.shadow(await repo.head())
  expect(await repo.subjects(shadow)).toEqual(['Write b'])
  expect(await repo.paths(shadow)).toEqual(
    expect.arrayContaining(['a.ts', 'b.ts', `.entire/metadata/${agent.session}/full.jsonl`]),
  )
  await repo.commitAs('human', 'both', 'a.ts', 'b.ts')
  expect(await repo.transcriptLines(await repo.checkpointOf())).toEqual(agent.lines())
})

// Runs several sessions in one work tree: they share a shadow branch and may share a commit, and none loses
// anything.
import { expect, test } from 'bun:test'
import { fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'

const line = (name: string) => `export const ${name} = '${name}'\n`
const root = async (repo: RecordedRepo, id: string) => JSON.parse(await repo.stored(id, 'metadata.json'))

test('a commit with work of two sessions is one checkpoint with a slot for each', async () => {
  await using repo = await recordedRepo()
  const [one, two] = [fakeAgent(repo), fakeAgent(repo)]
  await one.turn('write a', { 'a.ts': line('a') })
  await two.turn('write b', { 'b.ts': line('b') })
  const shadow = repo.shadow(await repo.head())
  expect(await repo.shadows()).toEqual([shadow])
  expect(await repo.subjects(shadow)).toEqual(['Write b', 'Write a'])
  expect(await repo.paths(shadow)).toEqual(
    expect.arrayContaining([
      'a.ts',
      'b.ts',
      `.entire/metadata/${one.session}/full.jsonl`,
      `.entire/metadata/${two.session}/full.jsonl`,
    ]),
  )
  // Files of the first session do not count as those of the second.
  expect(repo.state(two.session).files_touched).toEqual(['b.ts'])

  await repo.commitAs('human', 'both', 'a.ts', 'b.ts')
  const id = await repo.checkpointOf()
  expect(await root(repo, id)).toMatchObject({
    checkpoints_count: 2,
    files_touched: ['a.ts', 'b.ts'],
    sessions: [{}, {}],
    token_usage: { api_call_count: 4 },
  })
  const slots = await Promise.all([repo.storedSession(id, 0), repo.storedSession(id, 1)])
  expect(slots.map((slot) => slot.session_id).toSorted()).toEqual([one.session, two.session].toSorted())
  for (const [slot, { session_id }] of slots.entries()) {
    const agent = session_id === one.session ? one : two
    expect(await repo.transcriptLines(id, slot)).toEqual(agent.lines())
    expect(slots[slot]).toMatchObject({
      checkpoints_count: 1,
      files_touched: [agent === one ? 'a.ts' : 'b.ts'],
      initial_attribution: { agent_lines: 1, human_added: 0 },
    })
  }
  expect(await repo.shadows()).toEqual([])
})

test('a commit of one session leaves the others, idle or running, with their steps and their state', async () => {
  await using repo = await recordedRepo()
  const h0 = await repo.head()
  const [one, idle, running] = [fakeAgent(repo), fakeAgent(repo), fakeAgent(repo)]
  await one.turn('write a', { 'a.ts': line('a') })
  await idle.turn('write b', { 'b.ts': line('b') })
  await running.turn('write c', { 'c.ts': line('c') })
  await running.prompt('write d')
  running.write('d.ts', line('d'))
  const [idleState, runningState] = [repo.state(idle.session), repo.state(running.session)]

  const h1 = await repo.commitAs('human', 'a', 'a.ts')
  expect((await root(repo, await repo.checkpointOf())).sessions).toHaveLength(1)
  // Sessions that have no part in a commit keep their base until their next step: only the running one notes
  // where HEAD is.
  expect(repo.state(idle.session)).toEqual(idleState)
  expect(repo.state(running.session)).toEqual({ ...runningState, turn_head: h1 })
  expect(await repo.shadows()).toEqual([repo.shadow(h0)])

  running.say('Done.')
  await running.stop()
  expect(repo.state(running.session)).toMatchObject({
    base_commit: h1,
    checkpoint_count: 2,
    files_touched: ['c.ts', 'd.ts'],
  })
  // The idle one still builds on the old branch, so it stays.
  expect(await repo.shadows()).toEqual([repo.shadow(h0), repo.shadow(h1)].toSorted())

  const h2 = await repo.commitAs('human', 'b', 'b.ts')
  const id = await repo.checkpointOf()
  expect(await repo.storedSession(id)).toMatchObject({
    session_id: idle.session,
    files_touched: ['b.ts'],
    checkpoints_count: 1,
    initial_attribution: { agent_lines: 1, agent_percentage: 100 },
  })
  expect(await repo.shadows()).toEqual([repo.shadow(h1)])
  expect(repo.state(running.session).base_commit).toBe(h1)
  expect(h2).toBe(await repo.head())
  await repo.commitAs('human', 'c and d', 'c.ts', 'd.ts')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({
    session_id: running.session,
    checkpoints_count: 2,
    files_touched: ['c.ts', 'd.ts'],
  })
  expect(await repo.shadows()).toEqual([])
})

test('hooks that run at the same time lose nothing of each other', async () => {
  await using repo = await recordedRepo()
  const agents = Array.from({ length: 5 }, () => fakeAgent(repo))
  await Promise.all(agents.map((agent, index) => agent.prompt(`write file ${index}`)))
  for (const [index, agent] of agents.entries()) agent.write(`f${index}.ts`, line(`f${index}`))
  await Promise.all(agents.map((agent) => agent.stop()))
  const shadow = repo.shadow(await repo.head())
  expect((await repo.subjects(shadow)).toSorted()).toEqual(agents.map((_, index) => `Write file ${index}`))
  for (const agent of agents)
    expect(repo.state(agent.session)).toMatchObject({ phase: 'idle', checkpoint_count: 1 })

  // A commit in the middle of other sessions' prompts.
  await Promise.all([
    repo.commitAs('human', 'all', ...agents.map((_, index) => `f${index}.ts`)),
    ...agents.slice(0, 2).map((agent) => agent.prompt('and more')),
  ])
  const id = await repo.checkpointOf()
  expect(
    new Set(
      await Promise.all(agents.map(async (_, slot) => (await repo.storedSession(id, slot)).session_id)),
    ),
  ).toEqual(new Set(agents.map((agent) => agent.session)))
})

test('sessions one after the other have checkpoints of their own', async () => {
  await using repo = await recordedRepo()
  const one = fakeAgent(repo)
  await one.turn('write a', { 'a.ts': line('a') })
  await repo.commitAs('human', 'a', 'a.ts')
  const first = await repo.checkpointOf()
  await one.end()
  const two = fakeAgent(repo)
  await two.turn('extend a', { 'a.ts': `${line('a')}${line('more')}` })
  await repo.commitAs('human', 'a2', 'a.ts')
  const second = await repo.checkpointOf()
  expect(second).not.toBe(first)
  expect(await root(repo, second)).toMatchObject({ sessions: [{}] })
  expect(await repo.storedSession(second)).toMatchObject({
    session_id: two.session,
    initial_attribution: { agent_lines: 1 },
  })
})

test('a file edited by two sessions is linked to both', async () => {
  await using repo = await recordedRepo()
  const [one, two] = [fakeAgent(repo), fakeAgent(repo)]
  await one.turn('write a', { 'a.ts': line('a') })
  await two.turn('extend a', { 'a.ts': `${line('a')}${line('more')}` })
  await repo.commitAs('human', 'a', 'a.ts')
  const id = await repo.checkpointOf()
  expect((await root(repo, id)).sessions).toHaveLength(2)
  expect(repo.state(one.session).files_touched).toBeUndefined()
  expect(repo.state(two.session).files_touched).toBeUndefined()
  expect(await repo.shadows()).toEqual([])
})

test('steps build on an abandoned shadow branch, whichever program made it', async () => {
  await using repo = await recordedRepo()
  const h0 = await repo.head()
  const lost = fakeAgent(repo)
  await lost.turn('write a', { 'a.ts': line('a') })
  repo.remove(`.git/entire-sessions/${lost.session}.json`)
  const two = fakeAgent(repo)
  expect(await two.start()).not.toContain('other active')
  await two.turn('write b', { 'b.ts': line('b') })
  expect(await repo.subjects(repo.shadow(h0))).toEqual(['Write b', 'Write a'])
  await repo.commitAs('human', 'b', 'b.ts')
  expect(await root(repo, await repo.checkpointOf())).toMatchObject({ sessions: [{}] })

  // A branch of that name with a foreign commit.
  const h1 = await repo.head()
  await repo.git('branch', '--force', repo.shadow(h1), h1)
  await two.turn('write c', { 'c.ts': line('c') })
  expect((await repo.subjects(repo.shadow(h1)))[0]).toBe('Write c')
  await repo.commitAs('human', 'c', 'c.ts')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({
    session_id: two.session,
    files_touched: ['c.ts'],
  })
})

test('a continued session does not conflict with itself', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.start()
  await agent.turn('write a', { 'a.ts': line('a') })
  expect(await agent.start('resume')).not.toContain('other active')
  await agent.turn('write b', { 'b.ts': line('b') })
  expect(await repo.subjects(repo.shadow(await repo.head()))).toEqual(['Write b', 'Write a'])
  expect(repo.state(agent.session)).toMatchObject({ checkpoint_count: 2, files_touched: ['a.ts', 'b.ts'] })
})

// Follows the phases of a session through its hooks and through commits of every kind.
import { expect, test } from 'bun:test'
import { fakeAgent } from '../support/fake-agent.ts'
import { recordedRepo } from '../support/recorded-repo.ts'

test('a session goes through idle, active, active_committed, idle and ended, and back', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.start()
  expect(repo.hasState(agent.session)).toBe(false)
  await agent.prompt('write a')
  const first = repo.state(agent.session)
  expect(first).toMatchObject({ phase: 'active', session_turn_count: 1, first_prompt: 'write a' })
  expect(first.turn_id).toMatch(/^[0-9a-f]{12}$/)
  agent.write('a.ts', 'export const a = 1\n')
  await repo.commitAs('agent', 'a', 'a.ts')
  expect(repo.state(agent.session).phase).toBe('active_committed')
  agent.say('Done.')
  await agent.stop()
  expect(repo.state(agent.session).phase).toBe('idle')
  await agent.prompt('write b')
  expect(repo.state(agent.session)).toMatchObject({
    phase: 'active',
    session_turn_count: 2,
    first_prompt: 'write a',
    last_prompt: 'write b',
  })
  expect(repo.state(agent.session).turn_id).not.toBe(first.turn_id)
  await agent.stop()
  await agent.end()
  const ended = repo.state(agent.session)
  expect(ended.phase).toBe('ended')
  expect(ended.ended_at).toBeString()
  await agent.end()
  expect(repo.state(agent.session)).toEqual(ended)
  await agent.start('resume')
  expect(repo.state(agent.session).phase).toBe('idle')
  expect(repo.state(agent.session).ended_at).toBeUndefined()
  await agent.end()
  await agent.prompt('go on without a start')
  expect(repo.state(agent.session).phase).toBe('active')
  expect(repo.state(agent.session).ended_at).toBeUndefined()
})

test('a prompt after a turn whose end was never reported saves that turn first', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.prompt('interrupted with Ctrl-C')
  agent.write('a.ts', 'export const a = 1\n')
  await agent.prompt('another attempt')
  expect(repo.state(agent.session)).toMatchObject({
    phase: 'active',
    checkpoint_count: 1,
    files_touched: ['a.ts'],
  })
  expect(await repo.subjects(repo.shadow(await repo.head()))).toEqual(['Interrupted with Ctrl-C'])
  agent.write('b.ts', 'export const b = 1\n')
  await agent.stop()
  expect(repo.state(agent.session)).toMatchObject({
    phase: 'idle',
    checkpoint_count: 2,
    files_touched: ['a.ts', 'b.ts'],
  })
})

test('a session that ends in the middle of a turn keeps the turn’s work', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.prompt('killed while working')
  agent.write('a.ts', 'export const a = 1\n')
  await agent.end()
  expect(repo.state(agent.session)).toMatchObject({
    phase: 'ended',
    checkpoint_count: 1,
    files_touched: ['a.ts'],
  })
  expect(repo.temporary()).toEqual([])
  await repo.commitAs('human', 'a', 'a.ts')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({
    files_touched: ['a.ts'],
    checkpoints_count: 1,
  })
  expect(repo.state(agent.session)).toMatchObject({ phase: 'ended', fully_condensed: true })
  // Nothing of it is left for later commits.
  const before = repo.state(agent.session)
  repo.write('a.ts', 'export const a = 2\n')
  await repo.commitAs('human', 'by hand', 'a.ts')
  expect(await repo.checkpointsOf()).toEqual([])
  expect(repo.state(agent.session)).toEqual(before)
})

test('the end of a turn or a session whose beginning was not recorded does no harm', async () => {
  await using repo = await recordedRepo()
  const [ending, stopping] = [fakeAgent(repo), fakeAgent(repo)]
  await ending.end()
  expect(repo.hasState(ending.session)).toBe(false)
  stopping.write('a.ts', 'export const a = 1\n')
  await stopping.stop()
  expect(repo.state(stopping.session)).toMatchObject({
    phase: 'idle',
    files_touched: expect.arrayContaining(['a.ts']),
  })
  await repo.commitAs('human', 'a', 'a.ts')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({ session_id: stopping.session })
})

for (const phase of ['idle', 'ended'])
  test(`when the checkpoint of an ${phase} session cannot be written the commit stands, the steps stay, and the next event completes it`, async () => {
    await using repo = await recordedRepo()
    await repo.commit('set up')
    const agent = fakeAgent(repo)
    await agent.turn('write a', { 'a.ts': 'export const a = 1\n' })
    if (phase === 'ended') await agent.end()
    const [before, shadows] = [repo.state(agent.session), await repo.shadows()]
    // A lock file is how another git process, or one that died, keeps the ref from being moved.
    repo.write('.git/refs/heads/entire/checkpoints/v1.lock', '')
    await repo.commitAs('human', 'a', 'a.ts')
    const id = await repo.checkpointOf()
    expect(repo.state(agent.session)).toEqual(before)
    expect(await repo.shadows()).toEqual(shadows)
    expect(repo.log().some((line) => line.level === 'ERROR')).toBe(true)

    repo.remove('.git/refs/heads/entire/checkpoints/v1.lock')
    await agent.prompt('go on')
    expect(await repo.storedSession(id)).toMatchObject({ session_id: agent.session, files_touched: ['a.ts'] })
    expect(await repo.shadows()).toEqual([])
  })

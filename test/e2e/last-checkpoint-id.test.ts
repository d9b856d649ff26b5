// Tests what a session remembers of its last checkpoint, and how a commit changes the rest of its state.
import { expect, test } from 'bun:test'
import { fakeAgent } from '../support/fake-agent.ts'
import { recordedRepo } from '../support/recorded-repo.ts'

test('the state names the checkpoint of a commit until the next prompt', async () => {
  await using repo = await recordedRepo()
  const h0 = await repo.head()
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': 'export const a = 1\n' })
  expect(repo.state(agent.session).last_checkpoint_id).toBeUndefined()
  expect(await repo.shadows()).toEqual([repo.shadow(h0)])
  const h1 = await repo.commitAs('human', 'a', 'a.ts')
  const first = await repo.checkpointOf()
  expect(repo.state(agent.session)).toMatchObject({
    last_checkpoint_id: first,
    base_commit: h1,
    attribution_base_commit: h1,
    checkpoint_count: 0,
  })
  expect(await repo.shadows()).toEqual([])

  // Another commit by hand is not part of it, and does not repeat the id.
  repo.write('mine.ts', 'by hand\n')
  await repo.commitAs('human', 'mine', 'mine.ts')
  expect(await repo.checkpointsOf()).toEqual([])
  expect(repo.state(agent.session).last_checkpoint_id).toBe(first)

  await agent.prompt('write b')
  expect(repo.state(agent.session).last_checkpoint_id).toBeUndefined()
  agent.write('b.ts', 'export const b = 1\n')
  agent.say('Done.')
  await agent.stop()
  await repo.commitAs('human', 'b', 'b.ts')
  const second = await repo.checkpointOf()
  expect(second).not.toBe(first)
  expect(repo.state(agent.session).last_checkpoint_id).toBe(second)
  expect(
    (await repo.subjects('entire/checkpoints/v1')).filter((subject) => subject.startsWith('Checkpoint: ')),
  ).toEqual([`Checkpoint: ${second}`, `Checkpoint: ${first}`])
})

test('a new session knows nothing of the checkpoints of an older one', async () => {
  await using repo = await recordedRepo()
  const one = fakeAgent(repo)
  await one.turn('write a', { 'a.ts': 'export const a = 1\n' })
  await repo.commitAs('human', 'a', 'a.ts')
  const first = await repo.checkpointOf()
  const two = fakeAgent(repo)
  await two.turn('write b', { 'b.ts': 'export const b = 1\n' })
  expect(repo.state(two.session).last_checkpoint_id).toBeUndefined()
  await repo.commitAs('human', 'b', 'b.ts')
  expect(await repo.checkpointOf()).not.toBe(first)
  expect(repo.state(one.session).last_checkpoint_id).toBe(first)
})

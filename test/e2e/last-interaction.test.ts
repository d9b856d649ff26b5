// Tests the time of the last interaction: every event of the session updates it, and commits of others do
// not.
import { expect, test } from 'bun:test'
import { fakeAgent } from '../support/fake-agent.ts'
import { recordedRepo } from '../support/recorded-repo.ts'

test('prompts, turn ends and commits with work of the session update the time; other commits do not', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  const at = () => Date.parse(repo.state(agent.session).last_interaction_time as string)
  await agent.prompt('write a')
  const first = at()
  expect(first).toBeGreaterThanOrEqual(Date.parse(repo.state(agent.session).started_at as string))
  agent.write('a.ts', 'export const a = 1\n')
  agent.say('Done.')
  await agent.stop()
  const stopped = at()
  expect(stopped).toBeGreaterThan(first)
  await agent.prompt('write b')
  const second = at()
  expect(second).toBeGreaterThan(stopped)
  await agent.stop()
  const idle = at()
  repo.write('mine.ts', 'by hand\n')
  await repo.commitAs('human', 'mine', 'mine.ts')
  expect(at()).toBe(idle)
  await repo.commitAs('human', 'a', 'a.ts')
  expect(at()).toBeGreaterThan(idle)
  expect(repo.state(agent.session).started_at).toBeString()
})

// The life of a session as its hooks tell it, and what commits of every kind make of it.
import { expect, test } from 'bun:test'
import { fakeAgent } from '../support/fake-agent.ts'
import { recordedRepo } from '../support/recorded-repo.ts'

test('idle, active, active_committed, idle, ended, and back', async () => {
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
  const agent = fakeAgent(repo)
  await agent.prompt('interrupted with Ctrl-C')
  agent.write('a.ts', 'export const a = 1\n')
  await agent.prompt('another attempt')
  expect(repo.state(agent.session)).toMatchObject({ phase: 'active', checkpoint_count: 1, files_touched: ['a.ts'] })
  expect(await repo.subjects(repo.shadow(await repo.head()))).toEqual(['Interrupted with Ctrl-C'])
  agent.write('b.ts', 'export const b = 1\n')
  await agent.stop()
  expect(repo.state(agent.session)).toMatchObject({ phase: 'idle', checkpoint_count: 2, files_touched: ['a.ts', 'b.ts'] })
})

test('a session that ends in the middle of a turn keeps the turn’s work', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.prompt('killed while working')
  agent.write('a.ts', 'export const a = 1\n')
  await agent.end()
  expect(repo.state(agent.session)).toMatchObject({ phase: 'ended', checkpoint_count: 1, files_touched: ['a.ts'] })
  expect(repo.temporary()).toEqual([])
  await repo.commitAs('human', 'a', 'a.ts')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({ files_touched: ['a.ts'], checkpoints_count: 1 })
  expect(repo.state(agent.session)).toMatchObject({ phase: 'ended', fully_condensed: true })
  // Nothing of it is left for later commits.
  const before = repo.state(agent.session)
  repo.write('a.ts', 'export const a = 2\n')
  await repo.commitAs('human', 'by hand', 'a.ts')
  expect(await repo.checkpointsOf()).toEqual([])
  expect(repo.state(agent.session)).toEqual(before)
})

test('a turn end or a session end of which no beginning was seen does no harm', async () => {
  await using repo = await recordedRepo()
  const [ending, stopping] = [fakeAgent(repo), fakeAgent(repo)]
  await ending.end()
  expect(repo.hasState(ending.session)).toBe(false)
  stopping.write('a.ts', 'export const a = 1\n')
  await stopping.stop()
  expect(repo.state(stopping.session)).toMatchObject({ phase: 'idle', files_touched: expect.arrayContaining(['a.ts']) })
  await repo.commitAs('human', 'a', 'a.ts')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({ session_id: stopping.session })
})

test('amending keeps the link and never makes a second checkpoint', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('write a and b', { 'a.ts': 'export const a = 1\n', 'b.ts': 'export const b = 1\n' })
  await repo.commitAs('human', 'a', 'a.ts')
  const id = await repo.checkpointOf()
  const ids = async () => new Set((await repo.paths('entire/checkpoints/v1')).map((path) => path.split('/').slice(0, 2).join('')))

  // The rest of the agent's work joins the commit, and its checkpoint.
  await repo.git('add', 'b.ts')
  await repo.gitAs('human', ['commit', '--quiet', '--amend', '--no-edit'])
  expect(await repo.checkpointsOf()).toEqual([id])
  expect(await ids()).toEqual(new Set([id]))
  expect(JSON.parse(await repo.stored(id, 'metadata.json'))).toMatchObject({
    files_touched: ['a.ts', 'b.ts'],
    sessions: [{}],
    token_usage: { api_call_count: 3 },
  })
  expect(await repo.storedSession(id)).toMatchObject({ initial_attribution: { agent_lines: 2, human_added: 0, agent_percentage: 100 } })
  expect(await repo.stored(id, '0/prompt.txt')).toBe('write a and b')
  expect(repo.state(agent.session)).toMatchObject({ base_commit: await repo.head(), last_checkpoint_id: id })
  expect(repo.state(agent.session).files_touched).toBeUndefined()

  // So does the work of another turn.
  await agent.turn('improve a', { 'a.ts': 'export const a = 1\nexport const better = 1\n' })
  await repo.git('add', 'a.ts')
  await repo.gitAs('human', ['commit', '--quiet', '--amend', '--no-edit'])
  expect(await repo.storedSession(id)).toMatchObject({
    files_touched: ['a.ts', 'b.ts'],
    token_usage: { api_call_count: 5 },
    initial_attribution: { agent_lines: 3, agent_percentage: 100 },
  })
  expect(await repo.stored(id, '0/prompt.txt')).toBe('write a and b\n\n---\n\nimprove a')
  expect((await repo.transcript(id)).split('\n')).toEqual(agent.lines())
  expect(await repo.shadows()).toEqual([])

  // A new message drops the trailer; the next amendment that takes the old message brings it back.
  const tip = await repo.git('rev-parse', 'entire/checkpoints/v1')
  await repo.gitAs('human', ['commit', '--quiet', '--amend', '-m', 'reworded'])
  await repo.gitAs('human', ['commit', '--quiet', '--amend', '--no-edit'])
  expect(await repo.message()).toBe(`reworded\n\nEntire-Checkpoint: ${id}\n`)
  expect(await repo.git('rev-parse', 'entire/checkpoints/v1')).toBe(tip)

  // A commit that never had a link does not get one by amending.
  repo.write('mine.ts', 'by hand\n')
  await repo.commitAs('human', 'mine', 'mine.ts')
  await repo.gitAs('human', ['commit', '--quiet', '--amend', '--no-edit'])
  expect(await repo.checkpointsOf()).toEqual([])
})

test('commits made by cherry-pick, revert, rebase and merge are not new work', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await repo.git('checkout', '--quiet', '-b', 'side')
  await agent.turn('write a', { 'a.ts': 'export const a = 1\n' })
  await repo.commitAs('human', 'a', 'a.ts')
  const id = await repo.checkpointOf()
  await agent.turn('start on b', { 'b.ts': 'export const b = 1\n' })
  const [tip, state] = [await repo.git('rev-parse', 'entire/checkpoints/v1'), repo.state(agent.session)]

  await repo.git('checkout', '--quiet', 'main')
  await repo.gitAs('human', ['cherry-pick', 'side'])
  expect(await repo.checkpointsOf()).toEqual([id])
  await repo.gitAs('human', ['revert', '--no-edit', 'HEAD'])
  expect(await repo.checkpointsOf()).toEqual([])
  await repo.gitAs('human', ['merge', '--quiet', '--no-edit', 'side'])
  expect(await repo.checkpointsOf()).toEqual([])
  await repo.git('checkout', '--quiet', 'side')
  await repo.gitAs('human', ['rebase', '--quiet', '--force-rebase', 'HEAD~1'])
  expect(await repo.checkpointsOf()).toEqual([id])
  await repo.git('checkout', '--quiet', '-b', 'squashed', 'main~3')
  await repo.gitAs('human', ['merge', '--quiet', '--squash', 'side'])
  await repo.gitAs('human', ['commit', '--quiet', '--no-edit'])
  expect(await repo.git('rev-parse', 'entire/checkpoints/v1')).toBe(tip)
  expect(repo.state(agent.session)).toMatchObject({ files_touched: state.files_touched, checkpoint_count: 1, phase: 'idle' })
})

test('a cherry-pick in the middle of a turn leaves the turn as it was', async () => {
  await using repo = await recordedRepo()
  repo.write('x.ts', 'x\n')
  await repo.git('checkout', '--quiet', '-b', 'side')
  const pick = await repo.commit('x', 'x.ts')
  await repo.git('checkout', '--quiet', 'main')
  const agent = fakeAgent(repo)
  await agent.prompt('pick x')
  await repo.gitAs('agent', ['cherry-pick', pick])
  expect(await repo.checkpointsOf()).toEqual([])
  expect(repo.state(agent.session).phase).toBe('active')
  await agent.stop()
  expect(repo.state(agent.session)).toMatchObject({ phase: 'idle', checkpoint_count: 0 })
})

test('when a checkpoint cannot be written the commit stands, the steps stay, and the next event completes it', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': 'export const a = 1\n' })
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

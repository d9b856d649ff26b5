// Commits that are made from other commits are not new work: an amended one keeps its checkpoint, a picked or
// reverted one gets none.
import { expect, test } from 'bun:test'
import { fakeAgent } from '../support/fake-agent.ts'
import { asForeign } from '../support/foreign-repo.ts'
import { recordedRepo } from '../support/recorded-repo.ts'
import { pointsOf } from '../support/rewind-points.ts'

test('amending keeps the link and never makes a second checkpoint', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('write a and b', { 'a.ts': 'export const a = 1\n', 'b.ts': 'export const b = 1\n' })
  await repo.commitAs('human', 'a', 'a.ts')
  const id = await repo.checkpointOf()
  const ids = async () =>
    new Set((await repo.paths('entire/checkpoints/v1')).map((path) => path.split('/').slice(0, 2).join('')))

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
  expect(await repo.storedSession(id)).toMatchObject({
    initial_attribution: { agent_lines: 2, human_added: 0, agent_percentage: 100 },
  })
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
  expect(await repo.transcriptLines(id)).toEqual(agent.lines())
  expect(await repo.shadows()).toEqual([])

  // A new message drops the trailer; the next amendment with the old message restores it.
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

test('amending keeps the summary of a session, and fields of another writer', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': 'export const a = 1\n' })
  await repo.commitAs('human', 'a', 'a.ts')
  const id = await repo.checkpointOf()
  const said = {
    summary: {
      intent: 'An a.',
      outcome: 'There is one.',
      learnings: { repo: [], code: [], workflow: [] },
      friction: [],
      open_items: [],
    },
    session_metrics: { turn_count: 1 },
  }
  const path = `${id.slice(0, 2)}/${id.slice(2)}/0/metadata.json`
  await asForeign(repo).put('refs/heads/entire/checkpoints/v1', {
    [path]: { ...(await repo.storedSession(id)), ...said },
  })
  await agent.turn('improve a', { 'a.ts': 'export const a = 1\nexport const better = 1\n' })
  await repo.git('add', 'a.ts')
  await repo.gitAs('human', ['commit', '--quiet', '--amend', '--no-edit'])
  expect(await repo.storedSession(id)).toMatchObject({ ...said, token_usage: { api_call_count: 4 } })
  expect((await repo.entire(['explain', '-c', id, '--no-pager'])).out).toContain('An a.')
})

test('commits made by cherry-pick, revert, merge, rebase, am and squash are not new work', async () => {
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
  repo.write('main.ts', 'main\n')
  await repo.commit('main moves', 'main.ts')
  await repo.gitAs('human', ['cherry-pick', 'side'])
  expect(await repo.checkpointsOf()).toEqual([id])
  await repo.gitAs('human', ['revert', '--no-edit', 'HEAD'])
  expect(await repo.checkpointsOf()).toEqual([])
  const revert = await repo.head()
  await repo.gitAs('human', ['merge', '--quiet', '--no-edit', 'side'])
  expect(await repo.git('rev-list', '--count', '--min-parents=2', 'HEAD')).toBe('1')
  expect(await repo.checkpointsOf()).toEqual([])
  await repo.git('checkout', '--quiet', 'side')
  await repo.gitAs('human', ['rebase', '--quiet', '--force-rebase', 'HEAD~1'])
  expect(await repo.checkpointsOf()).toEqual([id])
  const patch = await repo.git('format-patch', '-1', '--stdout', revert)
  repo.write('../revert.patch', `${patch}\n`)
  await repo.git('checkout', '--quiet', '-b', 'mailed', `${revert}~1`)
  await repo.gitAs('human', ['am', '--quiet', `${repo.base}/revert.patch`])
  expect(await repo.checkpointsOf()).toEqual([])
  await repo.git('checkout', '--quiet', '-b', 'squashed', `${revert}~2`)
  await repo.gitAs('human', ['merge', '--quiet', '--squash', 'side'])
  await repo.gitAs('human', ['commit', '--quiet', '--no-edit'])
  expect(await repo.git('rev-parse', 'entire/checkpoints/v1')).toBe(tip)
  expect(repo.state(agent.session)).toMatchObject({
    files_touched: state.files_touched,
    checkpoint_count: 1,
    phase: 'idle',
  })
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

test('an amended commit clears the state before a turn that changed nothing, as a new one does', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  repo.write('mine.md', 'mine\n')
  const agent = fakeAgent(repo)
  await agent.turn('what do you think?', {})
  await repo.git('add', 'mine.md')
  await repo.gitAs('human', ['commit', '--quiet', '--amend', '--no-edit'])
  expect(await repo.checkpointsOf()).toEqual([])
  expect([await repo.shadows(), await pointsOf(repo)]).toEqual([[], []])
  await agent.turn('write a', { 'a.ts': 'a\n' })
  expect(await repo.shadows()).toEqual([repo.shadow(await repo.head())])
})

test('an amended commit while a turn runs takes the state before the turn along', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  repo.write('README.md', 'an hour of work\n')
  const agent = fakeAgent(repo)
  await agent.prompt('overwrite it')
  agent.write('README.md', 'overwritten\n')
  await repo.gitAs('human', ['commit', '--quiet', '--amend', '-m', 'set up again'])
  await agent.stop()
  const before = (await pointsOf(repo)).find(({ message }) => message.startsWith('Before: '))
  expect((await repo.entire(['rewind', '--to', before?.id ?? ''])).code).toBe(0)
  expect(repo.read('README.md')).toBe('an hour of work\n')
  await repo.commitAs('human', 'mine', 'README.md')
  expect(await repo.shadows()).toEqual([])
})

// Tests `entire reset`: it removes sessions and steps since the last commit, keeps files and checkpoints, and
// can be undone.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { fakeAgent } from '../support/fake-agent.ts'
import { binary, type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { keys, openTerminal } from '../support/terminal.ts'

setDefaultTimeout(60_000)

const trash = (repo: RecordedRepo) => repo.refs('refs/entire/trash')

test('reset removes the sessions of HEAD and their branch, and changes no file', async () => {
  await using repo = await recordedRepo({ isCommitted: true })
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.txt': 'work of the agent\n' })
  const branch = repo.shadow(await repo.head())
  const ran = await repo.entire(['reset', '--force'])
  expect(ran.code).toBe(0)
  expect(ran.out).toBe(`Cleared session state for ${agent.session}\nDeleted shadow branch ${branch}\n`)
  expect(ran.err).toContain('`entire clean --undo` to restore them')
  expect(repo.hasState(agent.session)).toBe(false)
  expect(await repo.shadows()).toEqual([])
  expect(repo.read('a.txt')).toBe('work of the agent\n')
  const again = await repo.entire(['reset', '--force'])
  expect(again).toMatchObject({ code: 0, out: `Nothing to reset for ${branch}\n` })
})

test('a commit after a reset has no link; after the reset was undone it has', async () => {
  await using repo = await recordedRepo({ isCommitted: true })
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.txt': 'work of the agent\n' })
  await agent.turn('write b', { 'b.txt': 'more work of the agent\n' })
  const before = {
    state: repo.state(agent.session),
    tip: await repo.git('rev-parse', (await repo.shadows())[0] ?? ''),
  }
  await repo.entire(['reset', '--force'])
  await repo.commitAs('human', 'without link', 'a.txt')
  expect(await repo.checkpointsOf()).toEqual([])
  await repo.git('reset', '--soft', 'HEAD^')
  const undone = await repo.entire(['clean', '--undo', '--json'])
  expect(JSON.parse(undone.out)).toMatchObject({ removed_by: 'reset', in_the_way: [] })
  expect(repo.state(agent.session)).toEqual(before.state)
  expect(await repo.git('rev-parse', (await repo.shadows())[0] ?? '')).toBe(before.tip)
  expect(await trash(repo)).toEqual([])
  await repo.commitAs('human', 'with link')
  const id = await repo.checkpointOf()
  expect(await repo.storedSession(id)).toMatchObject({ files_touched: ['a.txt', 'b.txt'] })
  expect(await repo.stored(id, '0/prompt.txt')).toBe('write a\n\n---\n\nwrite b')
})

test('a session with a running turn is kept unless --force is given; the turn is then recorded from there', async () => {
  await using repo = await recordedRepo({ isCommitted: true })
  repo.write('mine.txt', 'lay here before\n')
  const agent = fakeAgent(repo)
  await agent.prompt('write a')
  const spared = await repo.entire(['reset'])
  expect(spared).toEqual({
    code: 0,
    out: '',
    err: [
      'Active sessions detected on current HEAD:',
      `  ${agent.session} (phase: active)`,
      'Use --force to override or wait for sessions to finish.',
      '',
    ].join('\n'),
  })
  expect(repo.hasState(agent.session)).toBe(true)
  expect(JSON.parse((await repo.entire(['reset', '--json'])).out)).toMatchObject({
    sessions: [],
    active_sessions: [agent.session],
  })
  expect((await repo.entire(['reset', '--force'])).out).toContain(
    `Cleared session state for ${agent.session}`,
  )
  agent.write('a.txt', 'work of the agent\n')
  await agent.stop()
  // The state at the start of the turn was kept, so the user's file does not count as the agent's.
  expect(repo.state(agent.session)).toMatchObject({ phase: 'idle', files_touched: ['a.txt'] })
})

test('resetting a session clears the checkpoints that its turn was going to complete', async () => {
  await using repo = await recordedRepo({ isCommitted: true })
  const agent = fakeAgent(repo)
  await agent.prompt('write a')
  agent.write('a.txt', 'work of the agent\n')
  await repo.commitAs('agent', 'a', 'a.txt')
  const id = await repo.checkpointOf()
  expect(repo.state(agent.session).turn_checkpoint_ids).toEqual([id])
  const stored = await repo.transcript(id)
  const ran = await repo.entire(['reset', '--session', agent.session, '--force'])
  expect(ran.out).toContain(
    `Session ${agent.session} has been reset. File changes remain in the working directory.`,
  )
  agent.say('more talk')
  await agent.stop()
  expect(
    repo.hasState(agent.session) ? repo.state(agent.session).turn_checkpoint_ids : undefined,
  ).toBeUndefined()
  // The commit keeps its checkpoint as it was written.
  expect(await repo.transcript(id)).toBe(stored)
})

test('resetting one of two sessions leaves the branch that the other one has steps on', async () => {
  await using repo = await recordedRepo({ isCommitted: true })
  const [one, two] = [fakeAgent(repo, { session: 'aaaa-one' }), fakeAgent(repo, { session: 'bbbb-two' })]
  await one.turn('one', { 'one.txt': 'work of one\n' })
  await two.turn('two', { 'two.txt': 'work of two\n' })
  const shadows = await repo.shadows()
  const ran = await repo.entire(['reset', '--session', 'aaaa', '--force', '--json'])
  expect(JSON.parse(ran.out)).toEqual({
    sessions: [{ session_id: 'aaaa-one', phase: 'idle', checkpoints: 1 }],
    shadow_branches: [],
    temporary_files: [],
  })
  expect(await repo.shadows()).toEqual(shadows)
  await repo.commitAs('human', 'both')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({
    session_id: 'bbbb-two',
    files_touched: ['two.txt'],
  })
})

test('sessions of another work tree on the same commit are not reset', async () => {
  await using repo = await recordedRepo({ isCommitted: true })
  const other = await repo.addWorktree('other')
  const [here, there] = [fakeAgent(repo), fakeAgent(other)]
  await here.turn('here', { 'a.txt': 'work here\n' })
  await there.turn('there', { 'a.txt': 'work there\n' })
  await repo.entire(['reset', '--force'])
  expect([repo.hasState(here.session), repo.hasState(there.session)]).toEqual([false, true])
  expect(await repo.shadows()).toEqual([other.shadow(await other.head())])
})

test('an unknown or ambiguous session, a missing terminal and an unborn branch are errors, and nothing changes', async () => {
  await using repo = await recordedRepo({ isCommitted: true })
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.txt': 'work of the agent\n' })
  await fakeAgent(repo).turn('write b', { 'b.txt': 'work of the agent\n' })
  expect(await repo.entire(['reset', '--session', 'nobody'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('session not found: nobody'),
  })
  expect(await repo.entire(['reset', '--session', '5e55'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('ambiguous session prefix'),
  })
  const unasked = await repo.entire(['reset'])
  expect(unasked.code).toBe(2)
  expect(unasked.err).toContain('entire reset --force')
  expect(repo.hasState(agent.session)).toBe(true)
  await repo.git('switch', '--quiet', '--orphan', 'empty')
  expect(await repo.entire(['reset', '--force'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('no commits yet'),
  })
})

test('on a terminal reset asks; no changes nothing, and yes resets', async () => {
  await using repo = await recordedRepo({ isCommitted: true })
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.txt': 'work of the agent\n' })
  await using refusing = openTerminal([binary, 'reset'], { cwd: repo.root, env: repo.env })
  await refusing.sees('Reset session data?')
  await refusing.press(keys.enter)
  await refusing.sees('Reset cancelled.')
  expect(await refusing.exited()).toBe(0)
  expect(repo.hasState(agent.session)).toBe(true)
  await using one = openTerminal([binary, 'reset', '--session', agent.session.slice(0, 30)], {
    cwd: repo.root,
    env: { ...repo.env, ACCESSIBLE: '1' },
  })
  const asked = await one.sees('[y/N]')
  expect(asked).toContain(`Reset session ${agent.session}?`)
  expect(asked).toContain('Phase: idle, Steps: 1')
  await one.press('y', keys.enter)
  await one.sees('has been reset.')
  expect(await one.exited()).toBe(0)
  expect(repo.hasState(agent.session)).toBe(false)
})

// `entire session stop` ends a session as its agent would; nothing is lost, and nothing is written too early.
import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { fakeAgent } from '../support/fake-agent.ts'
import { recordedRepo } from '../support/recorded-repo.ts'
import { keys, openTerminal } from '../support/terminal.ts'

test('uncommitted work of a stopped session is linked to the next commit', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': 'a\n' })
  const before = await repo.subjects('entire/checkpoints/v1')
  expect(await repo.entire(['session', 'stop', agent.session.slice(0, 36), '--force'])).toEqual({
    code: 0,
    out: `✓ Session ${agent.session} stopped.\n  Work will be captured in your next checkpoint.\n`,
    err: '',
  })
  expect(repo.state(agent.session)).toMatchObject({
    phase: 'ended',
    ended_at: expect.any(String),
    files_touched: ['a.ts'],
  })
  expect(await repo.subjects('entire/checkpoints/v1')).toEqual(before)
  expect(await repo.entire(['session', 'stop', agent.session])).toEqual({
    code: 0,
    out: `Session ${agent.session} is already stopped.\n`,
    err: '',
  })
  await repo.commitAs('human', 'a', 'a.ts')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({
    session_id: agent.session,
    files_touched: ['a.ts'],
  })
})

test('a running turn is saved first, including files that only exist on disk', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.prompt('write a and b')
  agent.write('a.ts', 'a\n')
  agent.run('b.ts', 'b\n')
  await repo.entire(['session', 'stop', '-f'])
  expect(repo.state(agent.session)).toMatchObject({
    phase: 'ended',
    checkpoint_count: 1,
    files_touched: ['a.ts', 'b.ts'],
  })
  expect(repo.temporary()).toEqual([])
})

test('a committed session shows its checkpoint; one without work says so', async () => {
  await using repo = await recordedRepo()
  const [worker, idler] = [fakeAgent(repo), fakeAgent(repo)]
  await worker.turn('write a', { 'a.ts': 'a\n' })
  await repo.commitAs('human', 'a', 'a.ts')
  await idler.turn('say hello', {})
  expect((await repo.entire(['session', 'stop', worker.session, '-f'])).out).toContain(
    `\n  Checkpoint: ${await repo.checkpointOf()}\n`,
  )
  expect((await repo.entire(['session', 'stop', idler.session, '-f'])).out).toContain(
    '\n  No work recorded.\n',
  )
  expect((await repo.entire(['session', 'stop'])).out).toBe('No active sessions.\n')
})

test('--all stops the sessions of all work trees, even of a removed one', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const [linked, lost] = [await repo.addWorktree('linked'), await repo.addWorktree('lost')]
  const all = [fakeAgent(repo), fakeAgent(linked), fakeAgent(lost)]
  for (const [index, agent] of all.entries()) await agent.turn('write a', { [`f${index}.ts`]: 'a\n' })
  rmSync(lost.root, { recursive: true })
  const { code, out } = await repo.entire(['session', 'stop', '--all', '--force'])
  expect(code).toBe(0)
  expect(out.match(/✓ Session/g)).toHaveLength(3)
  for (const agent of all) expect(repo.state(agent.session)).toMatchObject({ phase: 'ended' })
  await linked.commitAs('human', 'f1', 'f1.ts')
  expect(await linked.checkpointsOf()).toHaveLength(1)
})

test('a session of an unknown agent can be stopped', async () => {
  await using repo = await recordedRepo()
  const state = {
    session_id: 'foreign',
    base_commit: await repo.head(),
    worktree_path: repo.root,
    agent_type: 'Other',
    phase: 'active',
  }
  repo.write(
    '.git/entire-sessions/foreign.json',
    JSON.stringify({ ...state, started_at: '2026-01-01T00:00:00Z', future_field: 1 }),
  )
  expect((await repo.entire(['session', 'stop', 'for', '-f'])).code).toBe(0)
  expect(repo.state('foreign')).toMatchObject({
    phase: 'ended',
    ended_at: expect.any(String),
    future_field: 1,
  })
})

test('without a terminal nothing is stopped without --force', async () => {
  await using repo = await recordedRepo()
  const agents = [fakeAgent(repo), fakeAgent(repo)]
  for (const agent of agents) await agent.turn('hello', {})
  const first = agents[0]?.session as string
  expect(await repo.entire(['session', 'stop', first])).toMatchObject({
    code: 2,
    err: expect.stringContaining('Use --force'),
  })
  expect(await repo.entire(['session', 'stop'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('Name one by its id, or use --all'),
  })
  expect(await repo.entire(['session', 'stop', '-f'])).toMatchObject({ code: 2 })
  expect(await repo.entire(['session', 'stop', '--all'])).toMatchObject({ code: 2 })
  expect(await repo.entire(['session', 'stop', first, '--all'])).toMatchObject({ code: 2 })
  for (const agent of agents) expect(repo.state(agent.session)).toMatchObject({ phase: 'idle' })
})

test('on a terminal a single session is confirmed', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo, { session: 'one-session' })
  await agent.turn('write a', { 'a.ts': 'a\n' })
  const env = { ...repo.env, TERM: 'xterm' }
  await using no = openTerminal(['entire', 'session', 'stop'], { cwd: repo.root, env })
  await no.sees('Stop session one-session?')
  await no.press(keys.enter)
  expect(await no.exited()).toBe(0)
  expect(no.text()).toContain('Stop cancelled.')
  expect(repo.state(agent.session)).toMatchObject({ phase: 'idle' })
  await using yes = openTerminal(['entire', 'session', 'stop', 'one'], { cwd: repo.root, env })
  await yes.sees('Stop session one-session?')
  await yes.press('y')
  expect(await yes.exited()).toBe(0)
  expect(yes.text()).toContain('✓ Session one-session stopped.')
})

test('on a terminal several sessions can be chosen; Ctrl-C stops none', async () => {
  await using repo = await recordedRepo()
  const [a, b] = [fakeAgent(repo, { session: 'session-a' }), fakeAgent(repo, { session: 'session-b' })]
  for (const agent of [a, b]) await agent.turn('hello', {})
  const env = { ...repo.env, TERM: 'xterm' }
  await using left = openTerminal(['entire', 'session', 'stop'], { cwd: repo.root, env })
  await left.sees('Select sessions to stop')
  await left.press(keys.interrupt)
  await left.exited()
  expect(left.text()).toContain('Stop cancelled.')
  await using chosen = openTerminal(['entire', 'session', 'stop'], { cwd: repo.root, env })
  await chosen.sees(/session-a[\s\S]*\n|session-b[\s\S]*\n/)
  // The last active session comes first.
  await chosen.press(keys.down, keys.space, keys.enter)
  expect(await chosen.exited()).toBe(0)
  expect(chosen.text()).toContain('✓ Session session-a stopped.')
  expect(repo.state('session-b')).toMatchObject({ phase: 'idle' })
})

test('ACCESSIBLE=1 asks in plain lines', async () => {
  await using repo = await recordedRepo()
  for (const session of ['session-a', 'session-b']) await fakeAgent(repo, { session }).turn('hello', {})
  await using terminal = openTerminal(['entire', 'session', 'stop'], {
    cwd: repo.root,
    env: { ...repo.env, ACCESSIBLE: '1' },
  })
  await terminal.sees('Numbers: ')
  await terminal.press('1 2\r')
  expect(await terminal.exited()).toBe(0)
  expect(terminal.text().match(/✓ Session/g)).toHaveLength(2)
  expect(terminal.raw()).not.toContain('\x1b')
})

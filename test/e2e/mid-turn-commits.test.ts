// Commits while a turn runs, by the agent or by the user: no step shows yet what the agent changed.
import { expect, test } from 'bun:test'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fakeAgent } from '../support/fake-agent.ts'
import { recordedRepo } from '../support/recorded-repo.ts'

test('before the first step, the transcript names the files of the agent', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.prompt('write a')
  agent.write('src/a.ts', 'export const a = 1\n')
  await repo.commitAs('human', 'a', 'src/a.ts')
  const id = await repo.checkpointOf()
  expect(await repo.storedSession(id)).toMatchObject({
    files_touched: ['src/a.ts'],
    checkpoints_count: 0,
    session_id: agent.session,
  })
  expect(await repo.transcriptLines(id)).toEqual(agent.lines())

  // A file no transcript names is the user's own.
  repo.write('mine.ts', 'by hand\n')
  await repo.commitAs('human', 'mine', 'mine.ts')
  expect(await repo.checkpointsOf()).toEqual([])
})

test('paths that the transcript names through a symlink are recognised', async () => {
  await using repo = await recordedRepo()
  symlinkSync(repo.root, join(repo.base, 'alias'))
  const agent = fakeAgent(repo)
  await agent.prompt('write a')
  repo.write('deep/a.ts', 'export const a = 1\n')
  const input = { file_path: join(repo.base, 'alias', 'deep', 'a.ts'), content: '' }
  agent.log({
    type: 'assistant',
    message: { id: 'm1', role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'Write', input }] },
  })
  await repo.commitAs('human', 'a', 'deep/a.ts')
  expect((await repo.storedSession(await repo.checkpointOf())).files_touched).toEqual(['deep/a.ts'])
})

test('without a transcript nothing shows that a commit by a person is the agent’s', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.hook('user-prompt-submit', { prompt: 'write a', transcript_path: undefined })
  expect(repo.state(agent.session)).toMatchObject({ phase: 'active' })
  expect(repo.state(agent.session).transcript_path).toBeUndefined()
  agent.run('a.ts', 'export const a = 1\n')
  await repo.commitAs('human', 'a', 'a.ts')
  expect(await repo.checkpointsOf()).toEqual([])

  // The end of the turn works without one, too.
  agent.run('b.ts', 'export const b = 1\n')
  await agent.hook('stop', { transcript_path: undefined })
  expect(repo.state(agent.session)).toMatchObject({
    phase: 'idle',
    files_touched: ['b.ts'],
    checkpoint_count: 1,
  })
  await repo.commitAs('human', 'b', 'b.ts')
  const id = await repo.checkpointOf()
  expect(await repo.storedSession(id)).toMatchObject({ files_touched: ['b.ts'], checkpoints_count: 1 })
  expect(await repo.stored(id, '0/prompt.txt')).toBe('write a')
})

test('a commit without terminal during a turn is the agent’s, whatever is in it', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.prompt('generate and commit')
  agent.run('generated.ts', 'export const generated = 1\n')
  await repo.commitAs('agent', 'feat: generated', 'generated.ts')
  const id = await repo.checkpointOf()
  // The trailer is a paragraph of its own, also below a subject that looks like a trailer.
  expect(await repo.message()).toBe(`feat: generated\n\nEntire-Checkpoint: ${id}\n`)
  expect(await repo.storedSession(id)).toMatchObject({ files_touched: ['generated.ts'] })

  // Between turns it is not.
  agent.say('Done.')
  await agent.stop()
  agent.run('other.ts', 'export const other = 1\n')
  await repo.commitAs('agent', 'other', 'other.ts')
  expect(await repo.checkpointsOf()).toEqual([])
})

test('a commit without files of a turn that was inactive for a day is not linked to it', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.prompt('write a, then die')
  agent.write('a.ts', 'export const a = 1\n')
  const state = { ...repo.state(agent.session), last_interaction_time: '2026-01-01T00:00:00Z' }
  repo.write(`.git/entire-sessions/${agent.session}.json`, JSON.stringify(state))
  repo.write('ci.txt', 'by a job\n')
  await repo.commitAs('agent', 'job', 'ci.txt')
  expect(await repo.checkpointsOf()).toEqual([])
  await repo.commitAs('agent', 'a', 'a.ts')
  expect((await repo.storedSession(await repo.checkpointOf())).files_touched).toEqual(['a.ts'])
})

test('a commit is linked to the session that the environment names, although two are running', async () => {
  await using repo = await recordedRepo()
  const [one, two] = [fakeAgent(repo), fakeAgent(repo)]
  await one.prompt('work on one')
  await two.prompt('work on two')
  one.run('x.ts', 'export const x = 1\n')
  await repo.git('add', 'x.ts')
  const env = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: one.session }
  await repo.gitAs('agent', ['commit', '--quiet', '-m', 'x'], { env })
  const id = await repo.checkpointOf()
  expect(JSON.parse(await repo.stored(id, 'metadata.json')).sessions).toHaveLength(1)
  expect(await repo.storedSession(id)).toMatchObject({ session_id: one.session, files_touched: ['x.ts'] })
  expect(repo.state(one.session).phase).toBe('active_committed')
  expect(repo.state(two.session).phase).toBe('active')

  // Where nothing tells them apart, both are linked rather than none.
  two.run('y.ts', 'export const y = 1\n')
  await repo.commitAs('agent', 'y', 'y.ts')
  expect(JSON.parse(await repo.stored(await repo.checkpointOf(), 'metadata.json')).sessions).toHaveLength(2)
})

test('a commit whose environment names an unknown session may belong to any running session of the same agent', async () => {
  await using repo = await recordedRepo()
  const [claude, stranger] = [fakeAgent(repo), fakeAgent(repo)]
  await claude.prompt('let a subagent commit')
  claude.run('x.ts', 'export const x = 1\n')
  await repo.git('add', 'x.ts')
  await repo.gitAs('agent', ['commit', '--quiet', '-m', 'x'], {
    env: { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 'a-subagent' },
  })
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({
    session_id: claude.session,
    files_touched: ['x.ts'],
  })

  // Neither another known session nor one of another agent counts as a subagent of the running one.
  await stranger.turn('be known', {})
  for (const env of [
    { CLAUDE_CODE_SESSION_ID: stranger.session },
    { COPILOT_AGENT_SESSION_ID: 'a-subagent' },
  ]) {
    claude.run('y.ts', `export const y = ${JSON.stringify(env)}\n`)
    await repo.git('add', 'y.ts')
    await repo.gitAs('agent', ['commit', '--quiet', '-m', 'y'], { env })
    expect(await repo.checkpointsOf()).toEqual([])
  }
})

test('a commit that is not the agent’s moves the base of a running session with its next step, not before', async () => {
  await using repo = await recordedRepo()
  const h0 = await repo.head()
  const agent = fakeAgent(repo)
  await agent.prompt('write a')
  agent.write('a.ts', 'export const a = 1\n')
  repo.write('mine.ts', 'by hand\n')
  const h1 = await repo.commitAs('human', 'mine', 'mine.ts')
  expect(await repo.checkpointsOf()).toEqual([])
  expect(repo.state(agent.session)).toMatchObject({ phase: 'active', base_commit: h0 })
  agent.say('Done.')
  await agent.stop()
  expect(repo.state(agent.session)).toMatchObject({
    phase: 'idle',
    base_commit: h1,
    attribution_base_commit: h0,
    files_touched: ['a.ts'],
  })
  expect(await repo.shadows()).toEqual([repo.shadow(h1)])
  expect(await repo.paths(repo.shadow(h1))).toEqual(expect.arrayContaining(['a.ts', 'mine.ts']))
})

test('after a commit by the agent, the next step has only later changes', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.prompt('write a, commit, write b')
  agent.write('a.ts', 'export const a = 1\n')
  const h1 = await repo.commitAs('agent', 'a', 'a.ts')
  const first = await repo.checkpointOf()
  agent.write('b.ts', 'export const b = 1\n')
  agent.say('Wrote b as well.')
  await agent.stop()
  expect(repo.state(agent.session)).toMatchObject({
    base_commit: h1,
    files_touched: ['b.ts'],
    checkpoint_count: 1,
  })
  await repo.commitAs('human', 'b', 'b.ts')
  const second = await repo.checkpointOf()
  expect(second).not.toBe(first)
  expect(await repo.storedSession(second)).toMatchObject({ files_touched: ['b.ts'], checkpoints_count: 1 })
  expect(await repo.stored(second, '0/prompt.txt')).toBe('write a, commit, write b')
  // What was spent before the first commit is counted there, the rest here.
  expect([await repo.storedSession(first), await repo.storedSession(second)]).toMatchObject([
    { token_usage: { api_call_count: 1 } },
    { token_usage: { api_call_count: 2 } },
  ])
})

test('a turn that ends with everything committed leaves no step', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.prompt('write a and commit')
  agent.write('a.ts', 'export const a = 1\n')
  await repo.commitAs('agent', 'a', 'a.ts')
  agent.say('Done.')
  const { code, err } = await agent.hook('stop')
  expect(code).toBe(0)
  expect(err).toContain('No files were modified during this session')
  expect(await repo.shadows()).toEqual([])
  expect(repo.state(agent.session)).toMatchObject({ phase: 'idle', checkpoint_count: 0 })
  expect(repo.temporary()).toEqual([])
})

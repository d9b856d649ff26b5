// Watching agents with hooks, where their hooks cannot run and where they do.
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { type FakeAgent, fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { startWatching } from '../support/watching.ts'

/** The directory where the fake agent writes Claude's sessions. */
async function claudeRepo(): Promise<RecordedRepo> {
  const repo = await recordedRepo()
  repo.env.ENTIRE_TEST_CLAUDE_PROJECT_DIR = join(repo.base, 'home', '.claude', 'projects', '-repo')
  return repo
}

const type = (agent: FakeAgent, text: string) =>
  agent.log({ type: 'user', timestamp: new Date().toISOString(), message: { role: 'user', content: text } })

async function withoutHooks(repo: RecordedRepo): Promise<void> {
  await repo.entire(['agent', 'remove', 'claude-code'])
}

test('turns of an agent whose hooks do not run are read from its transcript', async () => {
  await using repo = await claudeRepo()
  await withoutHooks(repo)
  await using watch = await startWatching(repo, ['--agent', 'claude-code'])
  const agent = fakeAgent(repo)
  type(agent, 'add a parser')
  await watch.hears('turn-start')
  agent.write('parser.ts', 'export {}\n')
  repo.write('made-by-a-shell.txt', 'x\n')
  agent.say('Done.')
  await watch.hears('turn-end')
  type(agent, 'and a test')
  await watch.hears('turn-start', 2)
  agent.write('parser.test.ts', 'test\n')
  await watch.hears('turn-end', 2)
  expect(repo.state(agent.session)).toMatchObject({
    session_turn_count: 2,
    checkpoint_count: 2,
    phase: 'idle',
  })
  await repo.commitAs('human', 'parser')
  const id = await repo.checkpointOf()
  expect(await repo.storedSession(id)).toMatchObject({
    agent: 'Claude Code',
    model: 'claude-test-1',
    files_touched: ['made-by-a-shell.txt', 'parser.test.ts', 'parser.ts'],
    token_usage: { input_tokens: 30, output_tokens: 9, api_call_count: 3 },
  })
  expect(await repo.stored(id, '0/prompt.txt')).toMatch(/add a parser[\s\S]*and a test/)
})

test('work after a long pause is recorded, too', async () => {
  await using repo = await claudeRepo()
  await withoutHooks(repo)
  await using watch = await startWatching(repo, ['--agent', 'claude-code'])
  const agent = fakeAgent(repo)
  type(agent, 'add a parser')
  agent.write('one.ts', '1\n')
  await watch.hears('turn-end')
  agent.write('two.ts', '2\n')
  const starts = await watch.hears('turn-start', 2)
  expect(starts[1]).not.toHaveProperty('prompt')
  await watch.hears('turn-end', 2)
  expect(repo.state(agent.session)).toMatchObject({ files_touched: ['one.ts', 'two.ts'] })
})

test('sessions started or continued while nothing was watching are recorded, turn by turn', async () => {
  await using repo = await claudeRepo()
  await withoutHooks(repo)
  const old = fakeAgent(repo)
  type(old, 'before the watcher started')
  old.write('old.ts', 'old\n')
  await using first = await startWatching(repo, ['--agent', 'claude-code'])
  await first.stop()
  const agent = fakeAgent(repo)
  for (const [index, prompt] of ['one', 'two', 'three'].entries()) {
    type(agent, prompt)
    agent.write(`${prompt}.ts`, `${index}\n`)
  }
  type(old, 'gone on with')
  old.write('old.ts', 'newer\n')
  await using second = await startWatching(repo, ['--agent', 'claude-code'])
  const starts = await second.hears('turn-start', 4)
  await second.hears('turn-end', 4)
  expect(starts.map(({ prompt }) => prompt).toSorted()).toEqual(['gone on with', 'one', 'three', 'two'])
  expect(repo.state(agent.session)).toMatchObject({ session_turn_count: 3 })
  expect(repo.state(old.session)).toMatchObject({ session_turn_count: 1, first_prompt: 'gone on with' })
})

test('turns reported by hooks are not recorded twice, neither at once nor at the next start', async () => {
  await using repo = await claudeRepo()
  await using watch = await startWatching(repo, ['--agent', 'claude-code'])
  const agent = fakeAgent(repo)
  await agent.start()
  for (const prompt of ['one', 'two']) await agent.turn(prompt, { [`${prompt}.ts`]: `${prompt}\n` })
  await watch.hears('reported')
  await watch.stop()
  await agent.turn('three', { 'three.ts': '3\n' })
  await using again = await startWatching(repo, ['--agent', 'claude-code'])
  await agent.turn('four', {})
  await again.stop()
  const told = [...watch.told(), ...again.told()].map(({ event }) => event)
  expect(told).not.toContain('turn-start')
  expect(told).not.toContain('turn-end')
  expect(repo.state(agent.session)).toMatchObject({ session_turn_count: 4, checkpoint_count: 3 })
})

test('if installed hooks do not run, the watcher waits for them and then records the prompt', async () => {
  await using repo = await claudeRepo()
  await using watch = await startWatching(repo, ['--agent', 'claude-code'])
  const agent = fakeAgent(repo)
  type(agent, 'no hook reports this')
  agent.write('quiet.ts', '1\n')
  await watch.hears('turn-end')
  expect(repo.state(agent.session)).toMatchObject({
    session_turn_count: 1,
    first_prompt: 'no hook reports this',
    files_touched: ['quiet.ts'],
  })
})

test('sessions of other projects in the same directory, and files of subagents, are left alone', async () => {
  await using repo = await claudeRepo()
  await withoutHooks(repo)
  await using watch = await startWatching(repo, ['--agent', 'claude-code'])
  const [other, agent] = [fakeAgent(repo), fakeAgent(repo)]
  other.log({ type: 'user', cwd: '/somewhere/else', message: { role: 'user', content: 'not here' } })
  agent.log({
    type: 'user',
    cwd: join(repo.root, 'src'),
    timestamp: new Date().toISOString(),
    message: { role: 'user', content: 'here' },
  })
  agent.say('Done.')
  await watch.hears('turn-end')
  await watch.stop()
  expect(watch.told().flatMap(({ prompt }) => prompt ?? [])).toEqual(['here', 'here'])
  expect(repo.hasState(other.session)).toBe(false)
})

test('an agent that does not keep its sessions in files is not watched', async () => {
  await using repo = await claudeRepo()
  const refused = await repo.entire(['watch', '--agent', 'opencode'])
  expect(refused.code).toBe(1)
  expect(refused.err).toContain('cannot be watched')
})

// Counts tokens: each call of the model once, in exactly one checkpoint. Every call of a story reports a power of
// two, so that a sum tells which calls are in it.
import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { putPlugin, repoWithPlugins, type ShellAgent, shellAgent } from '../support/external-repo.ts'
import { type FakeAgent, fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { pointsOf, stepOf } from '../support/rewind-points.ts'

/** The model answers, and reports these tokens. */
function call(agent: FakeAgent, tokens: number, text = `answer ${tokens}`): void {
  agent.log({
    type: 'assistant',
    message: {
      id: `msg_call_${agent.session.slice(-4)}_${tokens}`,
      role: 'assistant',
      model: 'claude-test-1',
      content: [{ type: 'text', text }],
      usage: {
        input_tokens: tokens,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        output_tokens: 0,
      },
    },
  })
}

async function turn(agent: FakeAgent, prompt: string, tokens: number, file?: () => void): Promise<void> {
  await agent.prompt(prompt)
  file?.()
  call(agent, tokens)
  await agent.stop()
}

/** The tokens in the checkpoint of a commit: those of its session, which are those of the whole. */
async function tokensOf(repo: RecordedRepo, rev = 'HEAD'): Promise<number> {
  const id = await repo.checkpointOf(rev)
  const usage = (record: unknown) => (record as { token_usage?: { input_tokens: number } }).token_usage
  const whole = usage(JSON.parse(await repo.stored(id, 'metadata.json')))
  expect(usage(await repo.storedSession(id))).toEqual(whole)
  return whole?.input_tokens ?? 0
}

const spent = (repo: RecordedRepo, agent: { session: string }) =>
  (repo.state(agent.session).token_usage as { input_tokens: number }).input_tokens

test('turns that only talk count in the next checkpoint, also before the first step', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await turn(agent, 'what is this?', 1)
  await turn(agent, 'make a plan', 2)
  await turn(agent, 'do it', 4, () => agent.run('a.txt', 'a\n'))
  await turn(agent, 'is it good?', 8)
  await repo.commitAs('human', 'a', 'a.txt')
  expect(await tokensOf(repo)).toBe(15)
  expect(await repo.stored(await repo.checkpointOf(), '0/prompt.txt')).toContain('what is this?')
  await turn(agent, 'and now?', 16)
  await turn(agent, 'do more', 32, () => agent.run('b.txt', 'b\n'))
  await repo.commitAs('human', 'b', 'b.txt')
  expect(await tokensOf(repo)).toBe(48)
  expect(spent(repo, agent)).toBe(63)
})

test('what was spent before the recording began counts nowhere', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  call(agent, 1)
  await turn(agent, 'what was this?', 2)
  await turn(agent, 'do it', 4, () => agent.run('a.txt', 'a\n'))
  await repo.commitAs('human', 'a', 'a.txt')
  expect(await tokensOf(repo)).toBe(6)
})

test('after a rewind, what was taken back counts once, and so does what follows', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.prompt('one')
  agent.run('a.txt', 'one\n')
  // More calls than a session remembers.
  for (let at = 0; at < 40; at += 1) call(agent, 2 ** (at + 8))
  const first = 2 ** 48 - 2 ** 8
  await agent.stop()
  await turn(agent, 'two', 1, () => agent.run('a.txt', 'two\n'))
  await turn(agent, 'really?', 2)
  await repo.entire(['rewind', '--to', await stepOf(repo, 'One')])
  await turn(agent, 'three', 4, () => agent.run('a.txt', 'three\n'))
  await turn(agent, 'four', 8, () => agent.run('a.txt', 'four\n'))
  await repo.commitAs('human', 'a', 'a.txt')
  expect((await tokensOf(repo)) - first).toBe(15)
})

test('an undone rewind counts nothing again', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await turn(agent, 'one', 1, () => agent.run('a.txt', 'one\n'))
  await turn(agent, 'two', 2, () => agent.run('a.txt', 'two\n'))
  await repo.entire(['rewind', '--to', await stepOf(repo, 'One')])
  await repo.entire(['rewind', '--undo'])
  await turn(agent, 'three', 4, () => agent.run('a.txt', 'three\n'))
  await repo.commitAs('human', 'a', 'a.txt')
  expect(await tokensOf(repo)).toBe(7)
})

test('a transcript that begins anew counts in full, although it has grown as long', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await turn(agent, 'one', 8, () => agent.run('a.txt', 'one\n'))
  await repo.commitAs('human', 'a', 'a.txt')
  await agent.prompt('two')
  writeFileSync(agent.transcript, '')
  for (const tokens of [1, 2, 4]) call(agent, tokens)
  agent.run('a.txt', 'two\n')
  await agent.stop()
  await repo.commitAs('human', 'b', 'a.txt')
  expect(await tokensOf(repo)).toBe(7)
  expect(spent(repo, agent)).toBe(15)
})

/** The transcript of a fork: the conversation of its origin, with the fork's names, before its own. */
function fork(repo: RecordedRepo, origin: FakeAgent): FakeAgent {
  const fork = fakeAgent(repo)
  const copied = origin
    .lines()
    .map((line) => ({ ...JSON.parse(line), sessionId: fork.session, timestamp: '2020-01-01T00:00:00.000Z' }))
  writeFileSync(fork.transcript, copied.map((line) => `${JSON.stringify(renamed(line))}\n`).join(''))
  return fork
}

// In a fork all lines of the user carry the id of the fork's prompt.
const renamed = (line: { type: string }) =>
  line.type === 'user' ? { ...line, promptId: 'prompt-fork' } : line

async function forkTurn(repo: RecordedRepo, origin: FakeAgent, tokens: number): Promise<FakeAgent> {
  const copy = fork(repo, origin)
  const lines = readFileSync(copy.transcript)
  // The file is written with the first line of the answer.
  writeFileSync(copy.transcript, '')
  await copy.hook('user-prompt-submit', { prompt: 'go another way', prompt_id: 'prompt-fork' })
  writeFileSync(copy.transcript, lines)
  copy.log(
    renamed({ type: 'user', message: { role: 'user', content: 'go another way' } } as { type: string }),
  )
  repo.write('fork.txt', 'fork\n')
  call(copy, tokens)
  await copy.stop()
  return copy
}

test('what a fork copied from its origin is neither counted nor shown as its own', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await turn(agent, 'the first way', 1, () => agent.run('a.txt', 'a\n'))
  await repo.commitAs('human', 'a', 'a.txt')
  // Not committed: the fork must not take it for its own.
  agent.write('parent.txt', 'not of the fork\n')
  await turn(agent, 'talk about it', 2)
  const copied = agent.lines().length
  const copy = await forkTurn(repo, agent, 4)
  await repo.commitAs('human', 'fork', 'fork.txt')
  expect(await tokensOf(repo)).toBe(4)
  const id = await repo.checkpointOf()
  expect(await repo.storedSession(id)).toMatchObject({
    session_id: copy.session,
    files_touched: ['fork.txt'],
    checkpoint_transcript_start: copied,
  })
  expect(await repo.stored(id, '0/prompt.txt')).toBe('go another way')
  const explained = (await repo.entire(['explain', '-c', id])).out
  expect(explained).toContain('Intent: go another way')
  expect(explained).not.toContain('the first way')
  // What the origin said after its last commit is its own.
  await turn(agent, 'the first way again', 8, () => agent.run('a.txt', 'b\n'))
  await repo.commitAs('human', 'b', 'a.txt')
  expect(await tokensOf(repo)).toBe(8)
  await repo.commitAs('human', 'parent', 'parent.txt')
  expect(await tokensOf(repo)).toBe(12)
})

test('a fork is recognised although its origin has gone on for long', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await turn(agent, 'the first way', 1, () => agent.run('a.txt', 'a\n'))
  const copy = fork(repo, agent)
  const lines = readFileSync(copy.transcript)
  await agent.prompt('go on')
  for (let at = 0; at < 40; at += 1) call(agent, 2 ** (at + 8))
  agent.run('a.txt', 'b\n')
  await agent.stop()
  await repo.commitAs('human', 'a', 'a.txt')
  writeFileSync(copy.transcript, '')
  await copy.hook('user-prompt-submit', { prompt: 'go another way', prompt_id: 'prompt-fork' })
  writeFileSync(copy.transcript, lines)
  copy.log({ type: 'user', promptId: 'prompt-fork', message: { role: 'user', content: 'go another way' } })
  repo.write('fork.txt', 'fork\n')
  call(copy, 4)
  await copy.stop()
  await repo.commitAs('human', 'fork', 'fork.txt')
  expect(await tokensOf(repo)).toBe(4)
})

test('the calls after the agent’s last commit of a turn belong to the checkpoint of that commit', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.prompt('commit in two steps')
  call(agent, 1)
  agent.run('a.txt', 'a\n')
  await repo.commitAs('agent', 'a', 'a.txt')
  call(agent, 2)
  agent.run('b.txt', 'b\n')
  await repo.commitAs('agent', 'b', 'b.txt')
  call(agent, 4)
  await agent.stop()
  expect(await tokensOf(repo, 'HEAD~1')).toBe(1)
  expect(await tokensOf(repo)).toBe(6)
  await agent.end()
  expect(await tokensOf(repo)).toBe(6)
  // The next checkpoint begins after them.
  await turn(agent, 'one more', 8, () => agent.run('c.txt', 'c\n'))
  await repo.commitAs('human', 'c', 'c.txt')
  expect(await tokensOf(repo)).toBe(8)
  expect(spent(repo, agent)).toBe(15)
})

test('a turn whose end is recorded again, because the first time was killed, counts nothing twice', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.prompt('write and commit')
  call(agent, 1)
  agent.run('a.txt', 'a\n')
  await repo.commitAs('agent', 'a', 'a.txt')
  call(agent, 2)
  const state = JSON.stringify(repo.state(agent.session))
  await agent.stop()
  expect(await tokensOf(repo)).toBe(3)
  // The refs were written, the state was not.
  repo.write(`.git/entire-sessions/${agent.session}.json`, state)
  await agent.stop()
  expect(await tokensOf(repo)).toBe(3)
  await turn(agent, 'one more', 4, () => agent.run('b.txt', 'b\n'))
  await repo.commitAs('human', 'b', 'b.txt')
  expect(await tokensOf(repo)).toBe(4)
  expect(spent(repo, agent)).toBe(7)
})

test('calls after a commit that led to more work count with that work', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.prompt('commit half of it')
  call(agent, 1)
  agent.run('a.txt', 'a\n')
  await repo.commitAs('agent', 'a', 'a.txt')
  call(agent, 2)
  agent.run('b.txt', 'b\n')
  await agent.stop()
  expect(await tokensOf(repo)).toBe(1)
  await repo.commitAs('human', 'b', 'b.txt')
  expect(await tokensOf(repo)).toBe(2)
})

test('a subagent that gets another task adds what that cost, and names only its files', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  const send = async (toolUse: string, file: string) => {
    await agent.prompt(`have ${file} written`)
    await agent.task({ toolUse, subagent: 'poet', work: () => {}, files: { [file]: `${file}\n` } })
    await agent.stop()
    await repo.commitAs('human', file, file)
    return (await repo.storedSession(await repo.checkpointOf())) as {
      files_touched: string[]
      token_usage: { subagent_tokens: { input_tokens: number } }
    }
  }
  for (const [toolUse, file] of [
    ['t1', 'a.txt'],
    ['t2', 'b.txt'],
  ] as const) {
    const record = await send(toolUse, file)
    expect(record.files_touched).toEqual([file])
    expect(record.token_usage.subagent_tokens.input_tokens).toBe(100)
  }
})

/** A plugin that declares these capabilities beside its hooks. A call takes a hundred tokens of input. */
async function repoWithPlugin(...capabilities: string[]) {
  const repo = await repoWithPlugins()
  const declared = ['hooks', ...capabilities].map((name) => `"${name}":true`).join(',')
  const info = `{"protocol_version":1,"name":"sample","type":"Sample","description":"A plugin for tests","hook_names":["start","prompt","stop","end"],"capabilities":{${declared}}}`
  putPlugin(repo, `if [ "$1" = info ]; then echo '${info}'; exit 0; fi`)
  await repo.commitAs('human', 'begin')
  const enabled = await repo.entire(['enable', '--agent', 'sample'])
  if (enabled.code !== 0) throw new Error(enabled.err)
  return repo
}

async function pluginTurns(repo: RecordedRepo, agent: ShellAgent, count: number): Promise<void> {
  for (let at = 0; at < count; at += 1)
    await agent.turn(`turn ${Math.random()}`, { 'a.txt': `${Math.random()}\n` })
  await repo.commitAs('human', 'a', 'a.txt')
}

test('a plugin that cannot tell positions counts the whole each time: only what is more counts', async () => {
  await using repo = await repoWithPlugin('token_calculator')
  const agent = await shellAgent(repo)
  await pluginTurns(repo, agent, 3)
  expect(await tokensOf(repo)).toBe(300)
  await pluginTurns(repo, agent, 1)
  expect(await tokensOf(repo)).toBe(100)
  // A transcript that begins anew.
  writeFileSync(agent.transcript, '')
  await pluginTurns(repo, agent, 5)
  expect(await tokensOf(repo)).toBe(500)
  expect(spent(repo, agent)).toBe(900)
})

test('a plugin’s transcript that begins anew counts in full, and after a rewind each call once', async () => {
  await using repo = await repoWithPlugin('token_calculator', 'transcript_analyzer')
  const agent = await shellAgent(repo)
  await agent.turn('only talk', {})
  await pluginTurns(repo, agent, 1)
  expect(await tokensOf(repo)).toBe(200)
  writeFileSync(agent.transcript, '')
  await agent.turn('one', { 'b.txt': 'one\n' })
  await agent.turn('two', { 'b.txt': 'two\n' })
  await agent.turn('three', { 'b.txt': 'three\n' })
  const [, two = ''] = (await pointsOf(repo)).map(({ id }) => id)
  await repo.entire(['rewind', '--to', two])
  await agent.turn('four', { 'b.txt': 'four\n' })
  await repo.commitAs('human', 'b', 'b.txt')
  expect(await tokensOf(repo)).toBe(400)
})

// Replays captured sessions of Factory's Droid (`droid exec`), through the installed hooks, in a real
// repository.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { replay } from '../support/replay.ts'
import { otherMachine, pushAll } from '../support/resumable.ts'
import { stepOf } from '../support/rewind-points.ts'

setDefaultTimeout(60_000)

const lines = (path: string) => readFileSync(path, 'utf8').trimEnd().split('\n')
const usage = (input: number, cached: number, output: number, calls: number) => ({
  input_tokens: input,
  cache_creation_tokens: 0,
  cache_read_tokens: cached,
  output_tokens: output,
  api_call_count: calls,
})

async function ready(): Promise<RecordedRepo> {
  const repo = await recordedRepo({ agent: 'factoryai-droid' })
  await repo.commit('set up')
  return repo
}

/** Runs the hook in Droid's settings with this payload. */
async function hook(repo: RecordedRepo, verb: string, payload: object): Promise<string> {
  const { err } = await repo.entire(['hooks', 'factoryai-droid', verb], {
    stdin: JSON.stringify({ cwd: repo.root, ...payload }),
  })
  return err
}

test('a turn begins with the session, and the totals beside the transcript are counted once', async () => {
  await using repo = await ready()
  const begin = await repo.head()
  const create = replay(repo, 'factoryai-droid/run1-create')
  const { session } = create
  await create.to('001-SessionStart')
  expect(repo.state(session)).toMatchObject({ phase: 'active', session_turn_count: 1 })
  await create.to('004-Stop')
  expect(repo.state(session)).toMatchObject({
    phase: 'idle',
    agent_type: 'Factory AI Droid',
    model_name: 'Mock-0',
    checkpoint_count: 1,
    files_touched: ['hello.txt'],
    session_turn_count: 1,
    token_usage: usage(1897, 403, 43, 2),
  })
  await create.rest()
  expect(repo.state(session)).toMatchObject({ phase: 'ended', token_usage: usage(1897, 403, 43, 2) })

  const edit = replay(repo, 'factoryai-droid/run2-resume-edit')
  await edit.rest()
  expect(repo.state(session)).toMatchObject({
    phase: 'ended',
    session_turn_count: 2,
    token_usage: usage(4891, 1009, 109, 5),
  })
  expect(await repo.subjects(repo.shadow(begin))).toEqual(['Edit hello.txt', 'Create hello.txt'])

  // Another session commits, in two commands, as Droid's guard against leaks requires.
  const commit = replay(repo, 'factoryai-droid/run3-commit')
  await commit.rest()
  expect(await repo.head()).not.toBe(begin)
  const id = await repo.checkpointOf()
  expect(await repo.storedSession(id)).toMatchObject({
    session_id: session,
    agent: 'Factory AI Droid',
    model: 'Mock-0',
    files_touched: ['hello.txt'],
    token_usage: usage(4891, 1009, 109, 5),
  })
  expect(await repo.stored(id, '0/prompt.txt')).toBe('create hello.txt\n\n---\n\nedit hello.txt')
  expect(await repo.transcriptLines(id)).toEqual(lines(create.transcript))
  expect((await repo.entire(['explain', '-c', id, '--full'])).out).toContain(
    'Changed the greeting in hello.txt.',
  )
  expect(repo.log().filter((line) => line.level === 'ERROR')).toEqual([])
})

test('a commit in the middle of the only turn is linked to the session, although the environment does not name it', async () => {
  await using repo = await ready()
  const run = replay(repo, 'factoryai-droid/run1-create')
  await run.to('003-PostToolUse')
  await repo.gitAs('agent', ['add', '-A'])
  await repo.gitAs('agent', ['commit', '--quiet', '-m', 'Add hello.txt'])
  await run.rest()
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({
    session_id: run.session,
    files_touched: ['hello.txt'],
  })
})

test('an automatic commit is named after the prompt in the transcript', async () => {
  await using repo = await ready()
  await repo.entire(['enable', '--agent', 'factoryai-droid', '--strategy', 'auto-commit'])
  await repo.commit('another strategy')
  await replay(repo, 'factoryai-droid/run1-create').rest()
  await replay(repo, 'factoryai-droid/run2-resume-edit').rest()
  expect((await repo.subjects('HEAD')).slice(0, 2)).toEqual(['Edit hello.txt', 'Create hello.txt'])
  const [last, first] = [await repo.checkpointOf('HEAD'), await repo.checkpointOf('HEAD~')]
  expect(await repo.stored(first, '0/prompt.txt')).toBe('create hello.txt')
  expect(await repo.stored(last, '0/prompt.txt')).toBe('edit hello.txt')
  expect((await repo.storedSession(last)).token_usage).toEqual(usage(4891 - 1897, 1009 - 403, 109 - 43, 3))
})

test('a turn without changes makes no step', async () => {
  await using repo = await ready()
  const run = replay(repo, 'factoryai-droid/run7-todo')
  await run.rest()
  expect(repo.state(run.session)).toMatchObject({ phase: 'ended', checkpoint_count: 0 })
  expect(await repo.shadows()).toEqual([])
})

test('a run that was killed is completed when the session is resumed', async () => {
  await using repo = await ready()
  const begin = await repo.head()
  const create = replay(repo, 'factoryai-droid/run1-create')
  await create.to('003-PostToolUse')
  expect(repo.state(create.session)).toMatchObject({ phase: 'active', checkpoint_count: 0 })
  await replay(repo, 'factoryai-droid/run2-resume-edit').to('001-SessionStart')
  expect(repo.state(create.session)).toMatchObject({
    phase: 'active',
    checkpoint_count: 1,
    session_turn_count: 2,
  })
  expect(await repo.subjects(repo.shadow(begin))).toEqual(['Create hello.txt'])
})

test('a session without a prompt has no part in the user’s commits; its first prompt begins a turn', async () => {
  await using repo = await ready()
  const run = replay(repo, 'factoryai-droid/run1-create')
  await run.to('001-SessionStart')
  repo.write('mine.txt', 'mine\n')
  repo.write('also-mine.txt', 'mine\n')
  // Commits without a terminal, as an editor does.
  await repo.commitAs('agent', 'my own work', 'mine.txt')
  expect(await repo.checkpointsOf()).toEqual([])
  const about = {
    session_id: run.session,
    transcript_path: run.transcript,
    hook_event_name: 'UserPromptSubmit',
  }
  await hook(repo, 'user-prompt-submit', { ...about, prompt: 'create hello.txt' })
  expect(repo.state(run.session)).toMatchObject({
    phase: 'active',
    checkpoint_count: 0,
    session_turn_count: 1,
  })
  await run.rest()
  expect(repo.state(run.session)).toMatchObject({
    files_touched: ['hello.txt'],
    first_prompt: 'create hello.txt',
    token_usage: usage(1897, 403, 43, 2),
  })
})

test('a session that was opened and closed without a prompt has no part in the user’s commits', async () => {
  await using repo = await ready()
  const run = replay(repo, 'factoryai-droid/run1-create')
  await run.to('001-SessionStart')
  mkdirSync(dirname(run.transcript), { recursive: true })
  writeFileSync(
    run.transcript,
    `${JSON.stringify({ type: 'session_start', id: run.session, title: 'New Session', cwd: repo.root })}\n`,
  )
  repo.write('mine.txt', 'mine\n')
  await hook(repo, 'session-end', { session_id: run.session, transcript_path: run.transcript })
  expect(repo.state(run.session)).toMatchObject({ phase: 'ended', checkpoint_count: 0 })
  expect(repo.state(run.session).files_touched).toBeUndefined()
  await repo.commitAs('human', 'mine', 'mine.txt')
  expect(await repo.checkpointsOf()).toEqual([])
})

test('a run that was killed in its first command is recorded at the next prompt of the session', async () => {
  await using repo = await ready()
  const run = replay(repo, 'factoryai-droid/run1-create')
  await run.to('001-SessionStart')
  mkdirSync(dirname(run.transcript), { recursive: true })
  const asked = {
    type: 'message',
    id: 'm1',
    message: { role: 'user', content: [{ type: 'text', text: 'run the generator' }] },
  }
  const tool = { type: 'tool_use', id: 't1', name: 'Execute', input: { command: 'make' } }
  const answer = { type: 'message', id: 'm2', message: { role: 'assistant', content: [tool] } }
  writeFileSync(run.transcript, [asked, answer].map((line) => `${JSON.stringify(line)}\n`).join(''))
  repo.write('made.txt', 'made\n')
  const about = { session_id: run.session, transcript_path: run.transcript }
  await hook(repo, 'user-prompt-submit', { ...about, prompt: 'go on' })
  expect(repo.state(run.session)).toMatchObject({
    phase: 'active',
    checkpoint_count: 1,
    files_touched: ['made.txt'],
    session_turn_count: 2,
  })
})

test('usage from before the recording is not counted, and a total that starts again is', async () => {
  await using repo = await ready()
  const run = replay(repo, 'factoryai-droid/run1-create')
  await run.to('001-SessionStart')
  const totals = (inputTokens: number, outputTokens: number) =>
    writeFileSync(
      run.transcript.replace('.jsonl', '.settings.json'),
      JSON.stringify({ model: 'custom:Mock-0', tokenUsage: { inputTokens, outputTokens } }),
    )
  const about = { session_id: 'forked', transcript_path: run.transcript, previous_session_id: run.session }
  await run.to('002-PreToolUse')
  totals(1000, 100)
  await hook(repo, 'session-start', { ...about, source: 'resume' })
  expect(repo.state('forked')).toMatchObject({ phase: 'active', previous_session_id: run.session })
  totals(1200, 110)
  repo.write('b.txt', 'b\n')
  await hook(repo, 'stop', about)
  expect(repo.state('forked').token_usage).toMatchObject({ input_tokens: 200, output_tokens: 10 })
  totals(50, 5)
  await hook(repo, 'user-prompt-submit', { ...about, prompt: 'on' })
  repo.write('b.txt', 'c\n')
  await hook(repo, 'stop', about)
  expect(repo.state('forked').token_usage).toMatchObject({ input_tokens: 250, output_tokens: 15 })
})

test('a subagent makes a step of its own; a failed one, which no hook reports, is saved with the turn', async () => {
  await using repo = await ready()
  const begin = await repo.head()
  const about = {
    session_id: 'task-session',
    tool_name: 'Task',
    tool_input: { subagent_type: 'worker', description: 'Write a' },
  }
  await hook(repo, 'session-start', { session_id: 'task-session' })
  await hook(repo, 'pre-tool-use', about)
  repo.write('a.txt', 'a\n')
  await hook(repo, 'post-tool-use', { ...about, tool_response: 'done' })
  expect(await repo.subjects(repo.shadow(begin))).toHaveLength(1)
  await hook(repo, 'pre-tool-use', { ...about, tool_input: { description: 'Write b' } })
  repo.write('b.txt', 'b\n')
  await hook(repo, 'stop', { session_id: 'task-session' })
  expect(repo.state('task-session')).toMatchObject({ files_touched: ['a.txt', 'b.txt'] })
  expect(await repo.paths(repo.shadow(begin))).toContain('b.txt')
  expect(repo.temporary()).toEqual([])
})

test('a rewind restores the file and the conversation of a turn', async () => {
  await using repo = await ready()
  const create = replay(repo, 'factoryai-droid/run1-create')
  await create.to('004-Stop')
  const [file, conversation] = [repo.read('hello.txt'), readFileSync(create.transcript, 'utf8')]
  await create.rest()
  await replay(repo, 'factoryai-droid/run2-resume-edit').rest()
  expect(repo.read('hello.txt')).not.toBe(file)
  expect(await repo.entire(['rewind', '--to', await stepOf(repo, 'Create hello.txt')])).toMatchObject({
    code: 0,
  })
  expect(repo.read('hello.txt')).toBe(file)
  expect(readFileSync(create.transcript, 'utf8').trimEnd()).toBe(conversation.trimEnd())
})

test('the session is resumed on another machine, where Droid looks for it', async () => {
  await using repo = await ready()
  await repo.git('switch', '--quiet', '-c', 'feature')
  const create = replay(repo, 'factoryai-droid/run1-create')
  await create.rest()
  await repo.commitAs('human', 'hello', 'hello.txt')
  await repo.git('branch', '--quiet', '--force', 'main')
  const machine = await otherMachine(repo, await pushAll(repo), '--branch', 'feature')
  const resumed = await machine.entire('resume')
  expect(resumed).toMatchObject({
    code: 0,
    err: expect.stringContaining(`droid --session-id ${create.session}`),
  })
  const there = join(
    machine.home,
    '.factory/sessions',
    machine.root.replaceAll('/', '-'),
    `${create.session}.jsonl`,
  )
  expect(lines(there)).toEqual(lines(create.transcript))
})

// Replays captured sessions of Copilot CLI, through the installed hooks, in a real repository.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { replayCopilot } from '../support/replay-copilot.ts'
import { otherMachine, pushAll } from '../support/resumable.ts'

setDefaultTimeout(60_000)

async function ready(): Promise<RecordedRepo> {
  const repo = await recordedRepo({ agent: 'copilot-cli' })
  await repo.commit('set up')
  await repo.git('switch', '--quiet', '-c', 'feature')
  return repo
}

const errors = (repo: RecordedRepo) => repo.log().filter((line) => line.level === 'ERROR')
const points = async (repo: RecordedRepo) =>
  JSON.parse((await repo.entire(['rewind', '--list'])).out) as { id: string; message: string }[]

test('three runs (create, edit, commit) have one checkpoint, and nothing is counted twice', async () => {
  await using repo = await ready()
  const shadow = repo.shadow(await repo.head())
  const create = replayCopilot(repo, 'run1-create')
  const { session } = create
  await create.to('006-agentStop')
  expect(repo.state(session)).toMatchObject({
    phase: 'idle',
    agent_type: 'Copilot CLI',
    model_name: 'mock-model',
    transcript_path: create.transcript,
    files_touched: ['hello.txt'],
    first_prompt: 'create hello.txt',
    token_usage: { input_tokens: 1897, cache_read_tokens: 403, output_tokens: 43, api_call_count: 2 },
  })
  expect(await repo.git('show', `${shadow}:.entire/metadata/${session}/summary.txt`)).toBe(
    'Created hello.txt with a greeting.',
  )
  await create.rest()
  expect(repo.state(session).phase).toBe('ended')

  await replayCopilot(repo, 'run2-resume-edit').rest()
  expect(await repo.subjects(shadow)).toEqual(['Edit hello.txt', 'Create hello.txt'])
  const commit = replayCopilot(repo, 'run3-commit-continue')
  await commit.to('003-preToolUse')
  expect(repo.state(session).phase).toBe('active_committed')
  await commit.rest()
  expect(repo.state(session)).toMatchObject({
    phase: 'ended',
    session_turn_count: 3,
    token_usage: {
      input_tokens: 6788,
      cache_creation_tokens: 0,
      cache_read_tokens: 1412,
      output_tokens: 152,
      api_call_count: 7,
    },
  })

  const id = await repo.checkpointOf()
  expect(await repo.storedSession(id)).toMatchObject({
    agent: 'Copilot CLI',
    model: 'mock-model',
    files_touched: ['hello.txt'],
    // The model call that reported the commit came after it, and belongs to its turn.
    token_usage: {
      input_tokens: 6788,
      cache_creation_tokens: 0,
      cache_read_tokens: 1412,
      output_tokens: 152,
      api_call_count: 7,
    },
  })
  expect(await repo.stored(id, '0/prompt.txt')).toBe(
    'create hello.txt\n\n---\n\nedit hello.txt\n\n---\n\ncommit the work',
  )
  const explained = await repo.entire(['explain', '-c', id, '--full'])
  expect(explained.out).toContain('Agent: Copilot CLI')
  expect(explained.out).toContain('Changed the greeting in hello.txt.')
  expect(errors(repo)).toEqual([])
})

test('a prompt that is reported before the start of its session is recorded in the same way', async () => {
  await using repo = await ready()
  const run = replayCopilot(repo, 'run1-create')
  await run.to('002-userPromptSubmitted')
  const start = readFileSync(
    join(import.meta.dir, '../fixtures/agents/copilot-cli/run1-create/hooks/001-sessionStart.json'),
    'utf8',
  )
  await repo.entire(['hooks', 'copilot-cli', 'session-start'], { stdin: start })
  await run.rest()
  expect(repo.state(run.session)).toMatchObject({
    phase: 'ended',
    session_turn_count: 1,
    files_touched: ['hello.txt'],
    checkpoint_count: 1,
  })
})

test('a subagent makes a step of its own, not a session', async () => {
  await using repo = await ready()
  const shadow = repo.shadow(await repo.head())
  const run = replayCopilot(repo, 'subagent')
  await run.to('013-subagentStop')
  expect(await repo.subjects(shadow)).toEqual([
    "Completed 'general-purpose' agent: Write two files (4bff2ad4-c1e)",
  ])
  await run.rest()
  expect(repo.hasState('4bff2ad4-c1ee-43da-8700-b956c1a714d9')).toBe(false)
  expect(repo.state(run.session)).toMatchObject({
    phase: 'ended',
    session_turn_count: 1,
    last_prompt: 'write via helper',
    files_touched: ['a.txt', 'b.txt'],
    token_usage: { api_call_count: 2, subagent_tokens: { input_tokens: 2095, api_call_count: 2 } },
  })
  await repo.commitAs('human', 'two files', 'a.txt', 'b.txt')
  const id = await repo.checkpointOf()
  expect(await repo.storedSession(id)).toMatchObject({ files_touched: ['a.txt', 'b.txt'] })
  expect(await repo.stored(id, '0/prompt.txt')).toBe('write via helper')
  expect(errors(repo)).toEqual([])
})

test('a session continues when a background subagent finishes after its end', async () => {
  await using repo = await ready()
  const run = replayCopilot(repo, 'subagent-background')
  await run.to('008-sessionEnd')
  expect(repo.state(run.session)).toMatchObject({ phase: 'ended' })
  await run.to('017-userPromptSubmitted')
  expect(repo.state(run.session)).toMatchObject({
    phase: 'active',
    last_prompt: 'helper in background',
    files_touched: ['a.txt', 'b.txt'],
  })
  await run.rest()
  expect(repo.state(run.session)).toMatchObject({
    phase: 'ended',
    token_usage: { api_call_count: 3, subagent_tokens: { api_call_count: 2 } },
  })
  expect(errors(repo)).toEqual([])
})

test('a turn that was interrupted is recorded at the next prompt', async () => {
  await using repo = await ready()
  const shadow = repo.shadow(await repo.head())
  const run = replayCopilot(repo, 'interrupted')
  await run.to('009-permissionRequest')
  expect(repo.state(run.session)).toMatchObject({ phase: 'active' })
  expect(await repo.shadows()).toEqual([])
  await run.to('010-userPromptSubmitted')
  expect(await repo.subjects(shadow)).toEqual(['Take your time'])
  await run.rest()
  expect(repo.state(run.session)).toMatchObject({
    files_touched: ['slow.txt'],
    last_prompt: 'say nothing special again',
  })
})

test('the reason of a hook that blocks a stop is not a prompt', async () => {
  await using repo = await ready()
  const run = replayCopilot(repo, 'stop-blocked')
  await run.rest()
  expect(repo.state(run.session)).toMatchObject({
    last_prompt: 'create hello.txt',
    session_turn_count: 2,
  })
  await repo.commitAs('human', 'hello', 'hello.txt')
  expect(await repo.stored(await repo.checkpointOf(), '0/prompt.txt')).toBe('create hello.txt')
})

test('a compaction makes a step, and a fork has only its own prompts and tokens', async () => {
  await using repo = await ready()
  const fork = 'b172b09e-9ccb-4000-8c79-6d34c3ae6cda'
  const run = replayCopilot(repo, 'compact-fork')
  await run.rest()
  expect(repo.state(run.session)).toMatchObject({
    phase: 'ended',
    files_touched: ['hello.txt', 'slow.txt'],
    token_usage: { input_tokens: 9964, api_call_count: 8 },
  })
  expect(repo.state(fork)).toMatchObject({
    phase: 'ended',
    first_prompt: 'say nothing special',
    token_usage: { input_tokens: 1691, api_call_count: 1 },
  })
  expect(errors(repo)).toEqual([])
})

test('a rewind restores the file and the conversation of a turn', async () => {
  await using repo = await ready()
  const create = replayCopilot(repo, 'run1-create')
  await create.to('006-agentStop')
  const [file, conversation] = [repo.read('hello.txt'), readFileSync(create.transcript, 'utf8')]
  await create.rest()
  await replayCopilot(repo, 'run2-resume-edit').rest()
  expect(repo.read('hello.txt')).not.toBe(file)
  const first = (await points(repo)).find(({ message }) => message === 'Create hello.txt')
  expect(await repo.entire(['rewind', '--to', first?.id ?? ''])).toMatchObject({
    code: 0,
    out: expect.stringContaining(`copilot --resume=${create.session}`),
  })
  expect(repo.read('hello.txt')).toBe(file)
  expect(readFileSync(create.transcript, 'utf8')).toBe(conversation)
})

test('the session is resumed on another machine, where Copilot CLI looks for it', async () => {
  await using repo = await ready()
  const create = replayCopilot(repo, 'run1-create')
  await create.rest()
  await repo.commitAs('human', 'hello', 'hello.txt')
  await repo.git('branch', '--quiet', '--force', 'main')
  const machine = await otherMachine(repo, await pushAll(repo), '--branch', 'feature')
  const resumed = await machine.entire('resume')
  expect(resumed).toMatchObject({
    code: 0,
    err: expect.stringContaining(`copilot --resume=${create.session}`),
  })
  const there = join(machine.home, '.copilot/session-state', create.session, 'events.jsonl')
  const stored = await repo.transcript(await repo.checkpointOf())
  expect(readFileSync(there, 'utf8').trimEnd()).toBe(stored.trimEnd())
  expect(readFileSync(create.transcript, 'utf8')).toStartWith(stored.trimEnd())
})

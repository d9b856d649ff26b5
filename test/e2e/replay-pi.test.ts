// Replays captured sessions of Pi, through the installed extension, in a real repository.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { replayPi } from '../support/replay-pi.ts'
import { otherMachine } from '../support/resumable.ts'

setDefaultTimeout(60_000)

const lines = (path: string) => readFileSync(path, 'utf8').trimEnd().split('\n')
const usage = (input: number, cacheRead: number, output: number, calls: number) => ({
  input_tokens: input,
  cache_creation_tokens: 0,
  cache_read_tokens: cacheRead,
  output_tokens: output,
  api_call_count: calls,
})

async function ready(): Promise<RecordedRepo> {
  const repo = await recordedRepo({ agent: 'pi' })
  await repo.commit('set up')
  return repo
}

async function play(repo: RecordedRepo, scenario: string): Promise<{ session: string; transcript: string }> {
  await using run = replayPi(repo, scenario)
  await run.rest()
  return run
}

test('two runs (create, edit) are two turns of one session, with a step for each', async () => {
  await using repo = await ready()
  const shadow = repo.shadow(await repo.head())
  await using create = replayPi(repo, 'run1-create')
  const { session } = create
  // The file of a session comes with the first answer.
  await create.to('005-before_agent_start')
  expect(existsSync(create.transcript)).toBe(false)
  expect(repo.state(session)).toMatchObject({
    phase: 'active',
    transcript_path: create.transcript,
    model_name: 'mock-model',
  })
  await create.to('044-agent_end')
  expect(repo.state(session)).toMatchObject({
    phase: 'idle',
    agent_type: 'Pi',
    model_name: 'mock-model',
    checkpoint_count: 1,
    files_touched: ['hello.txt'],
    first_prompt: 'create hello.txt',
    token_usage: usage(1897, 403, 43, 2),
  })
  expect(await repo.subjects(shadow)).toEqual(['Create hello.txt'])
  expect(await repo.git('show', `${shadow}:.entire/metadata/${session}/summary.txt`)).toBe(
    'Created hello.txt with a greeting.',
  )
  await create.rest()
  expect(repo.state(session).phase).toBe('ended')

  await using edit = replayPi(repo, 'run2-resume-edit')
  await edit.to('002-session_start')
  expect(repo.state(session).phase).toBe('idle')
  await edit.rest()
  expect(repo.state(session)).toMatchObject({
    phase: 'ended',
    checkpoint_count: 2,
    session_turn_count: 2,
    last_prompt: 'edit hello.txt',
    token_usage: usage(4891, 1009, 109, 5),
  })
  expect(await repo.subjects(shadow)).toEqual(['Edit hello.txt', 'Create hello.txt'])

  await repo.commitAs('human', 'hello', 'hello.txt')
  const id = await repo.checkpointOf()
  expect(await repo.transcriptLines(id)).toEqual(lines(create.transcript))
  expect(await repo.stored(id, '0/prompt.txt')).toBe('create hello.txt\n\n---\n\nedit hello.txt')
  expect(await repo.storedSession(id)).toMatchObject({
    agent: 'Pi',
    model: 'mock-model',
    checkpoints_count: 2,
    files_touched: ['hello.txt'],
    token_usage: usage(4891, 1009, 109, 5),
  })
  expect(repo.log().filter((line) => line.level === 'ERROR')).toEqual([])
})

test('a commit by the agent is linked at once, and its checkpoint has the whole turn when the turn has ended', async () => {
  await using repo = await ready()
  await play(repo, 'run1-create')
  await play(repo, 'run2-resume-edit')
  await using commit = replayPi(repo, 'run3-commit-continue')
  await commit.to('024-tool_call')
  const id = await repo.checkpointOf()
  expect(await repo.git('log', '-1', '--format=%s')).toBe('Add hello.txt')
  expect(repo.state(commit.session).phase).toBe('active_committed')
  await commit.rest()
  // With what the turn spent after the commit.
  expect(await repo.storedSession(id)).toMatchObject({
    agent: 'Pi',
    files_touched: ['hello.txt'],
    token_usage: usage(6788, 1412, 152, 7),
  })
  expect(repo.state(commit.session).token_usage).toEqual(usage(6788, 1412, 152, 7))
  expect(await repo.transcriptLines(id)).toEqual(lines(commit.transcript))
  expect(await repo.stored(id, '0/prompt.txt')).toBe(
    'create hello.txt\n\n---\n\nedit hello.txt\n\n---\n\ncommit the work',
  )
  expect(await repo.shadows()).toEqual([])
  const explained = await repo.entire(['explain', '--commit', 'HEAD', '--no-pager'])
  expect(explained.out).toContain('commit the work')
})

test('a subagent makes a step of its own, and its tokens are included in those of the session', async () => {
  await using repo = await ready()
  await using run = replayPi(repo, 'run4-subagent')
  await run.to('030-tool_result')
  const [task] = JSON.parse((await repo.entire(['rewind', '--list'])).out)
  expect(task).toMatchObject({
    is_task_checkpoint: true,
    tool_use_id: 'call_4ceryg94n0',
    session_id: run.session,
    message: "Completed 'general' agent: create two files (call_4ceryg9)",
  })
  await run.rest()
  expect(repo.state(run.session)).toMatchObject({
    files_touched: ['a.txt', 'b.txt'],
    token_usage: { ...usage(2095, 405, 45, 2), subagent_tokens: usage(2095, 405, 45, 2) },
  })
  await repo.commitAs('human', 'two files', 'a.txt', 'b.txt')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({
    agent: 'Pi',
    files_touched: ['a.txt', 'b.txt'],
    token_usage: { ...usage(2095, 405, 45, 2), subagent_tokens: usage(2095, 405, 45, 2) },
  })
})

test('after a compaction the session continues, and everything counts once', async () => {
  await using repo = await ready()
  await using run = replayPi(repo, 'run5-compact')
  await run.to('046-session_compact')
  expect(repo.state(run.session)).toMatchObject({ phase: 'idle', token_usage: usage(1897, 403, 43, 2) })
  await run.rest()
  expect(repo.state(run.session)).toMatchObject({
    phase: 'ended',
    session_turn_count: 2,
    files_touched: ['a.txt', 'b.txt', 'hello.txt'],
    token_usage: usage(4388, 812, 92, 4),
  })
  await repo.commitAs('human', 'files')
  const id = await repo.checkpointOf()
  expect(await repo.transcriptLines(id)).toEqual(lines(run.transcript))
  expect(await repo.stored(id, '0/prompt.txt')).toBe('create hello.txt\n\n---\n\ncreate two files')
})

test('a fork begins with the conversation of its parent, and counts only its own tokens', async () => {
  await using repo = await ready()
  const parent = await play(repo, 'run1-create')
  const session = '01a1e0c0-0000-7000-8000-000000000000'
  const fork = parent.transcript.replace(parent.session, session)
  const [header = '', ...rest] = lines(parent.transcript)
  const own = {
    ...JSON.parse(header),
    id: session,
    timestamp: '2026-11-15T19:59:00.000Z',
    parentSession: parent.transcript,
  }
  writeFileSync(fork, `${[JSON.stringify(own), ...rest].join('\n')}\n`)
  const tell = async (type: string, more: object = {}) => {
    const payload = {
      type,
      cwd: repo.root,
      session_id: session,
      session_file: fork,
      parent_session: parent.transcript,
      ...more,
    }
    expect((await repo.entire(['hooks', 'pi', type], { stdin: JSON.stringify(payload) })).code).toBe(0)
  }
  await tell('session_start', { reason: 'startup' })
  await tell('before_agent_start', { prompt: 'and now' })
  repo.write('forked.txt', 'x\n')
  const answer = JSON.parse(rest.at(-1) ?? '')
  appendFileSync(
    fork,
    `${JSON.stringify({ ...answer, id: 'f0000000', parentId: answer.id, timestamp: '2026-11-15T20:00:00.000Z' })}\n`,
  )
  await tell('agent_end')
  expect(repo.state(session)).toMatchObject({
    previous_session_id: parent.session,
    first_prompt: 'and now',
    files_touched: ['forked.txt'],
    token_usage: usage(998, 202, 22, 1),
  })
})

test('a turn that was cut off is saved when the session continues', async () => {
  await using repo = await ready()
  const shadow = repo.shadow(await repo.head())
  await using cut = replayPi(repo, 'run1-create')
  await cut.to('028-tool_result')
  expect(await repo.shadows()).toEqual([])
  // Killed: no event reports the end of the turn.
  await cut[Symbol.asyncDispose]()
  await using resumed = replayPi(repo, 'run2-resume-edit')
  await resumed.to('002-session_start')
  expect(await repo.subjects(shadow)).toEqual(['Create hello.txt'])
  await resumed.rest()
  expect(repo.state(cut.session)).toMatchObject({
    phase: 'ended',
    files_touched: ['hello.txt'],
    token_usage: usage(4891, 1009, 109, 5),
  })
})

test('a session that ends in the middle of a turn saves the turn', async () => {
  await using repo = await ready()
  await using run = replayPi(repo, 'run1-create')
  await run.to('028-tool_result')
  const ended = await repo.entire(['hooks', 'pi', 'session_shutdown'], {
    stdin: JSON.stringify({
      session_id: run.session,
      session_file: run.transcript,
      cwd: repo.root,
      reason: 'quit',
    }),
  })
  expect(ended.code).toBe(0)
  expect(repo.state(run.session)).toMatchObject({
    phase: 'ended',
    checkpoint_count: 1,
    files_touched: ['hello.txt'],
  })
})

test('a rewind restores the file and the conversation of a step', async () => {
  await using repo = await ready()
  await play(repo, 'run1-create')
  const [step] = JSON.parse((await repo.entire(['rewind', '--list'])).out)
  const { transcript } = await play(repo, 'run2-resume-edit')
  expect(repo.read('hello.txt')).toBe('Hello, agents!\nSecond line.\n')
  const rewound = await repo.entire(['rewind', '--to', step.id])
  expect(rewound.code).toBe(0)
  expect(repo.read('hello.txt')).toBe('Hello, world!\nSecond line.\n')
  expect(lines(transcript)).toHaveLength(7)
  expect(rewound.out + rewound.err).toContain('pi --session 01a1e0b2-7cac-759b-b11e-c3ad235bf442')
})

test('the session is resumed on another machine, where Pi looks for it', async () => {
  await using repo = await ready()
  const { session } = await play(repo, 'run1-create')
  await repo.commitAs('human', 'hello', 'hello.txt')
  const remote = join(repo.base, 'origin.git')
  await repo.git('init', '--quiet', '--bare', '--initial-branch=main', remote)
  await repo.git('remote', 'add', 'origin', remote)
  await repo.git('push', '--quiet', 'origin', 'main')
  const machine = await otherMachine(repo, remote)
  const ran = await machine.entire('resume', session)
  expect(ran).toMatchObject({ code: 0 })
  expect(ran.err).toContain(`pi --session ${session}`)
  const dir = join(machine.home, '.pi/agent/sessions', `--${machine.root.slice(1).replaceAll('/', '-')}--`)
  const [header, ...rest] = lines(join(dir, `2026-11-15T19-32-36-141Z_${session}.jsonl`))
  const [, ...recorded] = await repo.transcriptLines(await repo.checkpointOf())
  expect(JSON.parse(header ?? '')).toMatchObject({ type: 'session', id: session, cwd: machine.root })
  expect(rest).toEqual(recorded)
  // Resuming again changes nothing.
  expect((await machine.entire('resume', session)).code).toBe(0)
})

test('the extension of the reference program is understood', async () => {
  await using repo = await ready()
  const file = join(repo.base, 'home/.pi/agent/sessions/--x--/2026-11-15T19-32-36-141Z_11112222.jsonl')
  const tell = (type: string, more: object = {}) =>
    repo.entire(['hooks', 'pi', type], {
      stdin: JSON.stringify({ type, cwd: repo.root, session_file: file, ...more }),
    })
  for (const [type, more] of [
    ['session_start'],
    ['before_agent_start', { prompt: 'go', skill_events: [] }],
  ] as const)
    expect(await tell(type, more)).toMatchObject({ code: 0, err: expect.not.stringContaining('failed') })
  repo.write('made.txt', 'x\n')
  expect((await tell('agent_end')).code).toBe(0)
  expect(repo.state('11112222')).toMatchObject({
    phase: 'idle',
    checkpoint_count: 1,
    files_touched: ['made.txt'],
  })
  expect(
    await repo.entire(['hooks', 'pi', 'session_shutdown'], { stdin: '{"type":"session_shutdown"}' }),
  ).toMatchObject({
    code: 0,
    err: '',
  })
  expect((await tell('before_agent_start', { session_file: undefined, prompt: 'x' })).err).toContain(
    'has no session id in its payload',
  )
})

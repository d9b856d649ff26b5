// Replays captured sessions of Codex, through the installed hooks, in a real repository.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { codex } from '../../src/agents/codex/index.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { replay } from '../support/replay.ts'
import { otherMachine, pushAll } from '../support/resumable.ts'

setDefaultTimeout(60_000)

async function ready(): Promise<RecordedRepo> {
  const repo = await recordedRepo({ agent: 'codex' })
  await repo.commit('set up')
  return repo
}

/** A rollout as it is stored: without encrypted content. */
const readable = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => codex.transcript.strip?.(line) ?? line)

const usage = (input: number, cacheRead: number, output: number, calls: number) => ({
  input_tokens: input,
  cache_creation_tokens: 0,
  cache_read_tokens: cacheRead,
  output_tokens: output,
  api_call_count: calls,
})

test('three runs (create, edit, commit) are one session with a step for each turn and one checkpoint', async () => {
  await using repo = await ready()
  const begin = await repo.head()
  const create = replay(repo, 'codex/A1-create')
  const { session, transcript } = create
  await create.to('005-Stop')
  expect(repo.state(session)).toMatchObject({
    phase: 'idle',
    agent_type: 'Codex',
    model_name: 'gpt-5.5',
    checkpoint_count: 1,
    files_touched: ['hello.txt'],
    first_prompt: 'create hello.txt',
    transcript_path: transcript,
    token_usage: usage(1403, 600, 104, 2),
  })
  await create.rest()
  expect(repo.state(session).phase).toBe('ended')
  await replay(repo, 'codex/A2-resume-edit').rest()
  expect(repo.state(session)).toMatchObject({
    checkpoint_count: 2,
    session_turn_count: 2,
    token_usage: usage(3509, 1500, 259, 5),
  })
  expect(await repo.subjects(repo.shadow(begin))).toEqual(['Edit hello.txt', 'Create hello.txt'])
  const step = await repo.git('show', `${repo.shadow(begin)}:.entire/metadata/${session}/full.jsonl`)
  expect(step).not.toContain('bW9jay1lbmNyeXB0ZWQ=')
  expect(step).not.toContain('REDACTED')

  const commit = replay(repo, 'codex/A3-resume-last-commit')
  await commit.to('005-Stop')
  const atStop = readable(readFileSync(transcript, 'utf8'))
  await commit.rest()
  const id = await repo.checkpointOf()
  expect(await repo.storedSession(id)).toMatchObject({
    agent: 'Codex',
    model: 'gpt-5.5',
    session_id: session,
    checkpoints_count: 2,
    files_touched: ['hello.txt'],
  })
  expect(await repo.transcriptLines(id)).toEqual(atStop)
  expect(await repo.stored(id, '0/prompt.txt')).toBe(
    'create hello.txt\n\n---\n\nedit hello.txt\n\n---\n\ncommit the changes',
  )
  expect(repo.state(session)).toMatchObject({ phase: 'ended', token_usage: usage(4912, 2100, 362, 7) })
  expect(await repo.shadows()).toEqual([])
  const explained = await repo.entire(['explain', '-c', id, '--full'])
  expect(explained.out).toContain('Agent: Codex')
  expect(explained.out).toContain('Reading hello.txt first.')
  expect(repo.log().filter((line) => line.level === 'ERROR')).toEqual([])
})

test('files that a script wrote are recorded like those of a tool', async () => {
  await using repo = await ready()
  const run = replay(repo, 'codex/c5-create-gpt6')
  await run.rest()
  expect(repo.state(run.session)).toMatchObject({
    model_name: 'gpt-6-sol',
    files_touched: ['six.txt'],
    token_usage: usage(1403, 600, 104, 2),
  })
})

test('a subagent makes a step of its own, and its instructions are not prompts', async () => {
  await using repo = await ready()
  const shadow = repo.shadow(await repo.head())
  const run = replay(repo, 'codex/c4-subagent-gpt55')
  const child = '01a1e0aa-c2b2-73c0-8c7e-a95a0806d6f7'
  await run.to('006-UserPromptSubmit')
  expect(repo.temporary()).toContain(`pre-task-${child}.json`)
  expect(repo.state(run.session)).toMatchObject({
    phase: 'active',
    session_turn_count: 1,
    last_prompt: 'spawn a subagent',
  })
  expect(repo.state(run.session).transcript_path).toBe(run.transcript)
  await run.to('010-SubagentStop')
  const subject = "Completed 'default' agent: SUBAGENT-WRITE sub.txt (01a1e0aa-c2b)"
  expect(await repo.subjects(shadow)).toEqual([subject])
  const task = `${shadow}:.entire/metadata/${run.session}/tasks/${child}`
  expect(await repo.git('show', `${task}/agent-${child}.jsonl`)).toContain('Subagent done: wrote sub.txt.')
  await run.to('012-Stop')
  expect(await repo.subjects(shadow)).toEqual(['Spawn a subagent', subject])
  await run.rest()
  await repo.commitAs('human', 'sub', 'sub.txt')
  const id = await repo.checkpointOf()
  expect(await repo.storedSession(id)).toMatchObject({
    files_touched: ['sub.txt'],
    token_usage: { ...usage(2812, 1200, 205, 4), subagent_tokens: usage(1409, 600, 103, 2) },
  })
  expect(await repo.stored(id, '0/prompt.txt')).toBe('spawn a subagent')
})

test('a compaction in the middle of a turn does not end it', async () => {
  await using repo = await ready()
  const run = replay(repo, 'codex/c12-autocompact')
  await run.to('007-SessionStart')
  expect(repo.state(run.session)).toMatchObject({ phase: 'active', session_turn_count: 1 })
  repo.write('hello.txt', 'edited\n')
  await run.rest()
  expect(repo.state(run.session)).toMatchObject({
    phase: 'ended',
    checkpoint_count: 1,
    files_touched: ['hello.txt'],
    token_usage: usage(2106, 900, 154, 3),
  })
})

test('a turn that was killed is saved when the session is resumed', async () => {
  await using repo = await ready()
  const killed = replay(repo, 'codex/A1-create')
  await killed.to('004-PostToolUse')
  expect(await repo.shadows()).toEqual([])
  await replay(repo, 'codex/A2-resume-edit').to('001-SessionStart')
  expect(await repo.subjects(repo.shadow(await repo.head()))).toEqual(['Create hello.txt'])
  expect(repo.state(killed.session)).toMatchObject({ checkpoint_count: 1, files_touched: ['hello.txt'] })
})

test('a turn that was interrupted is saved at once', async () => {
  await using repo = await ready()
  const run = replay(repo, 'codex/A1-create')
  await run.to('004-PostToolUse')
  const payload = {
    session_id: run.session,
    transcript_path: run.transcript,
    cwd: repo.root,
    hook_event_name: 'Interrupt',
  }
  expect(
    await repo.entire(['hooks', 'codex', 'interrupt'], { stdin: JSON.stringify(payload) }),
  ).toMatchObject({ code: 0, out: '' })
  expect(repo.state(run.session)).toMatchObject({
    phase: 'idle',
    checkpoint_count: 1,
    files_touched: ['hello.txt'],
  })
})

test('a fork is a session of its own that names its origin; a file that its shell patched is found', async () => {
  await using repo = await ready()
  const create = replay(repo, 'codex/A1-create')
  await create.rest()
  await repo.commitAs('human', 'hello', 'hello.txt')
  const fork = '01a1e0ff-0000-7000-8000-000000000001'
  const path = create.transcript.replace(create.session, fork)
  const line = (ordinal: number, type: string, payload: object) =>
    `${JSON.stringify({ timestamp: '2026-11-15T20:00:00Z', ordinal, type, payload })}\n`
  const base = { thread_id: create.session, end_ordinal_exclusive: 23, end_byte_offset: 14_568 }
  const meta = line(23, 'session_meta', {
    session_id: fork,
    id: fork,
    thread_source: 'user',
    forked_from_id: create.session,
    history_base: base,
  })
  repo.write(relative(repo.root, path), meta)
  const hook = async (verb: string, payload: object = {}) => {
    const stdin = JSON.stringify({
      session_id: fork,
      transcript_path: path,
      cwd: repo.root,
      model: 'gpt-5.5',
      ...payload,
    })
    expect(await repo.entire(['hooks', 'codex', verb], { stdin })).toMatchObject({ code: 0 })
  }
  await hook('session-start', { source: 'fork' })
  await hook('user-prompt-submit', { prompt: 'go on' })
  await hook('pre-tool-use', { tool_name: 'Bash', tool_input: { command: "apply_patch <<'EOF'" } })
  repo.write('by-shell.txt', 'patched\n')
  const said = line(25, 'response_item', {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'Went on.' }],
  })
  const counts = { input_tokens: 1010, cached_input_tokens: 300, output_tokens: 40, total_tokens: 1050 }
  const record = line(26, 'token_usage_record', {
    response_id: 'r',
    usage: counts,
    thread_token_usage: { ...counts, input_tokens: 3013 },
  })
  repo.write(relative(repo.root, path), meta + said + record)
  await hook('stop')
  expect(repo.state(fork)).toMatchObject({
    previous_session_id: create.session,
    files_touched: ['by-shell.txt'],
    token_usage: usage(710, 300, 40, 1),
  })
})

test('a rewind restores the file and the conversation of a turn', async () => {
  await using repo = await ready()
  const create = replay(repo, 'codex/A1-create')
  await create.to('005-Stop')
  const [file, conversation] = [repo.read('hello.txt'), readable(readFileSync(create.transcript, 'utf8'))]
  await create.rest()
  await replay(repo, 'codex/A2-resume-edit').rest()
  expect(repo.read('hello.txt')).not.toBe(file)
  const points = JSON.parse((await repo.entire(['rewind', '--list'])).out) as {
    id: string
    message: string
  }[]
  const first = points.find(({ message }) => message === 'Create hello.txt')
  expect(await repo.entire(['rewind', '--to', first?.id ?? ''])).toMatchObject({ code: 0 })
  expect(repo.read('hello.txt')).toBe(file)
  expect(readable(readFileSync(create.transcript, 'utf8'))).toEqual(conversation)
})

test('the session is resumed on another machine, where Codex looks for it', async () => {
  await using repo = await ready()
  await repo.git('switch', '--quiet', '-c', 'feature')
  const run = replay(repo, 'codex/c4-subagent-gpt55')
  await run.rest()
  const conversation = readable(readFileSync(run.transcript, 'utf8'))
  await repo.commitAs('human', 'sub', 'sub.txt')
  await repo.git('branch', '--quiet', '--force', 'main')
  const machine = await otherMachine(repo, await pushAll(repo), '--branch', 'feature')
  const resumed = await machine.entire('resume')
  expect(resumed).toMatchObject({ code: 0, err: expect.stringContaining(`codex resume ${run.session}`) })
  const there = join(machine.home, relative(join(repo.base, 'home'), run.transcript))
  expect(there).toEndWith(`.codex/sessions/2026/11/15/rollout-2026-11-15T19-24-09-${run.session}.jsonl`)
  expect(readFileSync(there, 'utf8')).toBe(`${conversation.join('\n')}\n`)
})

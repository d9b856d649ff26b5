// Captured sessions of Claude Code, through the hooks that are installed, in a real repository.
import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { replay } from '../support/replay.ts'

const lines = (path: string) => readFileSync(path, 'utf8').trimEnd().split('\n')

async function ready(): Promise<RecordedRepo> {
  const repo = await recordedRepo()
  await repo.commit('set up')
  return repo
}

test('create, resume, commit in mid-turn and compact: one conversation in four runs', async () => {
  await using repo = await ready()
  const h0 = await repo.head()

  // A file, created in the first run.
  const create = replay(repo, 'claude-code/A1-create')
  const session = create.session
  await create.to('002-UserPromptSubmit')
  // There is no transcript yet at the first prompt.
  expect(existsSync(create.transcript)).toBe(false)
  expect(repo.state(session)).toMatchObject({ phase: 'active', first_prompt: 'create hello.txt' })
  await create.to('008-Stop')
  expect(repo.state(session)).toMatchObject({
    phase: 'idle',
    checkpoint_count: 1,
    files_touched: ['hello.txt'],
    model_name: 'claude-opus-5-5',
    token_usage: { input_tokens: 203, cache_creation_tokens: 40, cache_read_tokens: 600, output_tokens: 103, api_call_count: 2 },
  })
  expect(await repo.subjects(repo.shadow(h0))).toEqual(['Create hello.txt'])
  expect(await repo.git('show', `${repo.shadow(h0)}:.entire/metadata/${session}/summary.txt`)).toBe('Created hello.txt.')
  await create.rest()
  expect(repo.state(session).phase).toBe('ended')

  // Edited in the second.
  const edit = replay(repo, 'claude-code/A2-resume-edit')
  await edit.to('001-SessionStart')
  expect(repo.state(session)).toMatchObject({ phase: 'idle', transcript_path: create.transcript })
  await edit.rest()
  expect(repo.state(session)).toMatchObject({
    phase: 'ended',
    checkpoint_count: 2,
    session_turn_count: 2,
    token_usage: { api_call_count: 5 },
  })
  expect(await repo.subjects(repo.shadow(h0))).toEqual(['Edit hello.txt', 'Create hello.txt'])

  // Committed by the agent in the third; its last words are written while the Stop hook runs.
  const commit = replay(repo, 'claude-code/A3-continue-commit')
  await commit.to('005-PostToolUse')
  const id = await repo.checkpointOf()
  expect(await repo.git('log', '-1', '--format=%s')).toBe('mock: agent commit')
  expect(repo.state(session)).toMatchObject({ phase: 'active_committed', turn_checkpoint_ids: [id] })
  expect(await repo.storedSession(id)).toMatchObject({
    session_id: session,
    agent: 'Claude Code',
    model: 'claude-opus-5-5',
    checkpoints_count: 2,
    files_touched: ['hello.txt'],
  })
  expect(await repo.stored(id, '0/prompt.txt')).toBe('create hello.txt\n\n---\n\nedit hello.txt\n\n---\n\ncommit the changes')
  expect(await repo.transcript(id)).not.toContain('"text":"Committed."')
  await commit.to('008-Stop')
  expect(await repo.transcript(id)).toContain('"text":"Committed."')
  expect(repo.state(session)).toMatchObject({ phase: 'idle', checkpoint_count: 0, token_usage: { api_call_count: 7 } })
  await commit.rest()

  // Compacted in the fourth: nothing to save, and a subagent that never was.
  const compact = replay(repo, 'claude-code/A4-compact')
  await compact.rest()
  expect(await repo.shadows()).toEqual([])
  expect(repo.state(session)).toMatchObject({ phase: 'ended', checkpoint_count: 0, last_checkpoint_id: id })
  expect(repo.temporary()).toEqual([])
  expect(repo.log().filter((line) => line.level === 'ERROR')).toEqual([])
})

test('a commit of everything: the environment of the agent’s shell says whose it is', async () => {
  await using repo = await ready()
  for (const name of ['after.txt', 'sub/bg.txt']) repo.write(name, 'left over from elsewhere\n')
  const run = replay(repo, 'claude-code/s17-commit-githookenv')
  await run.to('005-PostToolUse')
  const id = await repo.checkpointOf()
  expect(await repo.storedSession(id)).toMatchObject({
    session_id: run.session,
    files_touched: ['after.txt', 'sub/bg.txt'],
    checkpoints_count: 0,
  })
  await run.rest()
  expect(await repo.transcript(id)).toContain('"text":"Committed."')
  expect(await repo.stored(id, '0/prompt.txt')).toBe('commit everything')
  expect(repo.state(run.session)).toMatchObject({ phase: 'ended', checkpoint_count: 0, token_usage: { api_call_count: 2 } })
})

test('a background subagent ends after the turn that launched it; the notification of its end is no prompt', async () => {
  await using repo = await ready()
  const shadow = repo.shadow(await repo.head())
  const run = replay(repo, 'claude-code/s4-subagent')
  const task = 'toolu_01ykKVNfVxiiuMgvSRbPMfBJ'
  await run.to('005-PostToolUse')
  // Launched, not finished.
  expect(await repo.shadows()).toEqual([])
  expect(repo.temporary()).toContain(`pre-task-${task}.json`)
  await run.to('011-Stop')
  expect(repo.state(run.session)).toMatchObject({ phase: 'idle', checkpoint_count: 1, files_touched: ['sub.txt'] })
  expect(await repo.subjects(shadow)).toEqual(['Spawn a subagent'])
  await run.to('013-SubagentStop')
  expect(await repo.subjects(shadow)).toEqual(["Completed 'general-purpose' agent: Write sub.txt (toolu_01ykKV)", 'Spawn a subagent'])
  expect(JSON.parse(await repo.git('show', `${shadow}:.entire/metadata/${run.session}/tasks/${task}/checkpoint.json`))).toMatchObject({
    tool_use_id: task,
    agent_id: 'a0dbc9b03db2772af',
  })
  expect(await repo.git('show', `${shadow}:.entire/metadata/${run.session}/tasks/${task}/agent-a0dbc9b03db2772af.jsonl`)).toContain(
    'Subagent done: wrote sub.txt.',
  )
  expect(repo.temporary()).toEqual([])
  await run.to('014-UserPromptSubmit')
  expect(repo.state(run.session)).toMatchObject({ phase: 'active', session_turn_count: 2, last_prompt: 'spawn a subagent' })
  await run.rest()
  expect(repo.state(run.session)).toMatchObject({ phase: 'ended', files_touched: ['sub.txt'] })

  await repo.commitAs('human', 'sub', 'sub.txt')
  const id = await repo.checkpointOf()
  expect(await repo.stored(id, '0/prompt.txt')).toBe('spawn a subagent')
  expect(await repo.storedSession(id)).toMatchObject({
    files_touched: ['sub.txt'],
    token_usage: {
      input_tokens: 309,
      output_tokens: 94,
      api_call_count: 3,
      subagent_tokens: { input_tokens: 206, output_tokens: 73, api_call_count: 2 },
    },
  })
  expect((await repo.transcript(id)).split('\n')).toEqual(lines(run.transcript))
})

test('a foreground subagent ends with its tool call', async () => {
  await using repo = await ready()
  const shadow = repo.shadow(await repo.head())
  const run = replay(repo, 'claude-code/s4b-subagent-fg')
  await run.to('009-SubagentStop')
  expect(await repo.shadows()).toEqual([])
  await run.to('010-PostToolUse')
  expect(await repo.subjects(shadow)).toEqual(["Completed 'general-purpose' agent: Write sub.txt (toolu_01vWaM)"])
  expect(repo.temporary()).toEqual([`pre-prompt-${run.session}.json`])
  await run.to('013-Stop')
  expect(await repo.subjects(shadow)).toEqual(['Spawn a subagent', "Completed 'general-purpose' agent: Write sub.txt (toolu_01vWaM)"])
  expect(repo.state(run.session)).toMatchObject({ phase: 'idle', checkpoint_count: 1, files_touched: ['sub.txt'] })
  await run.rest()
  await repo.commitAs('human', 'sub', 'sub.txt')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({
    token_usage: {
      input_tokens: 205,
      output_tokens: 84,
      api_call_count: 2,
      subagent_tokens: { input_tokens: 205, output_tokens: 73, api_call_count: 2 },
    },
  })
})

test('a to-do list of the main agent makes no step; within a task it does', async () => {
  await using repo = await ready()
  const plain = replay(repo, 'claude-code/s23-todo-tools0')
  await plain.rest()
  expect(await repo.shadows()).toEqual([])
  expect(repo.state(plain.session)).toMatchObject({ phase: 'ended', checkpoint_count: 0 })

  // The same list, made by a subagent at work.
  await using other = await ready()
  const run = replay(other, 'claude-code/s23-todo-tools0')
  await run.to('002-UserPromptSubmit')
  const input = { subagent_type: 'general-purpose', description: 'Two steps', prompt: 'do them' }
  const task = {
    session_id: run.session,
    transcript_path: run.transcript,
    cwd: other.root,
    tool_name: 'Agent',
    tool_use_id: 'toolu_task',
    tool_input: input,
  }
  await other.entire(['hooks', 'claude-code', 'pre-task'], { stdin: JSON.stringify(task) })
  other.write('step.txt', 'first step\n')
  await run.to('005-PostToolUse')
  other.write('step.txt', 'second step\n')
  await run.to('008-PostToolUse')
  const shadow = other.shadow(await other.head())
  expect(await other.subjects(shadow)).toEqual(['Second step (toolu_task)', 'Planning: 2 todos (toolu_task)'])
  expect(await other.paths(`${shadow}:.entire/metadata/${run.session}/tasks/toolu_task/checkpoints`)).toEqual([
    '001-toolu_01NlCxyTpwQycxFpAwN2mTtw.json',
    '002-toolu_01BHcyIHqqwD3inDygGpZ3xi.json',
  ])
})

test('an agent that changed its directory is still recorded in its project', async () => {
  await using repo = await ready()
  const elsewhere = join(repo.base, 'elsewhere')
  mkdirSync(elsewhere)
  const moved = ['005-PostToolUse', '006-PostToolBatch', '008-Stop', '009-SessionEnd']
  const run = replay(repo, 'claude-code/A1-create', {
    patch: (payload, hook) => (moved.includes(hook) ? { ...payload, cwd: elsewhere } : payload),
  })
  await run.rest()
  expect(repo.state(run.session)).toMatchObject({ phase: 'ended', checkpoint_count: 1, files_touched: ['hello.txt'] })
  expect(existsSync(join(elsewhere, '.entire'))).toBe(false)
})

test('a turn with nothing but a failing command leaves no step', async () => {
  await using repo = await ready()
  const run = replay(repo, 'claude-code/s8-bashfail')
  const said = await run.rest()
  expect(said).toContain('No files were modified during this session')
  expect(await repo.shadows()).toEqual([])
  expect(repo.state(run.session)).toMatchObject({ phase: 'ended', checkpoint_count: 0, first_prompt: 'run a failing command' })
})

// Replays captured sessions of Claude Code with subagents and to-do lists, through the installed hooks.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { replay } from '../support/replay.ts'

const lines = (path: string) => readFileSync(path, 'utf8').trimEnd().split('\n')

async function ready(): Promise<RecordedRepo> {
  const repo = await recordedRepo()
  await repo.commit('set up')
  return repo
}

test('a background subagent ends after the turn that launched it; the notification of its end is not a prompt', async () => {
  await using repo = await ready()
  const shadow = repo.shadow(await repo.head())
  const run = replay(repo, 'claude-code/s4-subagent')
  const task = 'toolu_01ykKVNfVxiiuMgvSRbPMfBJ'
  await run.to('005-PostToolUse')
  // Launched, not finished.
  expect(await repo.shadows()).toEqual([])
  expect(repo.temporary()).toContain(`pre-task-${task}.json`)
  await run.to('011-Stop')
  expect(repo.state(run.session)).toMatchObject({
    phase: 'idle',
    checkpoint_count: 1,
    files_touched: ['sub.txt'],
  })
  expect(await repo.subjects(shadow)).toEqual(['Spawn a subagent'])
  await run.to('013-SubagentStop')
  expect(await repo.subjects(shadow)).toEqual([
    "Completed 'general-purpose' agent: Write sub.txt (toolu_01ykKV)",
    'Spawn a subagent',
  ])
  expect(
    JSON.parse(
      await repo.git('show', `${shadow}:.entire/metadata/${run.session}/tasks/${task}/checkpoint.json`),
    ),
  ).toMatchObject({
    tool_use_id: task,
    agent_id: 'a0dbc9b03db2772af',
  })
  expect(
    await repo.git(
      'show',
      `${shadow}:.entire/metadata/${run.session}/tasks/${task}/agent-a0dbc9b03db2772af.jsonl`,
    ),
  ).toContain('Subagent done: wrote sub.txt.')
  expect(repo.temporary()).toEqual([])
  await run.to('014-UserPromptSubmit')
  expect(repo.state(run.session)).toMatchObject({
    phase: 'active',
    session_turn_count: 2,
    last_prompt: 'spawn a subagent',
  })
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
  expect(await repo.transcriptLines(id)).toEqual(lines(run.transcript))
})

test('a foreground subagent ends with its tool call', async () => {
  await using repo = await ready()
  const shadow = repo.shadow(await repo.head())
  const run = replay(repo, 'claude-code/s4b-subagent-fg')
  await run.to('009-SubagentStop')
  expect(await repo.shadows()).toEqual([])
  await run.to('010-PostToolUse')
  expect(await repo.subjects(shadow)).toEqual([
    "Completed 'general-purpose' agent: Write sub.txt (toolu_01vWaM)",
  ])
  expect(repo.temporary()).toEqual([`pre-prompt-${run.session}.json`])
  await run.to('013-Stop')
  expect(await repo.subjects(shadow)).toEqual([
    'Spawn a subagent',
    "Completed 'general-purpose' agent: Write sub.txt (toolu_01vWaM)",
  ])
  expect(repo.state(run.session)).toMatchObject({
    phase: 'idle',
    checkpoint_count: 1,
    files_touched: ['sub.txt'],
  })
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

test('a to-do list makes a step only within a task', async () => {
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
  expect(await other.paths(`${shadow}:.entire/metadata/${run.session}/tasks/toolu_task/checkpoints`)).toEqual(
    ['001-toolu_01NlCxyTpwQycxFpAwN2mTtw.json', '002-toolu_01BHcyIHqqwD3inDygGpZ3xi.json'],
  )
})

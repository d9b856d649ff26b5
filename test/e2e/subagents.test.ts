// Subagents: a step when one finishes, one for each item of its to-do list, and their tokens with those of
// the session.
import { expect, test } from 'bun:test'
import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { fakeAgent } from '../support/fake-agent.ts'
import { recordedRepo } from '../support/recorded-repo.ts'

const todos = (first: string, second: string) => ({
  todos: [
    { content: 'Write the parser', status: first, activeForm: 'Writing' },
    { content: 'Test the parser', status: second, activeForm: 'Testing' },
  ],
})

test('the to-do items and the end of a subagent make steps, before that of the turn', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  const task = 'toolu_01SubagentTask'
  const shadow = repo.shadow(await repo.head())
  const dir = `.entire/metadata/${agent.session}/tasks/${task}`
  await agent.prompt('delegate the parser')
  await agent.task({
    toolUse: task,
    subagent: 'a1b2c3',
    description: 'Write a parser',
    files: { 'test.ts': 'test()\n' },
    async work() {
      expect(repo.temporary()).toContain(`pre-task-${task}.json`)
      // Nothing changed yet: nothing to keep.
      const planned = await agent.hook('post-todo', {
        tool_name: 'TodoWrite',
        tool_use_id: 'toolu_todo1',
        tool_input: todos('in_progress', 'pending'),
      })
      expect(planned.err).toContain('no step was saved')
      agent.run('parser.ts', 'export const parser = 1\n')
      const done = await agent.hook('post-todo', {
        tool_name: 'TodoWrite',
        tool_use_id: 'toolu_todo2',
        tool_input: todos('completed', 'in_progress'),
      })
      expect(done.err).toContain('Saved step 1 of a task for TodoWrite (task: toolu_01Suba)')
      agent.run('parser.ts', 'export const parser = 2\n')
      await agent.hook('post-todo', {
        tool_name: 'TodoWrite',
        tool_use_id: 'toolu_todo3',
        tool_input: todos('completed', 'completed'),
      })
    },
  })
  expect(repo.temporary()).toEqual([`pre-prompt-${agent.session}.json`])
  expect(await repo.subjects(shadow)).toEqual([
    "Completed 'general-purpose' agent: Write a parser (toolu_01Suba)",
    'Test the parser (toolu_01Suba)',
    'Write the parser (toolu_01Suba)',
  ])
  expect(await repo.message(shadow)).toContain(
    `\n\nEntire-Metadata-Task: ${dir}\nEntire-Session: ${agent.session}\nEntire-Strategy: manual-commit\n`,
  )
  expect(await repo.git('show', `${shadow}~2:parser.ts`)).toBe('export const parser = 1')
  expect(JSON.parse(await repo.git('show', `${shadow}:${dir}/checkpoint.json`))).toEqual({
    session_id: agent.session,
    tool_use_id: task,
    checkpoint_uuid: expect.stringMatching(/./),
    agent_id: 'a1b2c3',
  })
  expect(await repo.git('show', `${shadow}:${dir}/agent-a1b2c3.jsonl`)).toContain('test.ts')
  expect(
    JSON.parse(await repo.git('show', `${shadow}:${dir}/checkpoints/001-toolu_todo2.json`)),
  ).toMatchObject({
    type: 'TodoWrite',
    tool_use_id: 'toolu_todo2',
    data: todos('completed', 'in_progress'),
  })
  expect(await repo.paths(`${shadow}:${dir}/checkpoints`)).toEqual([
    '001-toolu_todo2.json',
    '002-toolu_todo3.json',
  ])
  // Steps of subagents are not counted, but their files are the session's.
  expect(repo.state(agent.session)).toMatchObject({
    phase: 'active',
    checkpoint_count: 0,
    files_touched: ['parser.ts', 'test.ts'],
  })

  agent.say('The parser is there.')
  await agent.stop()
  expect((await repo.subjects(shadow))[0]).toBe('Delegate the parser')
  expect(await repo.paths(shadow)).toContain(`${dir}/checkpoint.json`)
  await repo.commitAs('human', 'parser', 'parser.ts', 'test.ts')
  const id = await repo.checkpointOf()
  expect(await repo.storedSession(id)).toMatchObject({
    checkpoints_count: 1,
    files_touched: ['parser.ts', 'test.ts'],
    token_usage: {
      api_call_count: 2,
      subagent_tokens: { input_tokens: 100, output_tokens: 7, api_call_count: 1 },
    },
  })
})

test('a subagent that changed nothing leaves no step and no file behind', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.prompt('let someone look around')
  await agent.task({ toolUse: 'toolu_look', subagent: 'aaa', work: () => {} })
  expect(await repo.shadows()).toEqual([])
  expect(repo.temporary()).toEqual([`pre-prompt-${agent.session}.json`])
  expect(repo.state(agent.session)).toMatchObject({ phase: 'active', checkpoint_count: 0 })
})

test('a to-do list of the main agent makes no step', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.prompt('plan it')
  agent.write('a.ts', 'export const a = 1\n')
  await agent.hook('post-todo', {
    tool_name: 'TodoWrite',
    tool_use_id: 'toolu_todo',
    tool_input: todos('completed', 'pending'),
  })
  expect(await repo.shadows()).toEqual([])
})

test('untracked files from before the task are not attributed to the subagent', async () => {
  await using repo = await recordedRepo()
  repo.write('notes.md', 'mine\n')
  const agent = fakeAgent(repo)
  await agent.prompt('delegate')
  await agent.task({
    toolUse: 'toolu_b',
    subagent: 'bbb',
    work: () => agent.run('b.ts', 'export const b = 1\n'),
  })
  expect(repo.state(agent.session).files_touched).toEqual(['b.ts'])
})

test('a task whose beginning was not recorded counts from the beginning of the turn', async () => {
  await using repo = await recordedRepo()
  repo.write('notes.md', 'mine\n')
  const agent = fakeAgent(repo)
  await agent.prompt('delegate')
  agent.run('c.ts', 'export const c = 1\n')
  await agent.hook('post-task', {
    tool_name: 'Task',
    tool_use_id: 'toolu_c',
    tool_input: {},
    tool_response: {},
  })
  expect(repo.state(agent.session).files_touched).toEqual(['c.ts'])
  expect(await repo.subjects(repo.shadow(await repo.head()))).toEqual(['Task: toolu_c'])
})

test('a commit by the user while a subagent works is linked by the steps of the task', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.prompt('delegate')
  await agent.task({
    toolUse: 'toolu_d',
    subagent: 'ddd',
    files: { 'd.ts': 'export const d = 1\n' },
    work: () => {},
  })
  await repo.commitAs('human', 'd', 'd.ts')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({
    files_touched: ['d.ts'],
    checkpoints_count: 0,
  })
})

test('a task whose end was not reported expires, and is never mistaken for one of another session', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const [dead, agent] = [fakeAgent(repo), fakeAgent(repo)]
  await dead.prompt('delegate, then die')
  await dead.hook('pre-task', { tool_name: 'Agent', tool_use_id: 'toolu_dead', tool_input: {} })
  await agent.prompt('keep a list')
  agent.run('a.ts', 'export const a = 1\n')
  await agent.hook('post-todo', {
    tool_name: 'TodoWrite',
    tool_use_id: 'toolu_list',
    tool_input: todos('in_progress', 'pending'),
  })
  expect(await repo.shadows()).toEqual([])
  const path = join(repo.repo.gitDir, 'entire-tmp/pre-task-toolu_dead.json')
  const old = new Date(Date.now() - 8 * 86_400_000)
  utimesSync(path, old, old)
  await agent.prompt('go on')
  expect(repo.temporary()).not.toContain('pre-task-toolu_dead.json')
})

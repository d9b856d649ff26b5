// A rewind to a step of a subagent restores the files at the end of its task, and the conversation up to its
// result.
import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fakeAgent } from '../support/fake-agent.ts'
import { recordedRepo } from '../support/recorded-repo.ts'
import { pointsOf } from '../support/rewind-points.ts'

test('going back to the end of a task restores files and log as they were then', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.prompt('split the work')
  await agent.task({
    toolUse: 'toolu_01aaaaaaaaaa',
    subagent: 'a1',
    description: 'First part',
    work: ({ run }) => run('first.txt', 'first\n'),
  })
  const ended = readFileSync(agent.transcript, 'utf8')
  await agent.task({
    toolUse: 'toolu_01bbbbbbbbbb',
    subagent: 'b1',
    description: 'Second part',
    work: ({ run }) => run('second.txt', 'second\n'),
  })
  agent.write('first.txt', 'changed after the tasks\n')
  await agent.stop()
  const points = await pointsOf(repo)
  const tasks = points.filter((point) => point.is_task_checkpoint)
  expect(tasks.map(({ message, tool_use_id }) => [message, tool_use_id])).toEqual([
    ["Completed 'general-purpose' agent: Second part (toolu_01bbbb)", 'toolu_01bbbbbbbbbb'],
    ["Completed 'general-purpose' agent: First part (toolu_01aaaa)", 'toolu_01aaaaaaaaaa'],
  ])
  expect(tasks[1]?.metadata_dir).toBe(`.entire/metadata/${agent.session}/tasks/toolu_01aaaaaaaaaa`)

  const ran = await repo.entire(['rewind', '--to', tasks[1]?.id ?? ''])
  expect(ran.out).toEndWith(`\n\nRewound to the end of the task. claude -r ${agent.session}\n`)
  expect(repo.read('first.txt')).toBe('first\n')
  expect(existsSync(join(repo.root, 'second.txt'))).toBe(false)
  expect(readFileSync(agent.transcript, 'utf8')).toBe(ended)
  await repo.entire(['rewind', '--undo'])
  expect([repo.read('first.txt'), repo.read('second.txt')]).toEqual(['changed after the tasks\n', 'second\n'])
})

test('a step during a task is a point like any other', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.prompt('split the work')
  const todos = { todos: [{ content: 'Write it', status: 'completed' }] }
  await agent.task({
    toolUse: 'toolu_01aaaaaaaaaa',
    subagent: 'a1',
    async work({ run, hook }) {
      run('a.txt', 'half\n')
      await hook('post-todo', { tool_name: 'TodoWrite', tool_use_id: 'toolu_todo', tool_input: todos })
      run('a.txt', 'whole\n')
    },
  })
  await agent.stop()
  const step = (await pointsOf(repo)).find((point) => point.message.startsWith('Write it'))
  const ran = await repo.entire(['rewind', '--to', step?.id ?? ''])
  expect(ran.out).toContain(`Rewound to ${step?.id.slice(0, 7)}. claude -r ${agent.session}\n`)
  expect(repo.read('a.txt')).toBe('half\n')
})

// Tests the auto-commit strategy: each turn that changed files is a commit on the user's branch.
import { expect, test } from 'bun:test'
import { fakeAgent } from '../support/fake-agent.ts'
import { recordedRepo } from '../support/recorded-repo.ts'
import { pointsOf } from '../support/rewind-points.ts'
import { expectStepIsWorktree } from '../support/step-tree.ts'

async function autoCommitRepo() {
  const repo = await recordedRepo()
  await repo.entire(['enable', '--agent', 'claude-code', '--strategy', 'auto-commit'])
  await repo.commit('set up')
  return repo
}

test('a turn becomes a commit with its checkpoint; what the user staged stays staged', async () => {
  await using repo = await autoCommitRepo()
  const agent = fakeAgent(repo)
  repo.write('mine.txt', 'staged by me\n')
  await repo.git('add', 'mine.txt')
  repo.write('notes.txt', 'untracked, mine\n')
  await agent.turn('Please add a parser', { 'src/parser.ts': 'export const parse = 1\n' })
  const [first = ''] = await repo.checkpointsOf()
  expect(await repo.git('log', '-1', '--format=%s')).toBe('Add a parser')
  expect(await repo.git('show', '--name-only', '--format=')).toBe('src/parser.ts')
  expect(await repo.git('status', '--porcelain')).toBe('A  mine.txt\n?? notes.txt')
  expect(JSON.parse(await repo.stored(first, '0/metadata.json'))).toMatchObject({
    strategy: 'auto-commit',
    checkpoints_count: 1,
    files_touched: ['src/parser.ts'],
  })
  expect(await repo.stored(first, '0/prompt.txt')).toBe('Please add a parser')
  expect(await repo.refs('refs/heads/entire/')).toEqual(['entire/checkpoints/v1'])

  await agent.turn('now delete it', {})
  expect(await repo.checkpointsOf()).toEqual([first])

  await agent.turn('and a lexer', { 'src/lexer.ts': 'export const lex = 1\n' })
  const [second = ''] = await repo.checkpointsOf()
  expect(second).not.toBe(first)
  // Only the prompts since the last checkpoint.
  expect(await repo.stored(second, '0/prompt.txt')).not.toContain('parser')
  expect(
    JSON.parse(await repo.stored(second, '0/metadata.json')).checkpoint_transcript_start,
  ).toBeGreaterThan(0)
})

test('a deletion by the agent is committed too, and hooks of the user do not run', async () => {
  await using repo = await autoCommitRepo()
  repo.write('old.txt', 'old\n')
  await repo.commit('old', 'old.txt')
  await repo.git('config', 'commit.gpgsign', 'true')
  const agent = fakeAgent(repo)
  await agent.prompt('remove old.txt')
  repo.remove('old.txt')
  agent.say('Removed.')
  await agent.stop()
  expect(await repo.git('show', '--name-status', '--format=')).toBe('D\told.txt')
  expect(await repo.checkpointsOf()).toHaveLength(1)
})

test('a subagent’s task is a commit of its own, with its transcript', async () => {
  await using repo = await autoCommitRepo()
  const agent = fakeAgent(repo)
  await agent.prompt('delegate')
  const input = { subagent_type: 'general-purpose', description: 'Write sub.txt' }
  await agent.hook('pre-task', { tool_use_id: 'toolu_01abc', tool_input: input })
  repo.write('sub.txt', 'by the subagent\n')
  await agent.hook('post-todo', {
    tool_use_id: 'toolu_02todo',
    tool_name: 'TodoWrite',
    tool_input: { todos: [{ content: 'first', status: 'completed' }] },
  })
  expect(await repo.git('log', '-1', '--format=%s')).toBe('first (toolu_01abc)')
  repo.write('sub.txt', 'by the subagent, again\n')
  await agent.hook('post-task', {
    tool_use_id: 'toolu_01abc',
    tool_input: input,
    tool_response: { agentId: 'a1b2', status: 'completed' },
  })
  expect(await repo.git('log', '-1', '--format=%s')).toBe(
    "Completed 'general-purpose' agent: Write sub.txt (toolu_01abc)",
  )
  const [id = ''] = await repo.checkpointsOf()
  expect(JSON.parse(await repo.stored(id, '0/metadata.json'))).toMatchObject({
    is_task: true,
    tool_use_id: 'toolu_01abc',
    files_touched: ['sub.txt'],
  })
  expect(JSON.parse(await repo.stored(id, 'tasks/toolu_01abc/checkpoint.json'))).toMatchObject({
    agent_id: 'a1b2',
  })
  await agent.stop()
  expect(await repo.git('status', '--porcelain')).toBe('')
})

test('work of the person that a turn overwrites is in the state before it, until the person commits', async () => {
  await using repo = await autoCommitRepo()
  repo.write('plan.md', 'an hour of work\n')
  repo.write('notes.md', 'untracked, mine\n')
  const agent = fakeAgent(repo)
  await agent.prompt('shorten the plan')
  await expectStepIsWorktree(repo)
  agent.write('plan.md', 'short\n')
  agent.say('Done.')
  await agent.stop()
  expect(await repo.git('show', '--name-only', '--format=')).toBe('plan.md')
  expect(await repo.shadows()).toEqual([repo.shadow(await repo.head())])
  const before = (await pointsOf(repo)).find(({ message }) => message === 'Before: Shorten the plan')
  expect(await repo.entire(['rewind', '--to', before?.id ?? ''])).toMatchObject({ code: 0 })
  expect([repo.read('plan.md'), repo.read('notes.md')]).toEqual(['an hour of work\n', 'untracked, mine\n'])
  await repo.commitAs('human', 'mine', 'plan.md')
  expect(await repo.shadows()).toEqual([])
})

test('a turn that overwrites nothing uncommitted leaves no state before it', async () => {
  await using repo = await autoCommitRepo()
  repo.write('notes.md', 'untracked, mine\n')
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': 'one\n' })
  expect(await repo.shadows()).toEqual([])
  // Lines that were there before the turn are not the agent's.
  repo.write('b.ts', 'mine\n')
  await agent.turn('write b', { 'b.ts': 'mine\nagent\n' })
  const { initial_attribution } = await repo.storedSession(await repo.checkpointOf())
  expect(initial_attribution).toMatchObject({ agent_lines: 1, human_added: 0 })
})

// Rewinds the conversation within the agent, as `/rewind` of Claude Code does: its transcript keeps the abandoned turns,
// and the next prompt follows the same entry as the first of them did.
import { expect, test } from 'bun:test'
import { type FakeAgent, fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'

const lines = (...names: string[]) => names.map((name) => `${name}\n`).join('')

// Entries of a turn have ids of their own; a prompt follows the last entry of a turn, or of none.
async function ask(agent: FakeAgent, prompt: string, follows: string | null): Promise<void> {
  await agent.hook('user-prompt-submit', { prompt })
  agent.log({ type: 'user', parentUuid: follows, message: { role: 'user', content: prompt } })
}

async function turn(agent: FakeAgent, prompt: string, follows: string | null, files: Record<string, string>) {
  await ask(agent, prompt, follows)
  for (const [path, content] of Object.entries(files)) agent.write(path, content)
  agent.say('Done.')
  await agent.stop()
  return (JSON.parse(agent.lines().at(-1) as string) as { uuid: string }).uuid
}

async function readCheckpoint(repo: RecordedRepo) {
  const id = await repo.checkpointOf()
  return { prompts: await repo.stored(id, '0/prompt.txt'), ...(await repo.storedSession(id)) }
}

test('an abandoned turn is in no prompt, file or line of the checkpoint, and its tokens count', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  const end = await turn(agent, 'write a', null, { 'a.ts': lines('one', 'two') })
  await turn(agent, 'a wrong turn', end, {
    'a.ts': lines('one', 'two', 'x', 'y', 'z'),
    'b.ts': lines('1', '2', '3', '4'),
  })
  await turn(agent, 'still wrong', 'elsewhere', { 'c.ts': lines('c') })
  // The agent restores the files.
  repo.write('a.ts', lines('one', 'two'))
  repo.remove('b.ts')
  repo.remove('c.ts')
  await turn(agent, 'write d', end, { 'd.ts': lines('d') })
  expect(repo.state(agent.session).files_touched).toEqual(['a.ts', 'd.ts'])
  // The person writes a file of that name.
  repo.write('b.ts', lines('mine'))
  await repo.commitAs('human', 'all', 'a.ts', 'b.ts', 'd.ts')
  expect(await readCheckpoint(repo)).toMatchObject({
    prompts: 'write a\n\n---\n\nwrite d',
    files_touched: ['a.ts', 'd.ts'],
    initial_attribution: { agent_lines: 3, human_added: 1, human_removed: 0 },
    token_usage: { api_call_count: 9 },
  })
  const { out } = await repo.entire(['explain', '--no-pager', '--commit', 'HEAD'])
  expect(out).toContain('write d')
  expect(out).not.toContain('wrong')
})

test('a turn that is asked again in other words has the new prompt alone', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await turn(agent, 'write a badly', null, { 'a.ts': lines('bad', 'worse') })
  repo.remove('a.ts')
  await ask(agent, 'write a well', null)
  agent.write('a.ts', lines('good'))
  // The agent commits in the middle of the turn.
  await repo.commitAs('agent', 'a', 'a.ts')
  const expected = {
    prompts: 'write a well',
    files_touched: ['a.ts'],
    initial_attribution: { agent_lines: 1, human_removed: 0 },
  }
  expect(await readCheckpoint(repo)).toMatchObject(expected)
  await agent.stop()
  expect(await readCheckpoint(repo)).toMatchObject({ ...expected, token_usage: { api_call_count: 3 } })
})

test('work that is still there keeps its prompt, although the conversation was rewound', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  const end = await turn(agent, 'write a', null, { 'a.ts': lines('a') })
  await turn(agent, 'write b', end, { 'b.ts': lines('b') })
  await turn(agent, 'write c', end, { 'c.ts': lines('c') })
  await repo.commitAs('human', 'all', 'a.ts', 'b.ts', 'c.ts')
  expect(await readCheckpoint(repo)).toMatchObject({
    prompts: 'write a\n\n---\n\nwrite b\n\n---\n\nwrite c',
    files_touched: ['a.ts', 'b.ts', 'c.ts'],
    initial_attribution: { agent_lines: 3, human_added: 0 },
  })
})

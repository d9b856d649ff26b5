// Counts the lines of turns that were interrupted: by Esc, by a prompt that was queued, or by a kill. No end was
// reported; what the agent did until then is its work.
import { expect, test } from 'bun:test'
import { fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'

async function readAttribution(repo: RecordedRepo): Promise<Record<string, number>> {
  const stored = await repo.storedSession(await repo.checkpointOf())
  return stored.initial_attribution as Record<string, number>
}

const lines = (...names: string[]) => names.map((name) => `${name}\n`).join('')

test('after Esc, the lines of the interrupted turn are the agent’s', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': lines('one', 'two') })
  await agent.prompt('extend it')
  agent.write('a.ts', lines('one', 'two', 'three', 'four', 'five'))
  // Esc, and a new prompt.
  await agent.turn('shorter, please', { 'b.ts': lines('b') })
  expect(repo.state(agent.session).prompt_attributions).toMatchObject([
    { user_lines_added: 0 },
    { user_lines_added: 0, agent_lines_added: 0 },
    { user_lines_added: 0 },
  ])
  await repo.commitAs('human', 'both', 'a.ts', 'b.ts')
  expect(await readAttribution(repo)).toMatchObject({
    agent_lines: 6,
    human_added: 0,
    agent_percentage: 100,
  })
})

test('in the first turn, too', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.prompt('write a')
  agent.write('a.ts', lines('one', 'two', 'three'))
  await agent.turn('and b', { 'b.ts': lines('b', 'c') })
  await repo.commitAs('human', 'both', 'a.ts', 'b.ts')
  expect(await readAttribution(repo)).toMatchObject({ agent_lines: 5, human_added: 0, agent_percentage: 100 })
})

test('what the person had changed before the interrupted turn stays the person’s', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': lines('one', 'two') })
  repo.write('a.ts', lines('one', 'two', 'mine'))
  await agent.prompt('extend it')
  agent.write('a.ts', lines('one', 'two', 'mine', 'three', 'four'))
  await agent.turn('and b', { 'b.ts': lines('b') })
  await repo.commitAs('human', 'both', 'a.ts', 'b.ts')
  expect(await readAttribution(repo)).toMatchObject({ agent_lines: 5, human_added: 1 })
})

test('after Esc, a commit by the person counts the lines of the turn as the agent’s', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': lines('one', 'two') })
  repo.write('a.ts', lines('one', 'two', 'mine'))
  await agent.prompt('extend it')
  agent.write('a.ts', lines('one', 'two', 'mine', 'three', 'four'))
  await repo.commitAs('human', 'a', 'a.ts')
  expect(await readAttribution(repo)).toMatchObject({ agent_lines: 4, human_added: 1, agent_percentage: 80 })
})

test('the agent’s own commit in a later turn counts its lines as its own', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': lines('one', 'two') })
  repo.write('a.ts', lines('one', 'two', 'mine'))
  await agent.prompt('extend it and commit')
  agent.write('a.ts', lines('one', 'two', 'mine', 'three', 'four', 'five'))
  await repo.commitAs('agent', 'a', 'a.ts')
  expect(await readAttribution(repo)).toMatchObject({ agent_lines: 5, human_added: 1 })
})

test('after Esc, a commit by the person has the files that shell commands made', async () => {
  await using repo = await recordedRepo()
  repo.write('old.ts', lines('one', 'two'))
  repo.write('mine.ts', lines('one'))
  await repo.commit('set up', 'old.ts', 'mine.ts')
  repo.write('mine.ts', lines('one', 'mine'))
  const agent = fakeAgent(repo)
  await agent.prompt('generate it')
  agent.write('named.ts', lines('named'))
  agent.run('made/by-shell.ts', lines('one', 'two', 'three'))
  agent.run('old.ts', lines('one', 'two', 'three'))
  await repo.commitAs('human', 'all', 'made', 'named.ts', 'old.ts', 'mine.ts')
  const stored = await repo.storedSession(await repo.checkpointOf())
  expect(stored.files_touched).toEqual(['made/by-shell.ts', 'named.ts', 'old.ts'])
  expect(stored.initial_attribution).toMatchObject({ agent_lines: 5, human_added: 1 })
  expect(await repo.shadows()).toEqual([])
})

test('after a kill, a commit of files that only a shell command made is linked, and one of the person’s own is not', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  repo.write('mine.ts', lines('mine'))
  const agent = fakeAgent(repo)
  await agent.prompt('generate it')
  agent.run('made/by-shell.ts', lines('one', 'two'))
  agent.log({
    type: 'assistant',
    message: {
      role: 'assistant',
      content: [
        {
          type: 'tool_use',
          id: 't1',
          name: 'Bash',
          input: { command: 'cd made && seq 2 > by-shell.ts; ls' },
        },
        { type: 'text', text: 'mine.ts is yours, lib/other.ts is not here' },
      ],
    },
  })
  // Changed before the turn, not since; and changed since, but not mentioned by its own name.
  repo.write('other.ts', lines('other'))
  await repo.commitAs('human', 'mine', 'mine.ts', 'other.ts')
  expect(await repo.checkpointsOf()).toEqual([])
  await repo.commitAs('human', 'made', 'made')
  const stored = await repo.storedSession(await repo.checkpointOf())
  expect(stored).toMatchObject({
    session_id: agent.session,
    files_touched: ['made/by-shell.ts'],
    initial_attribution: { agent_lines: 2, human_added: 0 },
  })
})

test('while two turns run, a file that neither names is shared, and links no session by itself', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const [one, two] = [fakeAgent(repo), fakeAgent(repo)]
  await one.prompt('write a')
  await two.prompt('write b')
  one.write('a.ts', lines('a'))
  one.run('x.ts', lines('x'))
  await repo.commitAs('human', 'a and x', 'a.ts', 'x.ts')
  const id = await repo.checkpointOf()
  expect(JSON.parse(await repo.stored(id, 'metadata.json')).sessions).toHaveLength(1)
  expect(await repo.storedSession(id)).toMatchObject({
    session_id: one.session,
    files_touched: ['a.ts', 'x.ts'],
    shared_files: ['x.ts'],
  })
})

test('a turn whose beginning was not reported keeps its files when one of them is committed', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': lines('a') })
  // The hook of this prompt never ran.
  agent.log({ type: 'user', message: { role: 'user', content: 'write b' } })
  agent.write('b.ts', lines('b'))
  await repo.commitAs('human', 'a', 'a.ts')
  await agent.turn('go on', {})
  expect(repo.state(agent.session).files_touched).toEqual(['b.ts'])
  await repo.commitAs('human', 'b', 'b.ts')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({ files_touched: ['b.ts'] })
})

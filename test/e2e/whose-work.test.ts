// Tells whose work a file is: of two sessions at once in one work tree, and of a person who types commands into the
// agent.
import { expect, test } from 'bun:test'
import { type FakeAgent, fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'

const lines = (...names: string[]) => names.map((name) => `${name}\n`).join('')
const filesOf = (repo: RecordedRepo, { session }: FakeAgent) => repo.state(session).files_touched ?? []
const sharedOf = (repo: RecordedRepo, { session }: FakeAgent) => repo.state(session).shared_files ?? []

async function readSessions(repo: RecordedRepo): Promise<Record<string, Record<string, unknown>>> {
  const id = await repo.checkpointOf()
  const { sessions } = JSON.parse(await repo.stored(id, 'metadata.json')) as { sessions: unknown[] }
  const slots = await Promise.all(sessions.map((_, slot) => repo.storedSession(id, slot)))
  return Object.fromEntries(slots.map((slot) => [slot.session_id as string, slot]))
}

test('a file that a tool call names is of that session alone, whichever turn ends first', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const [one, two] = [fakeAgent(repo), fakeAgent(repo)]
  await one.prompt('write a')
  await two.prompt('write b')
  one.write('a.ts', lines('a', 'aa'))
  two.write('b.ts', lines('b', 'bb', 'bbb'))
  await one.stop()
  await two.stop()
  expect([filesOf(repo, one), filesOf(repo, two)]).toEqual([['a.ts'], ['b.ts']])

  await repo.commitAs('human', 'a', 'a.ts')
  expect(Object.keys(await readSessions(repo))).toEqual([one.session])
  await repo.commitAs('human', 'b', 'b.ts')
  const stored = await readSessions(repo)
  expect(Object.keys(stored)).toEqual([two.session])
  expect(stored[two.session]).toMatchObject({
    files_touched: ['b.ts'],
    initial_attribution: { agent_lines: 3, human_added: 0, agent_percentage: 100 },
  })
})

test('a file that no tool call names is of the only turn that was open when it changed', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const [one, two] = [fakeAgent(repo), fakeAgent(repo)]
  await one.prompt('generate')
  one.run('before.ts', lines('one alone'))
  await two.prompt('write b')
  two.write('b.ts', lines('b'))
  await two.stop()
  expect(filesOf(repo, two)).toEqual(['b.ts'])
  one.run('after.ts', lines('one alone again'))
  await one.stop()
  expect(filesOf(repo, one)).toEqual(['after.ts', 'before.ts'])
  expect([sharedOf(repo, one), sharedOf(repo, two)]).toEqual([[], []])
})

test('a file that neither names and that changed while both were at work is shared', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const [one, two] = [fakeAgent(repo), fakeAgent(repo)]
  await one.prompt('write a')
  await two.prompt('write b')
  one.write('a.ts', lines('a'))
  two.write('b.ts', lines('b'))
  one.run('made.ts', lines('made', 'by a command'))
  await one.stop()
  await two.stop()
  expect([filesOf(repo, one), filesOf(repo, two)]).toEqual([
    ['a.ts', 'made.ts'],
    ['b.ts', 'made.ts'],
  ])
  expect([sharedOf(repo, one), sharedOf(repo, two)]).toEqual([['made.ts'], ['made.ts']])

  await repo.commitAs('human', 'a', 'a.ts')
  expect(Object.keys(await readSessions(repo))).toEqual([one.session])
  await repo.commitAs('human', 'made', 'made.ts')
  const stored = await readSessions(repo)
  expect(Object.keys(stored).toSorted()).toEqual([one.session, two.session].toSorted())
  expect(stored[two.session]).toMatchObject({ shared_files: ['made.ts'] })

  const { out } = await repo.entire(['explain', '--no-pager', '--commit', 'HEAD'])
  expect(out).toContain('made.ts (shared by sessions at work at once)')
  const [json] = JSON.parse((await repo.entire(['explain', '--json', '--commit', 'HEAD'])).out)
  expect(json.sessions).toMatchObject([{ shared_files: ['made.ts'] }, { shared_files: ['made.ts'] }])
  expect(sharedOf(repo, one)).toEqual([])
})

test('an agent that commits everything takes along what another one named, and both are linked', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const [one, two] = [fakeAgent(repo), fakeAgent(repo)]
  await one.prompt('write a and commit')
  await two.prompt('write b')
  one.write('a.ts', lines('a'))
  two.write('b.ts', lines('b'))
  await repo.git('add', 'a.ts', 'b.ts')
  const env = { CLAUDE_CODE_SESSION_ID: one.session, CLAUDECODE: '1' }
  await repo.gitAs('agent', ['commit', '--quiet', '-m', 'all'], { env })
  const stored = await readSessions(repo)
  expect(stored[one.session]).toMatchObject({ files_touched: ['a.ts'] })
  expect(stored[two.session]).toMatchObject({ files_touched: ['b.ts'] })
})

test('what a person types as a command is neither the agent’s work nor a step', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': lines('a') })
  repo.write('notes.ts', lines('typed in an editor'))
  const input = new Date().toISOString()
  repo.write('mine.ts', lines('mine', 'too'))
  logCommand(agent, 'printf … > mine.ts', [input, new Date().toISOString()])
  // The model answers, and the end of that is reported; no prompt was.
  agent.say('You made a file.')
  await agent.stop()
  const steps = await repo.subjects(repo.shadow(await repo.head()))
  expect(steps).toEqual(['Write a'])
  expect(filesOf(repo, agent)).toEqual(['a.ts'])

  await repo.commitAs('human', 'all', 'a.ts', 'mine.ts', 'notes.ts')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({
    files_touched: ['a.ts'],
    initial_attribution: { agent_lines: 1, human_added: 3 },
  })
})

test('what the agent does in answer to a typed command is its work', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': lines('a') })
  const input = new Date().toISOString()
  repo.write('mine.ts', lines('mine'))
  logCommand(agent, 'make', [input, new Date().toISOString()])
  // The model takes its time.
  await Bun.sleep(100)
  agent.write('named.ts', lines('named'))
  agent.run('made.ts', lines('made'))
  await agent.stop()
  expect(filesOf(repo, agent)).toEqual(['a.ts', 'made.ts', 'named.ts'])
})

test('a command typed after Esc is the person’s; what the interrupted turn did is the agent’s', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.prompt('generate')
  agent.run('made.ts', lines('made'))
  await Bun.sleep(100)
  const input = new Date().toISOString()
  repo.write('mine.ts', lines('mine'))
  logCommand(agent, 'printf … > mine.ts', [input, new Date().toISOString()])
  agent.say('You made a file.')
  await agent.stop()
  expect(filesOf(repo, agent)).toEqual(['made.ts'])
})

// As Claude Code writes what was typed behind an exclamation mark.
function logCommand(agent: FakeAgent, command: string, [from, to]: [string, string]): void {
  const line = (content: string, timestamp: string) =>
    agent.log({ type: 'user', timestamp, message: { role: 'user', content } })
  line(`<bash-input>${command}</bash-input>`, from)
  line('<bash-stdout>(Bash completed with no output)</bash-stdout><bash-stderr></bash-stderr>', to)
}

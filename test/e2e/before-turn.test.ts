// Tests that the state before a turn is kept: what the user had not committed when the agent began.
import { expect, test } from 'bun:test'
import { fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { expectStepIsWorktree } from '../support/step-tree.ts'

const line = (name: string) => `export const ${name} = '${name}'\n`

interface Point {
  id: string
  message: string
  is_before_turn?: boolean
  session_id?: string
  is_logs_only: boolean
}

async function readPoints(repo: RecordedRepo): Promise<Point[]> {
  return JSON.parse((await repo.entire(['rewind', '--list'])).out)
}

/** Of all steps, newest first. */
async function subjectsOf(repo: RecordedRepo, rev: string): Promise<string[]> {
  return (await repo.git('log', '--format=%s', rev)).split('\n')
}

test('work that the agent overwrites and deletes in its first turn is restored by a rewind', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  repo.write('README.md', 'an hour of work\n')
  repo.write('notes/plan.md', 'never committed\n')
  const agent = fakeAgent(repo)
  await agent.prompt('please tidy up?')
  await expectStepIsWorktree(repo)
  agent.write('README.md', 'overwritten\n')
  repo.remove('notes')
  agent.write('new.ts', line('mine'))
  await agent.stop()
  const points = await readPoints(repo)
  expect(points.map(({ message, is_before_turn }) => ({ message, is_before_turn }))).toEqual([
    { message: 'Tidy up', is_before_turn: undefined },
    { message: 'Before: Tidy up', is_before_turn: true },
  ])
  const rewound = await repo.entire(['rewind', '--to', points[1]?.id ?? ''])
  expect(rewound.code).toBe(0)
  expect(repo.read('README.md')).toBe('an hour of work\n')
  expect(repo.read('notes/plan.md')).toBe('never committed\n')
  expect(await repo.git('status', '--porcelain')).not.toContain('new.ts')
  // What is left is the user's: its commit is not linked.
  await repo.commitAs('human', 'mine')
  expect(await repo.checkpointsOf()).toEqual([])
  expect(await repo.shadows()).toEqual([])
  const undone = await repo.entire(['rewind', '--undo'])
  expect(undone.code).toBe(0)
})

test('what the person changed between two turns is in a step', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': line('a') })
  repo.write('a.ts', line('improved'))
  repo.write('mine.md', 'mine\n')
  await agent.turn('write it again', { 'a.ts': line('again') })
  const shadow = repo.shadow(await repo.head())
  expect(await subjectsOf(repo, shadow)).toEqual(['Write it again', 'Before: Write it again', 'Write a'])
  expect(await repo.git('show', `${shadow}~1:a.ts`)).toBe(line('improved').trim())
  // It counts nowhere.
  expect(repo.state(agent.session)).toMatchObject({ checkpoint_count: 2, files_touched: ['a.ts'] })
  await repo.commitAs('human', 'a', 'a.ts')
  const stored = await repo.storedSession(await repo.checkpointOf())
  expect(stored).toMatchObject({ checkpoints_count: 2, files_touched: ['a.ts'] })
  expect(await repo.shadows()).toEqual([])
})

test('nothing is written when nothing differs', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.prompt('in a clean work tree')
  expect(await repo.shadows()).toEqual([])
  agent.write('a.ts', line('a'))
  await agent.stop()
  await agent.turn('in the same one', { 'b.ts': line('b') })
  const other = fakeAgent(repo)
  await other.turn('another session', { 'c.ts': line('c') })
  await agent.prompt('nothing new')
  const shadow = repo.shadow(await repo.head())
  expect(await subjectsOf(repo, shadow)).toEqual([
    'Another session',
    'In the same one',
    'In a clean work tree',
  ])
})

test('a commit clears the state before a turn that changed nothing', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  repo.write('mine.md', 'mine\n')
  const agent = fakeAgent(repo)
  await agent.turn('what do you think?', {})
  expect(await subjectsOf(repo, repo.shadow(await repo.head()))).toEqual(['Before: What do you think'])
  expect(repo.state(agent.session)).toMatchObject({ phase: 'idle', checkpoint_count: 0 })
  await repo.commitAs('human', 'mine')
  expect(await repo.checkpointsOf()).toEqual([])
  expect(await repo.shadows()).toEqual([])
})

test('edits of the person before a turn are not attributed to the agent, also by a commit in the turn', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': 'one\ntwo\n' })
  repo.write('a.ts', 'one\ntwo\nmine 1\nmine 2\nmine 3\n')
  await agent.prompt('go on')
  await repo.commitAs('human', 'a', 'a.ts')
  const { initial_attribution: attribution } = (await repo.storedSession(await repo.checkpointOf())) as {
    initial_attribution: Record<string, number>
  }
  expect(attribution).toMatchObject({ agent_lines: 2, human_added: 3 })
})

test('a file that the turn leaves as it was is not one of its files', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  repo.write('mine.md', 'mine\n')
  const agent = fakeAgent(repo)
  await agent.prompt('format everything')
  agent.run('mine.md', 'mine\n')
  agent.write('a.ts', line('a'))
  await agent.stop()
  expect(repo.state(agent.session).files_touched).toEqual(['a.ts'])
  await repo.commitAs('human', 'mine', 'mine.md')
  expect(await repo.checkpointsOf()).toEqual([])
})

test('two sessions at once keep both states, and each turn its own files', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  repo.write('mine.md', 'mine\n')
  const [a, b] = [fakeAgent(repo), fakeAgent(repo)]
  await Promise.all([a.prompt('write a'), b.prompt('write b')])
  a.write('a.ts', line('a'))
  b.write('b.ts', line('b'))
  await Promise.all([a.stop(), b.stop()])
  await expectStepIsWorktree(repo)
  const subjects = await subjectsOf(repo, repo.shadow(await repo.head()))
  expect(subjects.filter((subject) => subject.startsWith('Before: '))).toHaveLength(1)
  expect(subjects.filter((subject) => !subject.startsWith('Before: ')).toSorted()).toEqual([
    'Write a',
    'Write b',
  ])
  await repo.commitAs('human', 'both', 'a.ts', 'b.ts')
  expect(await repo.shadows()).toEqual([])
})

test('explain and the picker know the state before a turn for what it is', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  repo.write('mine.md', 'mine\n')
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': line('a') })
  const explained = await repo.entire(['explain'])
  expect(explained.out).toContain('Write a')
  expect(explained.out).not.toContain('Before: ')
})

test('before the first commit, what the person wrote is saved as well', async () => {
  await using repo = await recordedRepo({ kind: 'unborn' })
  repo.write('mine.md', 'mine\n')
  const agent = fakeAgent(repo)
  const { code, err } = await agent.hook('user-prompt-submit', { prompt: 'write a' })
  expect({ code, isQuiet: !/\n\s+at /.test(err) }).toEqual({ code: 0, isQuiet: true })
  expect(await repo.git('show', `${(await repo.shadows())[0]}:mine.md`)).toBe('mine')
})

test('of very many untracked files the state before a turn holds none, but everything that is tracked', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  for (let number = 0; number < 2_100; number += 1) repo.write(`made/${number}.txt`, `${number}\n`)
  repo.write('README.md', 'an hour of work\n')
  const agent = fakeAgent(repo)
  await agent.prompt('write a')
  const shadow = repo.shadow(await repo.head())
  expect(await repo.git('show', `${shadow}:README.md`)).toBe('an hour of work')
  expect((await repo.paths(shadow)).filter((path) => path.startsWith('made/'))).toEqual([])
  agent.write('README.md', 'overwritten\n')
  await agent.stop()
  await expectStepIsWorktree(repo)
  // Known now, they are no reason to leave anything out.
  repo.write('made/0.txt', 'mine\n')
  await agent.prompt('go on')
  await expectStepIsWorktree(repo)
})

test('the work of a turn whose end was not reported is a step, and what came after it another', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.prompt('write a')
  agent.write('a.ts', line('a'))
  await agent.prompt('write b')
  const shadow = repo.shadow(await repo.head())
  expect(await subjectsOf(repo, shadow)).toEqual(['Write a'])
  await expectStepIsWorktree(repo)
  agent.write('b.ts', line('b'))
  await agent.stop()
  await expectStepIsWorktree(repo)
  expect(repo.state(agent.session)).toMatchObject({ checkpoint_count: 2, files_touched: ['a.ts', 'b.ts'] })
})

test('a rewind to the state before the second turn keeps the first one’s', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': line('a') })
  repo.write('a.ts', line('a') + line('mine'))
  await agent.turn('write it again', { 'a.ts': line('again'), 'b.ts': line('b') })
  const before = (await readPoints(repo)).find(({ is_before_turn }) => is_before_turn)
  expect((await repo.entire(['rewind', '--to', before?.id ?? ''])).code).toBe(0)
  expect(repo.read('a.ts')).toBe(line('a') + line('mine'))
  expect(repo.state(agent.session)).toMatchObject({ checkpoint_count: 1, files_touched: ['a.ts'] })
  await repo.commitAs('human', 'a')
  const stored = await repo.storedSession(await repo.checkpointOf())
  expect(stored).toMatchObject({ checkpoints_count: 1, files_touched: ['a.ts'] })
  expect(await repo.shadows()).toEqual([])
})

test('undo takes back a turn to the state before it, and then the turn before that', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': line('a') })
  repo.write('a.ts', line('a') + line('mine'))
  await agent.turn('write it again', { 'a.ts': line('again') })
  expect((await repo.entire(['undo'])).code).toBe(0)
  expect(repo.read('a.ts')).toBe(line('a') + line('mine'))
  expect((await repo.entire(['redo'])).code).toBe(0)
  expect(repo.read('a.ts')).toBe(line('again'))
})

// Records sessions in a repository that has no commit yet.
import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { doctor } from '../support/doctor.ts'
import { fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'

const text = (name: string) => `first line of ${name}\nsecond line of ${name}\n`

async function expectTidy(repo: RecordedRepo): Promise<void> {
  expect(await repo.shadows()).toEqual([])
  expect(await doctor(repo)).toMatchObject({ code: 0, findings: [] })
}

test('a session before the first commit is recorded, and the first commit is linked', async () => {
  await using repo = await recordedRepo({ kind: 'unborn' })
  const agent = fakeAgent(repo)
  expect(await agent.start()).toContain('will be linked to your next commit')
  await agent.turn('write a', { 'a.txt': text('a') })
  await agent.turn('write b', { 'b.txt': text('b') })
  expect(repo.state(agent.session)).toMatchObject({ phase: 'idle', files_touched: ['a.txt', 'b.txt'] })
  expect(await repo.shadows()).toHaveLength(1)
  for (const args of [
    ['status'],
    ['rewind', '--list'],
    ['clean', '--dry-run'],
    ['session', 'list'],
    ['explain'],
  ])
    expect((await repo.entire(args)).err).not.toMatch(/bug|fatal/)
  expect(await doctor(repo)).toMatchObject({ code: 0, findings: [] })

  // What is left goes on to the second commit.
  await repo.commitAs('human', 'first', 'a.txt')
  const first = await repo.checkpointOf()
  expect(await repo.storedSession(first)).toMatchObject({
    files_touched: ['a.txt', 'b.txt'],
    initial_attribution: { agent_lines: 2, human_added: 0, agent_percentage: 100 },
  })
  expect(await repo.stored(first, '0/prompt.txt')).toContain('write a')
  expect(await repo.transcript(first)).toContain('second line of b')
  await repo.commitAs('human', 'second', 'b.txt')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({ files_touched: ['b.txt'] })
  await expectTidy(repo)
})

test('the first commit may be the agent’s own, in the middle of its turn', async () => {
  await using repo = await recordedRepo({ kind: 'unborn' })
  repo.write('mine.txt', text('mine'))
  const agent = fakeAgent(repo)
  await agent.prompt('begin')
  agent.write('a.txt', text('a'))
  await repo.commitAs('agent', 'first', 'a.txt')
  agent.say('Done.')
  await agent.stop()
  const id = await repo.checkpointOf()
  expect(await repo.storedSession(id)).toMatchObject({ files_touched: ['a.txt'] })
  expect(await repo.transcript(id)).toContain('Done.')
  await agent.turn('more', { 'b.txt': text('b') })
  await repo.commitAs('human', 'second', 'b.txt')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({ files_touched: ['b.txt'] })
  await expectTidy(repo)
})

test('a first commit without hooks is adopted at the end of the turn; one of other files is not linked', async () => {
  await using repo = await recordedRepo({ kind: 'unborn' })
  const agent = fakeAgent(repo)
  await agent.prompt('begin')
  agent.write('a.txt', text('a'))
  await repo.git('add', 'a.txt')
  await repo.git('-c', 'core.hooksPath=/dev/null', 'commit', '--quiet', '-m', 'first')
  agent.say('Done.')
  await agent.stop()
  expect(await repo.git('notes', '--ref=entire-checkpoints', 'show', 'HEAD')).toContain('Entire-Checkpoint: ')

  await using other = await recordedRepo({ kind: 'unborn' })
  const second = fakeAgent(other)
  await second.turn('write a', { 'a.txt': text('a') })
  other.write('mine.txt', text('mine'))
  await other.commitAs('human', 'mine', 'mine.txt')
  expect(await other.checkpointsOf()).toEqual([])
  await second.turn('write b', { 'b.txt': text('b') })
  await other.commitAs('human', 'theirs', 'a.txt', 'b.txt')
  expect(await other.storedSession(await other.checkpointOf())).toMatchObject({
    files_touched: ['a.txt', 'b.txt'],
    initial_attribution: { agent_lines: 4, agent_percentage: 100 },
  })
  await expectTidy(other)
})

test('with auto-commit, the first turn makes the first commit; in a sha256 repository it is linked as well', async () => {
  await using repo = await recordedRepo({ kind: 'unborn' })
  rmSync(`${repo.root}/.git`, { recursive: true })
  await repo.git('init', '--quiet', '--object-format=sha256', '--initial-branch=main')
  await repo.git('config', 'user.name', 'Dev')
  await repo.git('config', 'user.email', 'dev@example.com')
  await repo.entire(['enable', '--agent', 'claude-code'])
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.txt': text('a') })
  await repo.commitAs('human', 'first', 'a.txt')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({ files_touched: ['a.txt'] })
  await expectTidy(repo)

  await using other = await recordedRepo({ kind: 'unborn' })
  other.write('mine.txt', text('mine'))
  await other.entire(['enable', '--agent', 'claude-code', '--strategy', 'auto-commit'])
  await fakeAgent(other).turn('write a', { 'a.txt': text('a') })
  expect(await other.paths('HEAD')).toEqual(['a.txt'])
  expect(await other.storedSession(await other.checkpointOf())).toMatchObject({ files_touched: ['a.txt'] })
})

// A rewind restores the session log of the step, the task or the commit, and loses nothing of the log it
// replaces.
import { expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type FakeAgent, fakeAgent } from '../support/fake-agent.ts'
import { recordedRepo } from '../support/recorded-repo.ts'
import { pointsOf, stepOf } from '../support/rewind-points.ts'

const text = (agent: FakeAgent) => readFileSync(agent.transcript, 'utf8')
const backups = (agent: FakeAgent) =>
  readdirSync(dirname(agent.transcript))
    .filter((name) => name.startsWith(`${basename(agent.transcript)}.backup-`))
    .map((name) => readFileSync(join(dirname(agent.transcript), name), 'utf8'))

test('a rewind restores the conversation of the step, unredacted, and its undo restores the rest', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  const secret = `ghp_${'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3gHi'}`
  await agent.turn(`one, with ${secret}`, { 'a.txt': 'one\n' })
  const one = text(agent)
  await agent.turn('two', { 'a.txt': 'two\n' })
  const two = text(agent)
  await repo.entire(['rewind', '--to', (await pointsOf(repo))[1]?.id ?? ''])
  expect(text(agent)).toBe(one)
  expect(one).toContain(secret)
  expect(backups(agent)).toEqual([two])
  expect(statSync(agent.transcript).mode & 0o777).toBe(0o600)

  const undone = await repo.entire(['rewind', '--undo'])
  expect(undone.err).toContain(`Restored the session log: ${agent.transcript}\n`)
  expect(text(agent)).toBe(two)
  await repo.entire(['rewind', '--redo'])
  expect(text(agent)).toBe(one)
})

test('an undo does not replace a log that has changed since the rewind', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('one', { 'a.txt': 'one\n' })
  await agent.turn('two', { 'a.txt': 'two\n' })
  await repo.entire(['rewind', '--to', await stepOf(repo, 'One')])
  await agent.turn('three', { 'b.txt': 'three\n' })
  const log = text(agent)
  const undone = await repo.entire(['rewind', '--undo'])
  expect(undone.err).toContain('Note: The session log has changed since and was not restored')
  expect(text(agent)).toBe(log)
  expect([repo.read('a.txt'), repo.read('b.txt')]).toEqual(['two\n', 'three\n'])
})

test('after a rewind the next checkpoint holds only the prompts before it', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('the first prompt', { 'a.txt': 'the first work\n' })
  await agent.turn('the second prompt', { 'a.txt': 'the second work\n' })
  await repo.entire(['rewind', '--to', await stepOf(repo, 'The first prompt')])
  await repo.commitAs('human', 'only the first')
  const id = await repo.checkpointOf()
  expect(await repo.stored(id, '0/prompt.txt')).toBe('the first prompt')
  expect(await repo.transcript(id)).not.toContain('the second prompt')
  expect(await repo.storedSession(id)).toMatchObject({ checkpoints_count: 1, files_touched: ['a.txt'] })
})

test('a missing log is restored from the step, with secrets redacted', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  const secret = `ghp_${'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3gHi'}`
  await agent.turn(`one, with ${secret}`, { 'a.txt': 'one\n' })
  await agent.turn('two', { 'a.txt': 'two\n' })
  rmSync(dirname(agent.transcript), { recursive: true })
  await repo.entire(['rewind', '--to', (await pointsOf(repo))[1]?.id ?? ''])
  const lines = agent.lines().map((line) => JSON.parse(line))
  expect(lines.map(({ type }) => type)).toEqual(['user', 'assistant', 'assistant'])
  expect(text(agent)).not.toContain(secret)
  expect(text(agent).endsWith('\n')).toBe(true)
})

test('--logs-only restores the log of a step and leaves the files alone', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('one', { 'a.txt': 'one\n' })
  const one = text(agent)
  await agent.turn('two', { 'a.txt': 'two\n' })
  const id = await stepOf(repo, 'One')
  const dry = await repo.entire(['rewind', '--to', id, '--logs-only', '--dry-run'])
  expect(dry.out).toBe(`  Write: ${agent.transcript}\nDry run: nothing was changed.\n`)
  const ran = await repo.entire(['rewind', '--to', id, '--logs-only'])
  expect(ran.out).toBe(
    `Restored session logs.\nclaude -r ${agent.session}\nNote: Working directory unchanged. Use interactive mode for full checkout.\n`,
  )
  expect([text(agent), repo.read('a.txt')]).toEqual([one, 'two\n'])
})

test('going to a commit with a checkpoint restores its logs and changes nothing else', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('first', { 'a.txt': 'the first work\n' })
  const log = text(agent)
  const first = await repo.commitAs('human', 'add a')
  await agent.turn('second', { 'b.txt': 'the second work\n' })
  const second = await repo.commitAs('human', 'add b')
  expect(await pointsOf(repo)).toMatchObject([
    {
      id: second,
      message: 'add b',
      is_logs_only: true,
      condensation_id: await repo.checkpointOf(),
      session_id: agent.session,
      session_prompt: 'second',
    },
    {
      id: first,
      message: 'add a',
      is_logs_only: true,
      is_task_checkpoint: false,
      metadata_dir: '',
      session_prompt: 'first',
    },
  ])
  repo.write('mine.txt', 'uncommitted\n')
  repo.write('a.txt', 'changed\n')
  const [status, newer] = [await repo.git('status', '--porcelain'), text(agent)]

  const dry = await repo.entire(['rewind', '--to', first, '--dry-run', '--json'])
  expect(JSON.parse(dry.out)).toMatchObject({
    id: first,
    dry_run: true,
    logs: [{ session_id: agent.session, path: agent.transcript }],
  })
  expect(text(agent)).toBe(newer)
  const ran = await repo.entire(['rewind', '--to', first])
  expect(ran).toMatchObject({
    code: 0,
    out: `Restored session logs.\nclaude -r ${agent.session}  # first\nNote: Working directory unchanged. Use interactive mode for full checkout.\n`,
  })
  expect(text(agent)).toBe(log)
  expect(backups(agent)).toEqual([newer])
  expect([await repo.git('status', '--porcelain'), await repo.head()]).toEqual([status, second])
})

test('steps and commits are listed together, each once', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('first', { 'a.txt': 'the first work\n' })
  await repo.commitAs('human', 'add a')
  await agent.turn('second', { 'b.txt': 'the second work\n' })
  const points = await pointsOf(repo)
  expect(points.map(({ message, is_logs_only }) => [message, is_logs_only])).toEqual([
    ['Second', false],
    ['add a', true],
  ])
  expect(points[0]).toMatchObject({
    metadata_dir: `.entire/metadata/${agent.session}`,
    date: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
  })
  expect(points[0]).not.toHaveProperty('condensation_id')
})

test('restoring the logs of a commit leaves the log of a running session alone', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const [one, two] = [fakeAgent(repo), fakeAgent(repo)]
  await one.turn('of one', { 'a.txt': 'work of one\n' })
  await two.turn('of two', { 'b.txt': 'work of two\n' })
  await repo.commitAs('human', 'both')
  await one.turn('more of one', { 'c.txt': 'c\n' })
  await two.prompt('still at it')
  const running = text(two)
  const ran = await repo.entire(['rewind', '--to', await repo.head(), '--json'])
  expect(JSON.parse(ran.out).logs).toMatchObject([{ session_id: one.session, path: one.transcript }])
  expect(ran.err).toContain(`Note: Session ${two.session} is running: its log was not changed.\n`)
  expect(text(two)).toBe(running)
  expect(text(one)).not.toContain('more of one')
})

test('the logs of all sessions of a commit are restored together', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const [one, two] = [fakeAgent(repo), fakeAgent(repo)]
  await one.turn('of one', { 'a.txt': 'work of one\n' })
  await two.turn('of two', { 'b.txt': 'work of two\n' })
  await repo.commitAs('human', 'both')
  for (const agent of [one, two]) rmSync(agent.transcript)
  const ran = await repo.entire(['rewind', '--to', await repo.head()])
  expect(ran.out).toContain('\nRestored 2 sessions. Resume with:\n')
  expect(ran.out).toContain(`  claude -r ${two.session}  # of two (most recent)\n`)
  expect([one, two].map((agent) => existsSync(agent.transcript))).toEqual([true, true])
})

// Kills a rewind at its writes: a way back to every byte remains. A rewind that fails half way changes
// nothing.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemRecorder } from '../../src/cli/recorder.ts'
import { lookAtDisk } from '../../src/rewind/disk.ts'
import { rollBackOnFailure } from '../../src/rewind/restore-state.ts'
import { saveSafety } from '../../src/rewind/safety-step.ts'
import { openGit } from '../../src/sessions/git-session.ts'
import { readDisk } from '../properties/rewind-world.ts'
import { fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { stepOf } from '../support/rewind-points.ts'
import { rotatingNumbers, rotationTitle, timeLimit } from '../support/rotation.ts'
import { takeSnapshot } from '../support/template.ts'
import { counted } from '../support/trials.ts'

setDefaultTimeout(timeLimit(180_000))

const killedCode = 137

interface Story {
  /**
   * Prepares the repository, reports the states that must not be lost, and returns the arguments of the
   * command.
   */
  before(repo: RecordedRepo, remember: () => Promise<void>): Promise<string[]>
}

async function threeTurns(repo: RecordedRepo) {
  repo.write('gone.txt', 'deleted in two\n')
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('one', { 'a.txt': 'one\n', flip: 'a file\n' })
  await agent.prompt('two')
  repo.remove('flip')
  repo.remove('gone.txt')
  for (const path of ['a.txt', 'b.txt', 'flip/inner.txt']) agent.write(path, 'two\n')
  await agent.stop()
  repo.write('a.txt', 'two, and edited\n', 0o600)
  return agent
}

async function committed(repo: RecordedRepo) {
  const agent = await threeTurns(repo)
  const first = await repo.commitAs('human', 'first')
  await agent.turn('three', { 'a.txt': 'three\n', 'c.txt': 'three\n' })
  await repo.commitAs('human', 'second')
  repo.write('a.txt', 'uncommitted\n')
  repo.write('staged.txt', 'staged\n')
  await repo.git('add', 'staged.txt')
  return first
}

const stories: Record<string, Story> = {
  'a rewind': {
    async before(repo) {
      await threeTurns(repo)
      return ['--to', await stepOf(repo, 'One')]
    },
  },
  'the undo of a rewind': {
    async before(repo, remember) {
      await threeTurns(repo)
      await remember()
      await repo.entire(['rewind', '--to', await stepOf(repo, 'One')])
      repo.write('a.txt', 'edited after the rewind\n')
      return ['--undo']
    },
  },
  'a reset': { before: async (repo) => ['--to', await committed(repo), '--reset', '--force'] },
  'the undo of a reset': {
    async before(repo, remember) {
      const first = await committed(repo)
      await remember()
      await repo.entire(['rewind', '--to', first, '--reset', '--force'])
      repo.write('c.txt', 'where a file comes back\n')
      return ['--undo']
    },
  },
}

test.concurrent.each(Object.entries(stories))(`killed at its writes: %s (${rotationTitle})`, (_name, story) =>
  counted('kills', async (trials) => {
    await using repo = await recordedRepo()
    const states: string[] = []
    const remember = async () => void states.push(await readAll(repo))
    const args = await story.before(repo, remember)
    await remember()
    using start = takeSnapshot(repo.base)
    for (const at of rotatingNumbers()) {
      trials.begin()
      start.restore()
      const ran = await repo.entire(['rewind', ...args], { env: { ENTIRE_TEST_KILL_AT_WRITE: String(at) } })
      expect([0, killedCode]).toContain(ran.code)
      await expectWayBack(repo, { at, states })
      await repo.git('fsck', '--strict', '--no-dangling')
      // The next command cleans up.
      await repo.entire(['rewind', '--redo', '--dry-run'])
      expect({ at, tmp: repo.temporary() }).toEqual({ at, tmp: [] })
      expect(at).toBeLessThan(60)
      if (ran.code !== killedCode) break
    }
  }),
)

// More than there are safety steps.
const mostMoves = 20

// Undoing or redoing passes through every state.
async function expectWayBack(
  repo: RecordedRepo,
  { at, states }: { at: number; states: string[] },
): Promise<void> {
  const seen = [await readAll(repo)]
  const isComplete = () => states.every((state) => seen.includes(state))
  for (const way of ['--undo', '--redo']) {
    for (let moves = 0; !isComplete() && moves < mostMoves; moves += 1) {
      if ((await repo.entire(['rewind', way])).code !== 0) break
      seen.push(await readAll(repo))
    }
  }
  expect({ at, states, seen: isComplete() ? [] : seen }).toEqual({ at, states, seen: [] })
}

async function readAll(repo: RecordedRepo): Promise<string> {
  const files = [...readDisk(repo)].sort()
  return JSON.stringify({ head: await repo.head(), index: await repo.git('ls-files', '--stage'), files })
}

test('a reset that git refuses half way leaves files, index and branch as they were', async () => {
  await using repo = await recordedRepo()
  const first = await committed(repo)
  const before = await readAll(repo)
  writeFileSync(join(repo.repo.gitDir, 'index.lock'), '')
  const ran = await repo.entire(['rewind', '--to', first, '--reset', '--force'])
  rmSync(join(repo.repo.gitDir, 'index.lock'))
  expect(ran.code).toBe(1)
  expect(ran.err).toContain('index.lock')
  expect(await readAll(repo)).toBe(before)
})

test('a full disk leaves everything as it was', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('one', { 'a.txt': 'a line of a large file\n'.repeat(50_000) })
  await agent.turn('two', { 'a.txt': 'two\n' })
  const one = await stepOf(repo, 'One')
  const before = await readAll(repo)
  const ran = await repo.run(['sh', '-c', `trap '' XFSZ; ulimit -f 200; exec entire rewind --to ${one}`])
  expect(ran.code).toBe(1)
  expect(await readAll(repo)).toBe(before)
  expect(repo.temporary()).toEqual([])
})

test('a rewind that fails after writing some files restores them', async () => {
  await using repo = await recordedRepo()
  await threeTurns(repo)
  const before = readDisk(repo)
  const recorder = systemRecorder(repo.repo, { component: 'test' })
  await using git = openGit(repo.repo)
  const paths = ['a.txt', 'b.txt', 'flip', 'flip/inner.txt', 'gone.txt']
  const worktree = { recorder, git, disk: lookAtDisk(repo.root) }
  const safety = await saveSafety(
    worktree,
    { kind: 'rewind', paths, committed: [], sessions: [], logs: [] },
    { commits: [] },
  )
  const failing = rollBackOnFailure(worktree, safety, async () => {
    repo.write('a.txt', 'half way\n')
    repo.write('gone.txt', 'half way\n')
    rmSync(join(repo.root, 'flip'), { recursive: true })
    repo.write('flip', 'half way\n')
    throw new Error('the disk is on fire')
  })
  expect(await failing.catch((error: Error) => error.message)).toBe('the disk is on fire')
  expect(readDisk(repo)).toEqual(before)
})

// Runs many hooks at once: of one session, of many sessions, in one work tree and in several.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { findRepo } from '../../src/git/repo.ts'
import { type FakeAgent, fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { rounds, timeLimit } from '../support/rotation.ts'
import { counted } from '../support/trials.ts'
import {
  expectLinksHold,
  expectNoLeftovers,
  expectReadable,
  expectRecorded,
  readParts,
} from './faulty-repo.ts'

setDefaultTimeout(timeLimit(60_000))

const text = (name: string) => `the first line of ${name}\nthe second line of ${name}\n`

test('two hooks of one session at once count one turn and lose nothing', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.prompt('work')
  agent.write('a', text('a'))
  await Promise.all([agent.stop(), agent.stop(), agent.hook('pre-compact', { trigger: 'auto' })])
  expect(repo.state(agent.session)).toMatchObject({ files_touched: ['a'], phase: 'idle' })
  await repo.commitAs('human', 'a')
  await expectRecorded(repo, 'HEAD', ['a'], agent)
  await expectSound(repo)
})

test('the end of a turn and a commit at once lose nothing', () =>
  counted('races', async (trials) => {
    await using repo = await recordedRepo()
    const agent = fakeAgent(repo)
    for (let round = 0; round < rounds(4, 100); round += 1) {
      trials.begin(2)
      await agent.prompt(`round ${round}`)
      agent.write(`a${round}`, text(`a${round}`))
      await Promise.all([agent.stop(), repo.commitAs('agent', `round ${round}`)])
      await agent.turn('and then', {})
      await expectRecorded(repo, 'HEAD', [`a${round}`], agent)
    }
    await expectSound(repo)
  }))

test('20 sessions end their turns at once, and one commit is the checkpoint of all', () =>
  counted('races', async (trials) => {
    for (let round = 0; round < rounds(1, 10); round += 1) {
      trials.begin(20)
      await using repo = await recordedRepo()
      const agents = await startTurns(repo, 20, 'f')
      await Promise.all(agents.map((agent) => agent.stop()))
      await repo.commitAs('human', 'everything')
      const [id = '', ...others] = await repo.checkpointsOf()
      expect(others).toEqual([])
      const parts = await readParts(repo, id)
      expect(parts.map((part) => part.session).sort()).toEqual(agents.map((agent) => agent.session).sort())
      for (const [index, agent] of agents.entries()) await expectRecorded(repo, 'HEAD', [`f${index}`], agent)
      await expectSound(repo)
    }
  }))

test('20 sessions in two work trees end their turns at once, and both are committed at once', () =>
  counted('races', async (trials) => {
    for (let round = 0; round < rounds(1, 10); round += 1) {
      trials.begin(20)
      await using main = await recordedRepo({ isCommitted: true })
      await main.git('worktree', 'add', '--quiet', '-b', 'side', join(main.base, 'side'))
      const side = inWorktree(main, join(main.base, 'side'))
      const [ours, theirs] = await Promise.all([startTurns(main, 10, 'm'), startTurns(side, 10, 's')])
      await Promise.all([...ours, ...theirs].map((agent) => agent.stop()))
      await Promise.all([main.commitAs('human', 'in main'), side.commitAs('human', 'in side')])
      for (const [index, agent] of ours.entries()) await expectRecorded(main, 'main', [`m${index}`], agent)
      for (const [index, agent] of theirs.entries()) await expectRecorded(side, 'side', [`s${index}`], agent)
      expect(await main.git('ls-tree', '--name-only', 'side')).not.toContain('m0')
      await expectSound(main)
    }
  }))

async function startTurns(repo: RecordedRepo, count: number, prefix: string): Promise<FakeAgent[]> {
  const agents = Array.from({ length: count }, () => fakeAgent(repo))
  await Promise.all(agents.map((agent) => agent.prompt('work')))
  for (const [index, agent] of agents.entries()) agent.write(`${prefix}${index}`, text(`${prefix}${index}`))
  return agents
}

async function expectSound(repo: RecordedRepo): Promise<void> {
  await expectReadable(repo)
  await expectLinksHold(repo)
  expectNoLeftovers(repo)
  expect(await repo.refs('refs/heads/entire/')).toEqual(['entire/checkpoints/v1'])
}

/** The same repository, seen from another of its work trees. */
function inWorktree(repo: RecordedRepo, root: string): RecordedRepo {
  const found = findRepo(root, repo.env)
  if (found === undefined) throw new Error(`No work tree at ${root}.`)
  const side: RecordedRepo = {
    ...repo,
    root,
    repo: found,
    run: (argv, options = {}) => repo.run(argv, { cwd: root, ...options }),
    git: (...args) => repo.git('-C', root, ...args),
    head: () => repo.git('-C', root, 'rev-parse', 'HEAD'),
    entire: (args, options = {}) => repo.entire(args, { cwd: root, ...options }),
    write: (path, content) => void repo.write(`../side/${path}`, content),
    async commitAs(_who, message) {
      await side.git('add', '--all')
      const ran = await side.run(['git', 'commit', '--quiet', '-m', message], {
        env: { ...repo.env, ENTIRE_TEST_TTY: '1' },
      })
      if (ran.code !== 0) throw new Error(ran.stderr)
      return side.head()
    },
  }
  return side
}

// Kills a hook with all its children, git included, as an agent does that waits no longer.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { readDisk } from '../properties/rewind-world.ts'
import { type FakeAgent, fakeAgent } from '../support/fake-agent.ts'
import { binary } from '../support/recorded-repo.ts'
import { isSoak, rotationSeed, rotationTitle, rounds, timeLimit } from '../support/rotation.ts'
import { checkSteps } from '../support/step-tree.ts'
import { counted } from '../support/trials.ts'
import { until } from '../support/until.ts'
import {
  expectLinksHold,
  expectNoLeftovers,
  expectReadable,
  expectRecorded,
  type FaultyRepo,
  faultyRepo,
} from './faulty-repo.ts'

setDefaultTimeout(timeLimit(60_000))

// Milliseconds, from before the program has started to after it has ended: many new ones in a soak, else two
// of twelve.
const moments = [
  ...fc
    .sample(fc.integer({ min: 5, max: 90 }), { seed: 20261115, numRuns: 12 })
    .filter((_, index) => isSoak || index % 6 === rotationSeed % 6),
  ...(isSoak
    ? fc.sample(fc.double({ min: 2, max: 150, noNaN: true }), { seed: rotationSeed, numRuns: rounds(1, 200) })
    : []),
]

interface Round {
  repo: FaultyRepo
  agent: FakeAgent
  /** The file that the agent writes in this round. */
  file: string
  kill(args: string[], fields?: Record<string, unknown>): Promise<void>
}

const textOf = (file: string) => `line one of ${file}\nline two of ${file}\n`

/** What is killed, and what completes its work: afterwards HEAD is the commit of the file. */
const victims: Record<string, (round: Round) => Promise<void>> = {
  async 'the beginning of a turn'({ repo, agent, file, kill }) {
    repo.write(`mine-${file}`, 'by hand\n')
    await kill(['hooks', 'claude-code', 'user-prompt-submit'], { prompt: 'work' })
    await expectReadable(repo)
    await agent.prompt('work')
    agent.write(file, textOf(file))
    await agent.stop()
    await repo.commitAs('human', file)
  },
  async 'the end of a turn'({ repo, agent, file, kill }) {
    await agent.prompt('work')
    agent.write(file, textOf(file))
    await kill(['hooks', 'claude-code', 'stop'])
    await expectReadable(repo)
    await agent.turn('go on', {})
    await repo.commitAs('human', file)
  },
  async 'a condensation'({ repo, agent, file, kill }) {
    await agent.turn('work', { [file]: textOf(file) })
    await repo.git('add', '.')
    await repo.gitKilling('post-commit', 0, ['commit', '--quiet', '-m', file])
    await kill(['hooks', 'git', 'post-commit'])
    await expectReadable(repo)
    await agent.turn('go on', {})
  },
  async 'an undo'({ repo, agent, file, kill }) {
    await agent.turn('work', { [file]: textOf(file) })
    await agent.turn('work again', { [file]: 'other\n' })
    const before = readDisk(repo)
    await kill(['undo'])
    await expectReadable(repo)
    // It was done, or it was not, or half of it and the way back is there.
    for (const way of [['redo'], ['rewind', '--undo'], ['rewind', '--undo']])
      if (!isDeepStrictEqual(readDisk(repo), before)) await repo.entire(way)
    expect(readDisk(repo)).toEqual(before)
    await repo.commitAs('human', file)
    await expectNoSteps(repo)
  },
}

test.concurrent.each(Object.entries(victims))(
  `%s, killed with its children at any moment, is completed by what follows (${rotationTitle})`,
  (_, play) =>
    counted('kills', async (trials) => {
      await using repo = await faultyRepo({ isCommitted: true })
      const agent = checkSteps(repo, fakeAgent(repo))
      for (const [index, ms] of moments.entries()) {
        trials.begin()
        const file = `a${index}`
        const kill: Round['kill'] = (args, fields = {}) => {
          const payload = { session_id: agent.session, transcript_path: agent.transcript, cwd: repo.root }
          return killGroup(repo, args, ms, JSON.stringify({ ...payload, ...fields }))
        }
        await play({ repo, agent, file, kill })
        await expectRecorded(repo, 'HEAD', [file], agent)
      }
      await agent.prompt('enough')
      await expectSound(repo)
      await expectNoSteps(repo)
    }),
)

// What takes long, and what an agent does that waits no longer: SIGTERM, then SIGKILL.
const blocked = {
  'git status': 'status',
  'git fast-import': 'fast-import',
  'git cat-file': 'cat-file',
}

for (const [name, command] of Object.entries(blocked)) {
  test(`a stop hook that ${name} holds up until it is killed is completed by the next event`, async () => {
    await using repo = await faultyRepo()
    await repo.commit('set up')
    const agent = fakeAgent(repo)
    for (const [round, next] of nextEvents.entries()) {
      await agent.prompt(`round ${round}`)
      agent.write(`a${round}`, `line one of ${round}\nline two of ${round}\n`)
      await killBlocked(repo, agent, command)
      await next(agent)
      const step = repo.shadow(await repo.head())
      expect(await repo.git('show', `${step}:a${round}`)).toContain(`line one of ${round}`)
      await repo.commitAs('human', `round ${round}`)
      await expectRecorded(repo, 'HEAD', [`a${round}`], agent)
    }
    await expectReadable(repo)
  })
}

const nextEvents: ((agent: FakeAgent) => Promise<void>)[] = [
  (agent) => agent.prompt('go on'),
  (agent) => agent.stop(),
  (agent) => agent.end(),
]

test('a commit after a stop hook that was killed has the files of its turn', async () => {
  await using repo = await faultyRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.prompt('write a file')
  agent.write('a', 'line one\nline two\n')
  await killBlocked(repo, agent, 'fast-import')
  await repo.commitAs('human', 'the file')
  await expectRecorded(repo, 'HEAD', ['a'], agent)
})

test('an undo that is killed while its git holds the lock of the steps leaves none of them behind', async () => {
  await using repo = await faultyRepo({ isCommitted: true })
  const agent = fakeAgent(repo)
  await agent.turn('work', { a: textOf('a') })
  await agent.turn('work again', { a: 'other\n' })
  const before = readDisk(repo)
  const lock = join(repo.repo.commonDir, `refs/heads/${repo.shadow(await repo.head())}.lock`)
  await killHolding(repo, ['undo'], lock)
  expect(existsSync(lock)).toBe(true)
  await repo.entire(['redo'])
  expect(readDisk(repo)).toEqual(before)
  await repo.commitAs('human', 'a')
  await expectRecorded(repo, 'HEAD', ['a'], agent)
  await expectSound(repo)
  await expectNoSteps(repo)
})

/** Runs a command with a git that has prepared to move refs, and never hears that it should. */
async function killHolding(repo: FaultyRepo, args: string[], lock: string): Promise<void> {
  const bin = join(repo.base, 'holding')
  mkdirSync(bin)
  const git = Bun.which('git')
  const script = `#!/bin/sh
for word in "$@"; do
    [ "$word" = update-ref ] && { sed -u -z '/^commit$/Q'; sleep 600; } | exec '${git}' "$@"
done
exec '${git}' "$@"
`
  writeFileSync(join(bin, 'git'), script, { mode: 0o755 })
  const child = spawn(binary, args, {
    cwd: repo.root,
    env: { ...repo.env, PATH: `${bin}:${repo.env.PATH}` } as NodeJS.ProcessEnv,
    detached: true,
    stdio: 'ignore',
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  await until(() => existsSync(lock))
  process.kill(-(child.pid as number), 'SIGKILL')
  await ended
}

/** Runs the stop hook with a git that says when it is asked for the command, and then never answers. */
async function killBlocked(repo: FaultyRepo, agent: FakeAgent, command: string): Promise<void> {
  const [bin, reached] = [join(repo.base, 'blocking'), join(repo.base, 'reached')]
  rmSync(reached, { force: true })
  mkdirSync(bin, { recursive: true })
  const script = `#!/bin/sh
for word in "$@"; do
    if [ "$word" = '${command}' ]; then : >'${reached}'; exec sleep 600; fi
done
exec '${Bun.which('git')}' "$@"
`
  writeFileSync(join(bin, 'git'), script, { mode: 0o755 })
  const child = spawn(binary, ['hooks', 'claude-code', 'stop'], {
    cwd: repo.root,
    env: { ...repo.env, PATH: `${bin}:${repo.env.PATH}` } as NodeJS.ProcessEnv,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const payload = { session_id: agent.session, transcript_path: agent.transcript, cwd: repo.root }
  child.stdin?.end(JSON.stringify(payload))
  while (!existsSync(reached)) await Bun.sleep(5)
  process.kill(-(child.pid as number), 'SIGTERM')
  await Bun.sleep(20)
  try {
    process.kill(-(child.pid as number), 'SIGKILL')
  } catch {
    // SIGTERM was enough.
  }
  await ended
}

async function expectSound(repo: FaultyRepo): Promise<void> {
  await expectReadable(repo)
  await expectLinksHold(repo)
  expectNoLeftovers(repo)
}

async function expectNoSteps(repo: FaultyRepo): Promise<void> {
  expect(await repo.refs('refs/heads/entire/')).toEqual(['entire/checkpoints/v1'])
}

async function killGroup(repo: FaultyRepo, args: string[], ms: number, stdin: string): Promise<void> {
  const child = spawn(binary, args, {
    cwd: repo.root,
    env: repo.env as NodeJS.ProcessEnv,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.stdin?.on('error', () => {})
  child.stdin?.end(stdin)
  await Bun.sleep(ms)
  try {
    process.kill(-(child.pid as number), 'SIGKILL')
  } catch {
    // The hook ended before it was killed.
  }
  await ended
}

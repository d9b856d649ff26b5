// Finds the locks and files that killed processes of Entire leave in git's own places, and clears them; those of
// others stay.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fakeAgent } from '../support/fake-agent.ts'
import { binary, type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { tempRepo } from '../support/repo.ts'
import { stepOf } from '../support/rewind-points.ts'
import { rotatingNumbers, rotationTitle, timeLimit } from '../support/rotation.ts'
import { counted } from '../support/trials.ts'
import { until } from '../support/until.ts'
import { expectLinksHold, expectReadable, expectRecorded } from './faulty-repo.ts'

setDefaultTimeout(timeLimit(60_000))

const text = (name: string) => `the first line of ${name}\nthe second line of ${name}\n`

/** Locks of git that an import or a move of refs can leave. */
const locks = ['packed-refs.lock', 'refs/heads/entire/checkpoints/v1.lock', 'HEAD.lock', 'shallow.lock']

for (const lock of locks) {
  test(`${lock}, left by a killed git of a hook, is cleared by the next event`, () =>
    counted('kills', async (trials) => {
      trials.begin()
      await using repo = await recordedRepo()
      const agent = fakeAgent(repo)
      await agent.turn('one', { a: text('a') })
      await repo.commitAs('human', 'a')
      await agent.turn('two', { b: text('b') })
      await repo.git('add', '--all')
      await killWithGit(repo, lock, ['git', 'commit', '--quiet', '-m', 'b'])
      expect(existsSync(join(repo.repo.commonDir, lock))).toBe(true)
      await agent.turn('three', { c: text('c') })
      expect(existsSync(join(repo.repo.commonDir, lock))).toBe(false)
      await expectRecorded(repo, 'HEAD', ['b'], agent)
      await repo.commitAs('human', 'c')
      await expectRecorded(repo, 'HEAD', ['c'], agent)
      await expectLinksHold(repo)
      await expectReadable(repo)
    }))
}

test('doctor clears them as well', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('one', { a: text('a') })
  await repo.git('add', '--all')
  await killWithGit(repo, 'packed-refs.lock', ['git', 'commit', '--quiet', '-m', 'a'])
  await repo.entire(['doctor', '--force'])
  expect(existsSync(join(repo.repo.commonDir, 'packed-refs.lock'))).toBe(false)
  await agent.prompt('two')
  await expectRecorded(repo, 'HEAD', ['a'], agent)
})

test('a lock of another git stays: when no hook was killed, and while that git runs', async () => {
  await using repo = await recordedRepo()
  const lock = join(repo.repo.commonDir, 'packed-refs.lock')
  const agent = fakeAgent(repo)
  writeFileSync(lock, '')
  await agent.turn('one', { a: text('a') })
  await agent.turn('two', {})
  expect(existsSync(lock)).toBe(true)
  rmSync(lock)
  // A hook is killed, and its git leaves a lock, while the user's git is at work.
  await agent.turn('three', { b: text('b') })
  await repo.git('add', '--all')
  await killWithGit(repo, 'packed-refs.lock', ['git', 'commit', '--quiet', '-m', 'b'])
  await using _busy = await userGit(repo)
  await agent.hook('user-prompt-submit', { prompt: 'four' })
  expect(existsSync(lock)).toBe(true)
})

/** A git command of the user that runs until it is disposed of. */
async function userGit(repo: RecordedRepo): Promise<AsyncDisposable> {
  const child = spawn('git', ['fast-import', '--quiet'], {
    cwd: repo.root,
    env: repo.env as NodeJS.ProcessEnv,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  await Bun.sleep(50)
  return {
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await ended
    },
  }
}

/**
 * Runs the command and kills the hook after the commit together with the git that moves refs for it, when
 * that git has made the lock.
 */
async function killWithGit(repo: RecordedRepo, lock: string, argv: string[]): Promise<void> {
  const path = (await repo.git('--exec-path')).trim()
  const bin = join(repo.base, 'deadly')
  const [ready, pids] = [join(repo.base, 'ready'), join(repo.base, 'pids')]
  const lockPath = join(repo.repo.commonDir, lock)
  mkdirSync(bin, { recursive: true })
  mkdirSync(dirname(lockPath), { recursive: true })
  // Stands for git at the moment at which it holds the lock: its parent and itself are to be killed then.
  writeFileSync(
    join(bin, 'git'),
    `#!/bin/sh\ncase " $* " in *' fast-import '*)\n  : >'${lockPath}'; echo "$PPID $$" >'${pids}'; : >'${ready}'; exec sleep 60 ;;\nesac\nexec '${path}/git' "$@"\n`,
  )
  chmodSync(join(bin, 'git'), 0o755)
  rmSync(ready, { force: true })
  const ran = repo.run(argv, {
    env: { ...repo.env, ENTIRE_TEST_TTY: '1', GIT_EXEC_PATH: bin },
  })
  await until(() => existsSync(ready))
  const [hook, git] = (await Bun.file(pids).text()).trim().split(' ').map(Number) as [number, number]
  process.kill(hook, 'SIGKILL')
  process.kill(git, 'SIGKILL')
  await ran
  rmSync(bin, { recursive: true })
}

test('a rewind whose pack a killed one had begun goes on at once', async () => {
  await using repo = await recordedRepo({ isCommitted: true })
  const agent = fakeAgent(repo)
  await agent.turn('one', { a: 'one\n' })
  const step = await stepOf(repo, 'One')
  await agent.turn('two', { a: 'two\n' })
  const path = (await repo.git('--exec-path')).trim()
  const [bin, once] = [join(repo.base, 'once'), join(repo.base, 'failed')]
  mkdirSync(bin)
  // What git says when a killed import has left the mark of the same pack.
  writeFileSync(
    join(bin, 'git'),
    `#!/bin/sh\ncase " $* " in *' fast-import '*) [ -e '${once}' ] || { '${path}/git' "$@"; : >'${once}'; echo 'fatal: cannot create keep file' >&2; exit 128; } ;; esac\nexec '${path}/git' "$@"\n`,
  )
  chmodSync(join(bin, 'git'), 0o755)
  for (const args of [['--to', step], ['--undo']]) {
    rmSync(once, { force: true })
    const ran = await repo.entire(['rewind', ...args], {
      env: { PATH: `${bin}:${repo.env.PATH}` } as Record<string, string>,
    })
    expect({ code: ran.code, err: ran.err }).toMatchObject({ code: 0 })
    expect(existsSync(once)).toBe(true)
    expect(await Bun.file(join(repo.root, 'a')).text()).toBe(args[0] === '--undo' ? 'two\n' : 'one\n')
  }
})

for (const next of [
  ['enable', '--agent', 'claude-code'],
  ['disable', '--uninstall', '--force'],
]) {
  test(`a killed enable leaves no temporary file after ${next[0]} (${rotationTitle})`, () =>
    counted('kills', async (trials) => {
      for (const at of rotatingNumbers()) {
        trials.begin()
        await using plain = await tempRepo()
        const ran = await plain.run([binary, 'enable', '--agent', 'claude-code'], {
          env: { ...plain.env, ENTIRE_TEST_KILL_AT_WRITE: String(at) },
        })
        const after = await plain.run([binary, ...next], { env: plain.env })
        // Nothing may have been installed yet.
        if (next[0] === 'enable') expect(after.code).toBe(0)
        const dirs = ['.git', '.git/hooks', '.claude', '.entire'].map((dir) => join(plain.root, dir))
        const left = dirs.flatMap((dir) => (existsSync(dir) ? readdirSync(dir) : []))
        expect({ at, left: left.filter((name) => /\.tmp$|\.lock$/.test(name)) }).toEqual({ at, left: [] })
        if (ran.code === 0) break
      }
    }))
}

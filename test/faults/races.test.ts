// Lets commits and events get in each other's way, and loses their hooks: no link and no step is lost.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { type FakeAgent, fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { rounds, timeLimit } from '../support/rotation.ts'
import { counted } from '../support/trials.ts'
import {
  expectLinksHold,
  expectNoLeftovers,
  expectReadable,
  expectRecorded,
  faultyRepo,
} from './faulty-repo.ts'

setDefaultTimeout(timeLimit(120_000))

const text = (name: string) => `the first line of ${name}\nthe second line of ${name}\n`

test('commits at the same moment in one work tree all get their checkpoints', () =>
  counted('races', async (trials) => {
    await using repo = await recordedRepo({ isCommitted: true })
    for (let round = 0; round < rounds(4, 100); round += 1) {
      trials.begin(4)
      const agents = Array.from({ length: 4 }, () => fakeAgent(repo))
      const names = agents.map((_, index) => `f${round}-${index}`)
      for (const [index, agent] of agents.entries())
        await agent.turn('work', { [names[index] as string]: text(names[index] as string) })
      await repo.git('add', '--all')
      await Promise.all(names.map((name) => commitFile(repo, name)))
      for (const [index, agent] of agents.entries()) {
        const name = names[index] as string
        const commit = await repo.git('log', '-1', '--format=%H', '--', name)
        await expectRecorded(repo, commit, [name], agent)
      }
    }
    await expectLinksHold(repo)
    await expectReadable(repo)
  }))

// Git refuses a commit whose parent another one has replaced: a person or a script tries again.
async function commitFile(repo: RecordedRepo, name: string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const ran = await repo.run(['git', 'commit', '--quiet', '-m', `add ${name}`, '--', name], {
      env: { ...repo.env, ENTIRE_TEST_TTY: '1' },
    })
    if (ran.code === 0) return
    if (!/lock|nothing to commit|expected/.test(ran.stderr + ran.stdout)) throw new Error(ran.stderr)
    await Bun.sleep(5)
  }
  throw new Error(`${name} was never committed`)
}

test('a commit that is made while the message of another one is edited keeps its checkpoint, and so does the other', async () => {
  await using repo = await recordedRepo({ isCommitted: true })
  const [agent, other] = [fakeAgent(repo), fakeAgent(repo)]
  await agent.turn('work', { a: text('a') })
  await other.turn('work', { b: text('b') })
  await repo.git('add', 'a')
  const editor = writeEditor(
    repo,
    `git add b; git commit --quiet -m b -- b\n{ echo a; cat "$1"; } >"$1.new"; mv "$1.new" "$1"`,
  )
  // Git refuses the first, because its parent has been replaced.
  await repo.run(['git', 'commit', '--quiet'], {
    env: { ...repo.env, ENTIRE_TEST_TTY: '1', GIT_EDITOR: editor },
  })
  await repo.gitAs('human', ['commit', '--quiet', '-m', 'a', '--', 'a'])
  expect((await repo.subjects('HEAD')).slice(0, 3)).toEqual(['a', 'b', 'setup'])
  await expectRecorded(repo, 'HEAD', ['a'], agent)
  await expectRecorded(repo, 'HEAD~', ['b'], other)
  await expectLinksHold(repo)
})

function writeEditor(repo: RecordedRepo, script: string): string {
  const path = join(repo.base, 'editor')
  writeFileSync(path, `#!/bin/sh\nunset GIT_INDEX_FILE GIT_DIR\n${script}\n`)
  chmodSync(path, 0o755)
  return path
}

for (const at of [0, 1, 2, 3]) {
  test(`a commit whose prepare hook was killed at write ${at} is linked`, async () => {
    await using repo = await faultyRepo({ isCommitted: true })
    const agent = fakeAgent(repo)
    await agent.turn('work', { a: text('a') })
    await repo.git('add', '--all')
    await repo.gitKilling('prepare-commit-msg', at, ['commit', '--quiet', '-m', 'a'])
    await agent.prompt('go on')
    await expectRecorded(repo, 'HEAD', ['a'], agent)
    await expectLinksHold(repo)
  })
}

test('a commit whose prepare hook began late and was killed leaves no promise', async () => {
  await using repo = await faultyRepo({ isCommitted: true })
  const agent = fakeAgent(repo)
  await agent.turn('work', { a: text('a') })
  await repo.git('add', '--all')
  // Git has decided on the date of the commit before the hook begins.
  const late = { DEADLY_SLEEP: '1.1' }
  await repo.gitKilling('prepare-commit-msg', 2, ['commit', '--quiet', '-m', 'a'], late)
  await agent.prompt('go on')
  await expectRecorded(repo, 'HEAD', ['a'], agent)
  expectNoLeftovers(repo)
})

const nextEvents: Record<string, (agent: FakeAgent) => Promise<unknown>> = {
  'the next prompt': (agent) => agent.prompt('go on'),
  'the end of the session': (agent) => agent.end(),
  'a prompt of another session': (agent) =>
    agent.hook('user-prompt-submit', { session_id: 'another', prompt: 'b' }),
}

test('a commit outside of a turn that loses both hooks is linked by the next event, or commit', async () => {
  await using repo = await faultyRepo({ isCommitted: true })
  const agent = fakeAgent(repo)
  // The hooks of the commit never run.
  const commitAlone = async (file: string, dir: string) => {
    await repo.git('add', file)
    await repo.git('-c', `core.hooksPath=${dir}`, 'commit', '--quiet', '-m', file)
  }
  for (const [index, next] of Object.values(nextEvents).entries()) {
    const [lost, mine] = [`lost-${index}`, `mine-${index}`]
    await agent.turn('work', { [lost]: text(lost) })
    await commitAlone(lost, repo.base)
    repo.write(mine, text(mine))
    await commitAlone(mine, repo.base)
    await next(agent)
    await expectRecorded(repo, 'HEAD~', [lost], agent)
    expect(await repo.run(['git', 'notes', '--ref=entire-checkpoints', 'show'])).toMatchObject({ code: 1 })
    await agent.turn('go on', {})
  }
  await agent.hook('session-end', { session_id: 'another', reason: 'other' })
  await agent.turn('work', { a: text('a'), b: text('b') })
  await commitAlone('a', repo.base)
  await repo.commitAs('human', 'b', 'b')
  await expectRecorded(repo, 'HEAD~', ['a'], agent)
  await expectRecorded(repo, 'HEAD', ['b'], agent)
  // What others made comes by other ways.
  await agent.turn('work', { c: text('c') })
  await repo.git('add', 'c')
  const tree = await repo.git('write-tree')
  await repo.git(
    'update-ref',
    '-m',
    'pull: Fast-forward',
    'HEAD',
    await repo.git('commit-tree', '-p', 'HEAD', '-m', 'c', tree),
  )
  await agent.end()
  expect(await repo.run(['git', 'notes', '--ref=entire-checkpoints', 'show'])).toMatchObject({ code: 1 })
  expectNoLeftovers(repo)
  await expectLinksHold(repo)
})

test('a commit that is to stay without a link stays so when its last hook is killed', async () => {
  await using repo = await faultyRepo({ isCommitted: true })
  const agent = fakeAgent(repo)
  await agent.prompt('work')
  repo.write('mine', text('mine'))
  await repo.git('add', 'mine')
  await repo.gitKilling('post-commit', 0, ['commit', '--quiet', '-m', 'mine'])
  agent.write('mine', text('mine, too'))
  await agent.stop()
  expect(await repo.refs('refs/notes/')).toEqual([])
  expectNoLeftovers(repo)
})

test('steps whose branch another git holds while they are committed are removed by the next event', async () => {
  await using repo = await faultyRepo({ isCommitted: true })
  const agent = fakeAgent(repo)
  await agent.turn('work', { a: text('a') })
  const lock = join(repo.repo.commonDir, `refs/heads/${repo.shadow(await repo.head())}.lock`)
  writeFileSync(lock, '')
  await repo.commitAs('human', 'a', 'a')
  rmSync(lock)
  await agent.prompt('go on')
  await expectRecorded(repo, 'HEAD', ['a'], agent)
  expect(await repo.refs('refs/heads/entire/')).toEqual(['entire/checkpoints/v1'])
  expectNoLeftovers(repo)
})

test('a person who says no to a link is not overruled', async () => {
  await using repo = await recordedRepo({ isCommitted: true })
  const agent = fakeAgent(repo)
  await agent.turn('work', { a: text('a') })
  await repo.git('add', '--all')
  const editor = writeEditor(
    repo,
    `{ echo mine; grep -v Entire-Checkpoint "$1"; } >"$1.new"; mv "$1.new" "$1"`,
  )
  await repo.gitAs('human', ['commit', '--quiet'], { env: { GIT_EDITOR: editor } })
  await agent.turn('go on', {})
  expect(await repo.checkpointsOf()).toEqual([])
  expect(await repo.refs('refs/notes/')).toEqual([])
})

test('amending with --no-edit links an unlinked commit that takes up the work of an agent', async () => {
  await using repo = await recordedRepo()
  repo.write('mine', 'by hand\n')
  await repo.commitAs('human', 'by hand')
  const agent = fakeAgent(repo)
  await agent.turn('work', { a: text('a') })
  await repo.git('add', '--all')
  await repo.gitAs('human', ['commit', '--quiet', '--amend', '--no-edit'])
  expect((await repo.message()).split('\n')[0]).toBe('by hand')
  await expectRecorded(repo, 'HEAD', ['a'], agent)
  await agent.turn('more', { b: text('b') })
  await repo.commitAs('human', 'b')
  await expectRecorded(repo, 'HEAD', ['b'], agent)
  expect(await repo.shadows()).toEqual([])
})

/** What the agent makes of `d/x`, and the paths that count as its work. */
const replacements: Record<string, { work(repo: RecordedRepo): void; files: string[] }> = {
  'a directory that is deleted': {
    work: (repo) => rmSync(join(repo.root, 'd'), { recursive: true }),
    files: ['d/x'],
  },
  'a directory that becomes a file': {
    work: (repo) => {
      rmSync(join(repo.root, 'd'), { recursive: true })
      repo.write('d', text('d'))
    },
    files: ['d', 'd/x'],
  },
  'a file that becomes a directory': {
    work: (repo) => {
      rmSync(join(repo.root, 'f'))
      repo.write('f/in', text('f/in'))
    },
    files: ['f', 'f/in'],
  },
}

for (const [name, { work, files }] of Object.entries(replacements)) {
  test(`the commit of ${name} is linked`, async () => {
    await using repo = await recordedRepo()
    repo.write('d/x', text('d/x'))
    repo.write('f', text('f'))
    await repo.commitAs('human', 'setup')
    const agent = fakeAgent(repo)
    await agent.prompt('replace it')
    work(repo)
    agent.say('Done.')
    await agent.stop()
    await repo.commitAs('human', 'replaced')
    const stored = await repo.storedSession(await repo.checkpointOf())
    expect(files.filter((file) => !(stored.files_touched as string[]).includes(file))).toEqual([])
    await expectLinksHold(repo)
  })
}

test('a commit beside a directory that an agent has replaced by a file is not linked', async () => {
  await using repo = await recordedRepo()
  repo.write('d/x', text('d/x'))
  await repo.commitAs('human', 'setup')
  const agent = fakeAgent(repo)
  await agent.prompt('replace it')
  rmSync(join(repo.root, 'd'), { recursive: true })
  agent.write('d', text('d'))
  await agent.stop()
  repo.write('mine', 'by hand\n')
  await repo.commitAs('human', 'by hand', 'mine')
  expect(await repo.checkpointsOf()).toEqual([])
  await repo.commitAs('human', 'replaced')
  await expectRecorded(repo, 'HEAD', ['d'], agent)
})

test('a turn whose step could not be written is saved by the next event of any session', async () => {
  await using repo = await recordedRepo({ isCommitted: true })
  const [agent, other] = [fakeAgent(repo), fakeAgent(repo)]
  await agent.prompt('work')
  agent.write('a', text('a'))
  await withBrokenImport(repo, () => agent.hook('stop'))
  expect(await repo.shadows()).toEqual([])
  await other.turn('something else', {})
  expect(await repo.paths(repo.shadow(await repo.head()))).toContain('a')
  expect(repo.state(agent.session)).toMatchObject({ phase: 'idle', files_touched: ['a'] })
})

test('a turn that ended while the lock was held is saved by the next event of any session', async () => {
  await using repo = await recordedRepo({ isCommitted: true })
  const [agent, other] = [fakeAgent(repo), fakeAgent(repo)]
  await agent.prompt('work')
  agent.write('a', text('a'))
  const lock = join(repo.repo.gitDir, 'entire.lock')
  writeFileSync(lock, `${process.pid} ${hostname()}\n`)
  await agent.hook('stop')
  rmSync(lock)
  await other.turn('something else', {})
  expect(await repo.paths(repo.shadow(await repo.head()))).toContain('a')
  expect(repo.state(agent.session)).toMatchObject({ phase: 'idle', files_touched: ['a'] })
})

/** Acts while `git fast-import` fails. */
async function withBrokenImport(repo: RecordedRepo, act: () => Promise<unknown>): Promise<void> {
  const path = (await repo.git('--exec-path')).trim()
  const bin = join(repo.base, 'bin')
  mkdirSync(bin, { recursive: true })
  writeFileSync(
    join(bin, 'git'),
    `#!/bin/sh\ncase " $* " in *' fast-import '*) echo 'fatal: out of luck' >&2; exit 128 ;; esac\nexec '${path}/git' "$@"\n`,
  )
  chmodSync(join(bin, 'git'), 0o755)
  try {
    await act()
  } finally {
    rmSync(join(bin, 'git'))
  }
}

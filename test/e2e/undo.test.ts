// Takes back the last turn, or some files of it, and brings it again.
import { expect, test } from 'bun:test'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'

async function twoTurns(): Promise<RecordedRepo> {
  const repo = await recordedRepo()
  repo.write('.gitignore', '.claude/\n')
  repo.write('a.txt', 'zero\n')
  repo.write('mine.txt', 'mine\n')
  await repo.commitAs('human', 'setup')
  const agent = fakeAgent(repo)
  await agent.turn('one', { 'a.txt': 'one\n', 'b.txt': 'one\n' })
  await agent.turn('two', { 'a.txt': 'two\n', 'dir/c.txt': 'two\n' })
  return repo
}

async function entire(repo: RecordedRepo, ...args: string[]): Promise<string> {
  const { code, out, err } = await repo.entire(args)
  expect({ args, code, err: code === 0 ? '' : err }).toEqual({ args, code: 0, err: '' })
  return `${out}${err}`
}

const files = (repo: RecordedRepo) =>
  ['a.txt', 'b.txt', 'dir/c.txt', 'mine.txt'].map((path) =>
    existsSync(join(repo.root, path)) ? repo.read(path).trim() : '-',
  )

test('undo takes back one turn after the other, redo brings them again', async () => {
  await using repo = await twoTurns()
  repo.write('mine.txt', 'changed by the person\n')
  const mine = 'changed by the person'
  expect(await entire(repo, 'undo', '--dry-run')).toContain('Restore: a.txt')
  expect(files(repo)).toEqual(['two', 'one', 'two', mine])
  expect(await entire(repo, 'undo')).toContain('`entire redo` undoes this.')
  expect(files(repo)).toEqual(['one', 'one', '-', mine])
  await entire(repo, 'undo')
  expect(files(repo)).toEqual(['zero', '-', '-', mine])
  expect(await entire(repo, 'undo')).toContain('Nothing differs')
  expect(await entire(repo, 'redo')).toContain('Redone: 2 files changed.')
  expect(files(repo)).toEqual(['one', 'one', '-', mine])
  await entire(repo, 'redo')
  expect(files(repo)).toEqual(['two', 'one', 'two', mine])
  const again = await repo.entire(['redo'])
  expect({ code: again.code, err: again.err }).toEqual({
    code: 1,
    err: 'error: There is nothing to redo: everything that was taken back is here again.\nhint: `entire undo` takes back the last turn.\n',
  })
})

test('only some files, named from where the person is', async () => {
  await using repo = await twoTurns()
  await entire(repo, 'undo', 'dir')
  expect(files(repo)).toEqual(['two', 'one', '-', 'mine'])
  await entire(repo, 'redo')
  const { code } = await repo.entire(['undo', '../a.txt'], { cwd: join(repo.root, 'dir') })
  expect({ code, files: files(repo) }).toEqual({ code: 0, files: ['one', 'one', 'two', 'mine'] })
  expect(await repo.entire(['undo', '../outside'])).toMatchObject({ code: 2 })
  const typo = await repo.entire(['undo', 'a.txt', 'typo.txt'])
  expect(typo).toMatchObject({ code: 1, err: expect.stringContaining('file not found: typo.txt') })
  await entire(repo, 'redo')
  expect(files(repo)).toEqual(['two', 'one', 'two', 'mine'])
  // Deleted by the person: a path of the turn all the same.
  rmSync(join(repo.root, 'dir/c.txt'))
  await entire(repo, 'undo', 'dir/c.txt')
  await entire(repo, 'undo', '.')
  expect(files(repo)).toEqual(['one', 'one', '-', 'mine'])
})

test('a turn that is still running is not taken back, and the person hears why', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.prompt('write a file')
  agent.write('a.txt', 'half\n')
  const { code, err } = await repo.entire(['undo'])
  expect({ code, err }).toEqual({
    code: 1,
    err: `error: The turn is still running. It can be taken back once it has ended.\nhint: Wait for Claude Code, or interrupt it. If it is gone, \`entire session stop ${agent.session}\` ends the turn.\n`,
  })
})

test('the next turn after an undo is recorded as usual', async () => {
  await using repo = await twoTurns()
  await entire(repo, 'undo')
  await fakeAgent(repo).turn('three', { 'b.txt': 'three\n' })
  expect(files(repo)).toEqual(['one', 'three', '-', 'mine'])
  await entire(repo, 'undo')
  expect(files(repo)).toEqual(['one', 'one', '-', 'mine'])
  await repo.commitAs('human', 'work')
  expect(await repo.checkpointsOf()).toHaveLength(1)
  const { code, err } = await repo.entire(['undo'])
  expect({ code, err }).toEqual({
    code: 1,
    err: 'error: There is no turn to take back since the last commit.\nhint: A commit is taken back with `entire rewind --to <commit> --reset`, or with git.\n',
  })
})

test('--json says what would be done', async () => {
  await using repo = await twoTurns()
  expect(JSON.parse(await entire(repo, 'undo', '--dry-run', '--json'))).toMatchObject({
    dry_run: true,
    restore: ['a.txt'],
    remove: ['dir/c.txt'],
  })
})

/** One committed file of each name, and a session that has not begun. */
async function committed(...names: string[]): Promise<RecordedRepo> {
  const repo = await recordedRepo()
  repo.write('.gitignore', '.claude/\n')
  for (const name of names) repo.write(name, `${name}\n`)
  await repo.commitAs('human', 'setup')
  return repo
}

const contentOf = (repo: RecordedRepo, path: string) =>
  existsSync(join(repo.root, path)) ? repo.read(path) : undefined

test('a turn that only takes uncommitted work away is a step: diff shows it, undo brings the work back', async () => {
  await using repo = await committed('a.txt', 'b.txt')
  const ways: { path: string; how: string; take(): unknown }[] = [
    { path: 'a.txt', how: 'checkout', take: () => repo.git('checkout', '--', 'a.txt') },
    { path: 'u.txt', how: 'rm', take: () => repo.remove('u.txt') },
    { path: 'u.txt', how: 'clean', take: () => repo.git('clean', '-qfd') },
    { path: 'a.txt', how: 'reset', take: () => repo.git('reset', '-q', '--hard') },
    { path: 'a.txt', how: 'stash', take: () => repo.git('stash', '-q') },
  ]
  for (const { path, how, take } of ways) {
    repo.write(path, `${path}\nprecious\n`)
    const agent = fakeAgent(repo)
    await agent.prompt(how)
    await take()
    await agent.stop()
    const gone = contentOf(repo, path)
    expect({ how, diff: await entire(repo, 'diff', '--no-pager') }).toMatchObject({
      diff: expect.stringMatching(/^-precious$/m),
    })
    const { checkpoint_count: steps, files_touched: touched } = repo.state(agent.session)
    expect({ how, steps, touched }).toEqual({ how, steps: 1, touched: undefined })
    await entire(repo, 'undo')
    expect({ how, content: contentOf(repo, path) }).toEqual({ how, content: `${path}\nprecious\n` })
    await entire(repo, 'redo')
    expect({ how, content: contentOf(repo, path) }).toEqual({ how, content: gone })
    // The next one begins without steps.
    repo.write('b.txt', `${how}\n`)
    await repo.commitAs('human', how, 'b.txt')
    expect({ how, ids: await repo.checkpointsOf(), shadows: await repo.shadows() }).toEqual({
      how,
      ids: [],
      shadows: [],
    })
  }
})

test('a second turn that only takes work away is the one that is taken back', async () => {
  await using repo = await committed('a.txt')
  const agent = fakeAgent(repo)
  await agent.turn('one', { 'a.txt': 'one\n' })
  repo.write('u.txt', 'precious\n')
  await agent.prompt('two')
  repo.remove('u.txt')
  await agent.stop()
  await entire(repo, 'undo')
  expect([contentOf(repo, 'u.txt'), repo.read('a.txt')]).toEqual(['precious\n', 'one\n'])
  // What it had made itself counts as well.
  await agent.prompt('three')
  await repo.git('checkout', '--', 'a.txt')
  await agent.stop()
  await entire(repo, 'undo')
  expect([contentOf(repo, 'u.txt'), repo.read('a.txt')]).toEqual(['precious\n', 'one\n'])
})

test('after a turn that only talked, what the person does is kept', async () => {
  await using repo = await committed('a.txt', 'b.txt', 'c.txt')
  const agent = fakeAgent(repo)
  await agent.turn('one', { 'a.txt': 'one\n' })
  repo.write('b.txt', 'person\n')
  await agent.turn('two', {})
  repo.write('c.txt', 'person\n')
  await entire(repo, 'undo')
  expect(['a.txt', 'b.txt', 'c.txt'].map((path) => repo.read(path))).toEqual([
    'a.txt\n',
    'person\n',
    'person\n',
  ])
})

test('diff does not show the state before a turn as what the turn did', async () => {
  await using repo = await committed('a.txt')
  repo.write('a.txt', 'person\n')
  await fakeAgent(repo).turn('talk', {})
  expect(await repo.entire(['diff'])).toMatchObject({ code: 1, out: '' })
})

test('undo never takes back what the person committed between two turns', async () => {
  await using repo = await committed('a.txt', 'b.txt', 'c.txt')
  const main = await repo.git('branch', '--show-current')
  await repo.git('checkout', '-q', '-b', 'side')
  repo.write('side.txt', 'side\n')
  await repo.commitAs('human', 'side')
  await repo.git('checkout', '-q', main)
  const commitB = async () => {
    repo.write('b.txt', `${repo.read('b.txt')}person\n`)
    await repo.commitAs('human', 'person', 'b.txt')
  }
  const ways: Record<string, () => Promise<void>> = {
    stash: async () => {
      await repo.git('stash', 'push', '-q')
      await commitB()
    },
    checkout: async () => {
      await repo.git('checkout', '-q', 'a.txt')
      await commitB()
    },
    keep: commitB,
    branch: async () => {
      await repo.git('checkout', '-q', 'a.txt')
      await repo.git('checkout', '-q', 'side')
    },
  }
  for (const [way, change] of Object.entries(ways)) {
    const agent = fakeAgent(repo)
    await agent.turn('one', { 'a.txt': `${way}\n` })
    await change()
    const all = ['a.txt', 'b.txt', 'c.txt', 'side.txt']
    const before = all.map((path) => contentOf(repo, path))
    await agent.turn('two', { 'c.txt': `${way}\n` })
    expect({ way, diff: await entire(repo, 'diff', '--name-only') }).toEqual({ way, diff: 'c.txt\n' })
    await entire(repo, 'undo')
    expect({ way, files: all.map((path) => contentOf(repo, path)) }).toEqual({ way, files: before })
    await repo.git('reset', '-q', '--hard')
    repo.write('next.txt', `${way}\n`)
    await repo.commitAs('human', 'next', 'next.txt')
  }
})

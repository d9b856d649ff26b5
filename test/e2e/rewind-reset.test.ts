// `--reset` moves the branch, after asking; its undo restores files, index and branch.
import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { stepOf } from '../support/rewind-points.ts'
import { readUserState } from '../support/user-state.ts'

async function twoCommits(options: Parameters<typeof recordedRepo>[0] = {}) {
  const repo = await recordedRepo(options)
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('first', { 'a.txt': 'the first work\n' })
  const first = await repo.commitAs('human', 'add a')
  await agent.turn('second', { 'a.txt': 'the first work\nand more\n', 'b.txt': 'the second work\n' })
  const second = await repo.commitAs('human', 'add b')
  return { repo, agent, first, second }
}

const filesOf = ({ repo }: RecordedRepo) =>
  readUserState(repo)
    .filter((line) => !/\/\.(?:git|entire)\//.test(line))
    .map((line) => line.replace(/^(\d+) \S+/, '$1'))
    .sort()

test('without a terminal a reset requires --force, and changes nothing without it', async () => {
  const { repo, agent, first, second } = await twoCommits()
  await using _repo = repo
  const log = readFileSync(agent.transcript, 'utf8')
  const refused = await repo.entire(['rewind', '--to', first, '--reset'])
  expect(refused.code).toBe(2)
  expect(refused.err).toContain(
    `Cannot ask without a terminal: Reset branch to ${first.slice(0, 7)}?\nhint: Use --force`,
  )
  expect(await repo.head()).toBe(second)
  expect(readFileSync(agent.transcript, 'utf8')).toBe(log)
  const dry = await repo.entire(['rewind', '--to', first, '--reset', '--dry-run'])
  expect(dry.out).toBe(
    `  Restore: a.txt\n  Delete: b.txt\n  Reset: main from ${second.slice(0, 7)} to ${first.slice(0, 7)}\nDry run: nothing was changed.\n`,
  )
  expect(await repo.head()).toBe(second)
})

test('a reset restores logs and commit, and its undo restores files, index and branch', async () => {
  const { repo, agent, first, second } = await twoCommits()
  await using _repo = repo
  const log = readFileSync(agent.transcript, 'utf8')
  // Everything that a hard reset destroys: edits, staged changes, files that are only staged, new files, and
  // files where the commit has others.
  repo.write('a.txt', 'edited\n', 0o600)
  repo.write('b.txt', 'staged\n')
  await repo.git('add', 'b.txt')
  repo.write('b.txt', 'and edited again\n')
  repo.write('new.txt', 'staged and gone\n')
  await repo.git('add', 'new.txt')
  repo.remove('new.txt')
  repo.write('added.txt', 'added\n')
  await repo.git('add', 'added.txt')
  repo.write('untracked.txt', 'untracked\n')
  const [files, index] = [filesOf(repo), await repo.git('ls-files', '--stage')]
  const reflog = (await repo.git('reflog', 'main')).split('\n').length

  const ran = await repo.entire(['rewind', '--to', first, '--reset', '--force'])
  expect(ran.out).toBe(
    `Reset branch to ${first.slice(0, 7)}.\nclaude -r ${agent.session}  # first\n\nTo undo this reset: entire rewind --undo\nThe branch was at ${second.slice(0, 7)}.\n`,
  )
  expect(await repo.head()).toBe(first)
  expect(repo.read('a.txt')).toBe('the first work\n')
  expect(await repo.git('status', '--porcelain')).toBe('?? untracked.txt')
  expect(readFileSync(agent.transcript, 'utf8')).not.toBe(log)

  const undone = await repo.entire(['rewind', '--undo'])
  expect(undone.out).toBe(
    `Moved main from ${first.slice(0, 7)} to ${second.slice(0, 7)}.\nUndone: 3 files changed.\n`,
  )
  expect([await repo.head(), await repo.git('symbolic-ref', 'HEAD')]).toEqual([second, 'refs/heads/main'])
  expect(filesOf(repo)).toEqual(files)
  expect(readFileSync(agent.transcript, 'utf8')).toBe(log)
  expect(await repo.git('ls-files', '--stage')).toBe(index)
  expect(await repo.git('show', ':new.txt')).toBe('staged and gone')
  expect((await repo.git('reflog', 'main')).split('\n').length).toBe(reflog + 2)
  await repo.git('fsck', '--strict', '--no-dangling')

  expect(JSON.parse((await repo.entire(['rewind', '--redo', '--json'])).out)).toMatchObject({
    of: 'undo',
    head: { ref: 'refs/heads/main', before: second, after: first, state: 'moved' },
  })
  expect([await repo.head(), await repo.git('status', '--porcelain')]).toEqual([first, '?? untracked.txt'])
})

test('an undo does not move a branch that has moved since the reset, and says so', async () => {
  const { repo, first, second } = await twoCommits()
  await using _repo = repo
  repo.write('a.txt', 'uncommitted work\n')
  await repo.entire(['rewind', '--to', first, '--reset', '--force'])
  repo.write('c.txt', 'c\n')
  const third = await repo.commitAs('human', 'go on')
  const undone = await repo.entire(['rewind', '--undo'])
  expect(undone.code).toBe(0)
  expect(undone.err).toContain(
    `the branch was not moved, because it has changed since. main was at ${second.slice(0, 7)}; `,
  )
  expect(await repo.head()).toBe(third)
  expect([repo.read('a.txt'), repo.read('b.txt')]).toEqual(['uncommitted work\n', 'the second work\n'])
})

test('an undo does not move another branch', async () => {
  const { repo, first } = await twoCommits()
  await using _repo = repo
  await repo.entire(['rewind', '--to', first, '--reset', '--force'])
  await repo.git('switch', '--quiet', '-c', 'elsewhere')
  await repo.entire(['rewind', '--undo'])
  expect([await repo.git('rev-parse', 'main'), await repo.head()]).toEqual([first, first])
})

test('an undo restores ignored and untracked files that the reset replaced', async () => {
  await using repo = await recordedRepo()
  repo.write('out/deep/result.txt', 'tracked once\n')
  repo.write('flat', 'tracked once\n')
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('first', { 'a.txt': 'the first work\n' })
  const first = await repo.commitAs('human', 'add a')
  await repo.git('rm', '--quiet', '-r', 'out', 'flat')
  repo.write('.gitignore', 'out\nflat\n')
  await repo.commit('ignore them')
  repo.write('out/deep/result.txt', 'ignored work\n')
  repo.write('flat/inner/file.txt', 'ignored work in a directory\n', 0o640)
  const files = filesOf(repo)
  await repo.entire(['rewind', '--to', first, '--reset', '--force'])
  expect([repo.read('out/deep/result.txt'), repo.read('flat')]).toEqual(['tracked once\n', 'tracked once\n'])
  await repo.entire(['rewind', '--undo'])
  expect(filesOf(repo)).toEqual(files)
})

test('a reset stops at a nested repository where the commit has files', async () => {
  await using repo = await recordedRepo()
  repo.write('lib/file.txt', 'tracked once\n')
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('first', { 'a.txt': 'the first work\n' })
  const first = await repo.commitAs('human', 'add a')
  await repo.git('rm', '--quiet', '-r', 'lib')
  const head = await repo.commit('remove lib')
  mkdirSync(join(repo.root, 'lib'))
  await repo.git('init', '--quiet', 'lib')
  writeFileSync(join(repo.root, 'lib/work.txt'), 'work of another repository\n')
  const ran = await repo.entire(['rewind', '--to', first, '--reset', '--force'])
  expect(ran.code).toBe(1)
  expect(ran.err).toContain('lib is another repository')
  expect([await repo.head(), repo.read('lib/work.txt')]).toEqual([head, 'work of another repository\n'])
})

test('large committed files need no copy; a large uncommitted one stops the reset', async () => {
  const { repo, first } = await twoCommits()
  await using _repo = repo
  const big = Buffer.alloc(51 * 1024 * 1024, 'x')
  writeFileSync(join(repo.root, 'big.bin'), big)
  const third = await repo.commit('a large file')
  expect(await repo.entire(['rewind', '--to', first, '--reset', '--force'])).toMatchObject({ code: 0 })
  expect(existsSync(join(repo.root, 'big.bin'))).toBe(false)
  await repo.entire(['rewind', '--undo'])
  expect(statSync(join(repo.root, 'big.bin')).size).toBe(big.length)
  expect([await repo.head(), await repo.git('status', '--porcelain')]).toEqual([third, ''])
  writeFileSync(join(repo.root, 'big.bin'), Buffer.concat([big, Buffer.from('changed')]))
  const ran = await repo.entire(['rewind', '--to', first, '--reset', '--force'])
  expect(ran.code).toBe(1)
  expect(ran.err).toContain('big.bin cannot be copied, so nothing was changed.')
  expect([await repo.head(), statSync(join(repo.root, 'big.bin')).size]).toEqual([third, big.length + 7])
})

test('a reset to a step, or during a merge, is refused', async () => {
  const { repo, agent, first } = await twoCommits()
  await using _repo = repo
  await agent.turn('third', { 'c.txt': 'c\n' })
  const step = await repo.entire(['rewind', '--to', await stepOf(repo, 'Third'), '--reset', '--force'])
  expect(step.code).toBe(2)
  expect(step.err).toContain('is a step, not a commit')
  await repo.git('switch', '--quiet', '-c', 'side', first)
  repo.write('a.txt', 'side\n')
  await repo.commit('side', 'a.txt')
  await repo.run(['git', 'merge', '--quiet', 'main'])
  const merging = await repo.entire(['rewind', '--to', first, '--reset', '--force'])
  expect(merging.code).toBe(1)
  expect(merging.err).toContain('A merge is in progress')
})

test('a detached HEAD, a linked work tree and a split index are reset and restored, too', async () => {
  for (const kind of ['detached', 'linked-worktree', 'sha256', 'hooks-path'] as const) {
    const { repo, first, second } = await twoCommits({ kind })
    await using _repo = repo
    if (kind === 'detached') await repo.git('update-index', '--split-index')
    repo.write('staged.txt', 'staged\n')
    await repo.git('add', 'staged.txt')
    const [files, index] = [filesOf(repo), await repo.git('ls-files', '--stage', '-t')]
    expect(await repo.entire(['rewind', '--to', first, '--reset', '--force'])).toMatchObject({ code: 0 })
    expect(await repo.head()).toBe(first)
    expect(await repo.entire(['rewind', '--undo'])).toMatchObject({ code: 0 })
    expect({ kind, head: await repo.head(), files: filesOf(repo) }).toEqual({ kind, head: second, files })
    expect(await repo.git('ls-files', '--stage', '-t')).toBe(index)
  }
})

test('an undo works even if the reset removed the settings', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('first', { 'a.txt': 'the first work\n' })
  const first = await repo.commitAs('human', 'add a', 'a.txt')
  await repo.commitAs('human', 'set up late')
  await repo.entire(['rewind', '--to', first, '--reset', '--force'])
  expect(existsSync(join(repo.root, '.entire/settings.json'))).toBe(false)
  expect(await repo.entire(['rewind', '--undo'])).toMatchObject({ code: 0 })
  expect(existsSync(join(repo.root, '.entire/settings.json'))).toBe(true)
  expect(await repo.git('status', '--porcelain')).toBe('')
})

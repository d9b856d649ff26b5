import { expect, test } from 'bun:test'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { tempRepo } from '../../test/support/repo.ts'
import { readCommit, readCommits, readStaged } from './commit.ts'
import { blobOid } from './oid.ts'

test.each(['plain', 'sha256', 'linked-worktree', 'detached', 'shallow-clone'] as const)(
  '%s: a commit and what it changed',
  async (kind) => {
    await using temp = await tempRepo({ kind })
    const parent = await temp.head()
    temp.write('new\nline', 'n')
    temp.write('caf\udce9', 'c')
    temp.write('README.md', 'changed')
    const oid = await temp.commit('subject\n\nbody: \x01 ümlaut\n')
    const blob = (text: string) => blobOid(Buffer.from(text), oid)
    const branch = { detached: undefined, 'linked-worktree': 'side' }[kind as string] ?? (kind === 'detached' ? undefined : 'main')
    const commit = await readCommit(temp.repo, 'HEAD')
    expect(commit).toMatchObject({ oid, parents: [parent], message: 'subject\n\nbody: \x01 ümlaut\n' })
    expect(commit?.branch).toBe(branch)
    expect(commit?.committedAt).toBe(Number(await temp.git('log', '-1', '--format=%ct')))
    expect(commit?.files.map(({ path, after }) => ({ path, after }))).toEqual([
      { path: 'README.md', after: blob('changed') },
      { path: 'caf\udce9', after: blob('c') },
      { path: 'new\nline', after: blob('n') },
    ])
    expect(commit?.files.map(({ before }) => before === undefined)).toEqual([false, true, true])
  },
)

test('records do not run into each other, whatever messages and names hold', async () => {
  await using temp = await tempRepo()
  const expected: [string, string[]][] = [['first\n', ['README.md']]]
  const add = async (message: string, path: string | undefined) => {
    if (path !== undefined) temp.write(path, message)
    await temp.git('add', '--all')
    await temp.git('commit', '-q', '--allow-empty', '--allow-empty-message', '--cleanup=verbatim', '-m', message)
    expected.unshift([message, path === undefined ? [] : [path]])
  }
  await add('\x01leading', '\x01name')
  await add(':100644 like a file', ':100644 100644 a b M')
  await add('', undefined)
  await add('empty\n', undefined)
  await add('no final newline', 'x')
  const commits = await readCommits(temp.repo, ['HEAD'])
  expect(commits.map(({ message, files }) => [message, files.map(({ path }) => path)])).toEqual(
    expected.map(([message, files]) => [message === '' || message.endsWith('\n') ? message : `${message}\n`, files]),
  )
})

test('a merge is compared with its first parent; deletions, types and a comma in the branch name', async () => {
  await using temp = await tempRepo()
  temp.write('f', '')
  temp.write('g', '')
  await temp.commit('base')
  await temp.git('checkout', '-q', '-b', 'a,b')
  temp.remove('f')
  temp.remove('g')
  symlinkSync('README.md', join(temp.root, 'g'))
  await temp.commit('other')
  await temp.git('checkout', '-q', 'main')
  temp.write('h', '')
  await temp.commit('more')
  await temp.git('checkout', '-q', 'a,b')
  await temp.git('merge', '-q', '--no-ff', 'main')
  const merge = await readCommit(temp.repo, 'HEAD')
  expect(merge?.files.map(({ path }) => path)).toEqual(['h'])
  expect(merge?.parents).toHaveLength(2)
  expect(merge?.branch).toBe('a,b')
  const side = await readCommit(temp.repo, 'HEAD^1')
  expect(side?.branch).toBeUndefined()
  expect(side?.files.map(({ path, after }) => [path, after === undefined])).toEqual([
    ['f', true],
    ['g', false],
  ])
})

test('no commit yet, or no such commit: nothing', async () => {
  await using temp = await tempRepo({ kind: 'unborn' })
  expect(await readCommit(temp.repo, 'HEAD')).toBeUndefined()
  expect(await readCommits(temp.repo, ['none..HEAD'])).toEqual([])
})

test('staged: what the index holds, also before the first commit, and not what was only announced', async () => {
  await using temp = await tempRepo({ kind: 'unborn' })
  for (const name of ['staged', 'announced', 'untracked', '-dash\n']) temp.write(name, name)
  await temp.git('add', '--', 'staged', '-dash\n')
  await temp.git('add', '-N', 'announced')
  expect((await readStaged(temp.repo)).map(({ path, before }) => [path, before])).toEqual([
    ['-dash\n', undefined],
    ['staged', undefined],
  ])
})

test('configuration of the user does not change the answer', async () => {
  await using temp = await tempRepo()
  for (const setting of [
    'color.ui=always',
    'log.showSignature=true',
    'log.decorate=no',
    'diff.renames=copies',
    'log.showRoot=false',
    'log.abbrevCommit=true',
    'diff.noprefix=true',
    'log.excludeDecoration=refs/heads/*',
  ])
    await temp.git('config', ...setting.split('='))
  expect(await readCommit(temp.repo, 'HEAD')).toMatchObject({ branch: 'main', files: [{ path: 'README.md', before: undefined }] })
})

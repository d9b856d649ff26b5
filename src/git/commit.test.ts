import { expect, test } from 'bun:test'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { tempRepo } from '../../test/support/repo.ts'
import { openObjectReader } from './cat-file.ts'
import { readCommit, readCommits, readHeadCommit, readStaged, readStagedAmong } from './commit.ts'
import { blobOid } from './oid.ts'
import type { Repo } from './repo.ts'

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
    const branch =
      { detached: undefined, 'linked-worktree': 'side' }[kind as string] ??
      (kind === 'detached' ? undefined : 'main')
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
    expect(await readHead(temp.repo)).toEqual(commit)
  },
)

async function readHead(repo: Repo) {
  await using objects = openObjectReader(repo)
  return await readHeadCommit(repo, objects)
}

test('records stay apart whatever messages and names contain', async () => {
  await using temp = await tempRepo()
  const expected: [string, string[]][] = [['first\n', ['README.md']]]
  const add = async (message: string, path: string | undefined) => {
    if (path !== undefined) temp.write(path, message)
    await temp.git('add', '--all')
    await temp.git(
      'commit',
      '-q',
      '--allow-empty',
      '--allow-empty-message',
      '--cleanup=verbatim',
      '-m',
      message,
    )
    expected.unshift([message, path === undefined ? [] : [path]])
  }
  await add('\x01leading', '\x01name')
  await add(':100644 like a file', ':100644 100644 a b M')
  await add('', undefined)
  await add('empty\n', undefined)
  await add('no final newline', 'x')
  const commits = await readCommits(temp.repo, ['HEAD'])
  expect(commits.map(({ message, files }) => [message, files.map(({ path }) => path)])).toEqual(
    expected.map(([message, files]) => [
      message === '' || message.endsWith('\n') ? message : `${message}\n`,
      files,
    ]),
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
  expect(await readHead(temp.repo)).toEqual(merge)
  const side = await readCommit(temp.repo, 'HEAD^1')
  expect(side?.branch).toBeUndefined()
  expect(side?.files.map(({ path, after }) => [path, after === undefined])).toEqual([
    ['f', true],
    ['g', false],
  ])
})

test('without a commit, or with an unknown one, nothing is read', async () => {
  await using temp = await tempRepo({ kind: 'unborn' })
  expect(await readCommit(temp.repo, 'HEAD')).toBeUndefined()
  expect(await readHead(temp.repo)).toBeUndefined()
  expect(await readCommits(temp.repo, ['none..HEAD'])).toEqual([])
})

test('staged files are those of the index, also before the first commit, without files that were only announced', async () => {
  await using temp = await tempRepo({ kind: 'unborn' })
  for (const name of ['staged', 'announced', 'untracked', '-dash\n']) temp.write(name, name)
  await temp.git('add', '--', 'staged', '-dash\n')
  await temp.git('add', '-N', 'announced')
  expect((await readStaged(temp.repo)).map(({ path, before }) => [path, before])).toEqual([
    ['-dash\n', undefined],
    ['staged', undefined],
  ])
})

test.each(['plain', 'sha256', 'unborn'] as const)(
  '%s: of some paths, those whose staged content is not that of HEAD',
  async (kind) => {
    await using temp = await tempRepo({ kind })
    for (const name of ['same', 'edited', 'deleted', 'mode']) temp.write(name, name)
    if (kind !== 'unborn') await temp.commit('before')
    else await temp.git('add', '--all')
    temp.write('edited', 'other')
    temp.remove('deleted')
    temp.write('mode', 'mode', 0o755)
    for (const name of ['new\nline', 'caf\udce9', 'empty', 'announced', 'untracked'])
      temp.write(name, name === 'empty' ? '' : name)
    await temp.git('add', '--all', '--', '.', ':!announced', ':!untracked')
    await temp.git('add', '-N', 'announced')
    const paths = [
      'same',
      'edited',
      'deleted',
      'mode',
      'new\nline',
      'caf\udce9',
      'empty',
      'announced',
      'untracked',
      'nowhere',
    ]
    await using objects = openObjectReader(temp.repo)
    const known = await readStagedAmong(objects, paths)
    const staged = await readStaged(temp.repo)
    // It ignores modes and empty files.
    const unseen = kind === 'unborn' ? ['empty'] : ['mode', 'empty']
    expect(sortBy(known)).toEqual(
      sortBy(staged.filter(({ path }) => paths.includes(path) && !unseen.includes(path))),
    )
    expect(known.map(({ path }) => path)).toContain('caf\udce9')
  },
)

test('staged files are read from the index of the commit under way', async () => {
  await using temp = await tempRepo()
  temp.write('README.md', 'changed')
  const index = join(temp.base, 'other-index')
  await temp.run(['git', 'add', 'README.md'], { env: { ...temp.env, GIT_INDEX_FILE: index } })
  await using theirs = openObjectReader(temp.repo, { index })
  await using ours = openObjectReader(temp.repo)
  expect((await readStagedAmong(theirs, ['README.md'])).map(({ path }) => path)).toEqual(['README.md'])
  expect(await readStagedAmong(ours, ['README.md'])).toEqual([])
})

test('the user’s configuration does not change the answer', async () => {
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
  const first = await readCommit(temp.repo, 'HEAD')
  expect(first).toMatchObject({ branch: 'main', files: [{ path: 'README.md', before: undefined }] })
  expect(await readHead(temp.repo)).toEqual(first)
})

test('the commit at HEAD: additions, deletions, modes, types and submodules anywhere in large directories, as git reports them', async () => {
  await using temp = await tempRepo()
  for (let at = 100; at < 400; at += 1) temp.write(`many/${at}`, `${at}`)
  for (const name of ['mode', 'file-then-dir', 'dir-then-file/e', 'deep/a/b/c', 'same/x'])
    temp.write(name, `${name}\n`)
  await temp.commit('before')
  for (const at of [100, 250, 399]) temp.write(`many/${at}`, 'changed')
  for (const at of [101, 251, 398]) temp.remove(`many/${at}`)
  for (const name of ['0', '2505', 'zzz', '251/sub']) temp.write(`many/${name}`, 'new')
  temp.write('mode', 'mode\n', 0o755)
  temp.remove('file-then-dir')
  temp.write('file-then-dir/inside', 'd\n')
  temp.remove('dir-then-file')
  temp.write('dir-then-file', 'e\n')
  temp.write('deep/a/b/c', 'other\n')
  await temp.git('update-index', '--add', '--cacheinfo', `160000,${await temp.head()},module`)
  const signed = 'signed\n\nEntire-Checkpoint: 0123456789ab\n'
  await temp.git('add', '--all', '--', '.', ':!module')
  await temp.git('commit', '-q', '-m', signed)
  const byPath = (commit: Awaited<ReturnType<typeof readHead>>) =>
    commit && { ...commit, files: sortBy(commit.files) }
  const fromLog = byPath(await readCommit(temp.repo, 'HEAD'))
  expect(fromLog?.files.map(({ path }) => path)).toContain('module')
  expect(byPath(await readHead(temp.repo))).toEqual(fromLog)
})

function sortBy<T extends { path: string }>(files: T[]): T[] {
  return files.toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

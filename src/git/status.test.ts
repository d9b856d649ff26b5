import { expect, test } from 'bun:test'
import { chmodSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { runGit } from '../../test/support/process.ts'
import { type TempRepo, tempDir, tempRepo } from '../../test/support/repo.ts'
import { availableKinds, type RepoKind } from '../../test/support/repo-kinds.ts'
import { readStatus } from './status.ts'

const probe = tempDir()
const kinds = await availableKinds(probe.base, probe.env)
await probe[Symbol.asyncDispose]()

const oddNames = [
  'with space',
  'quo"te',
  "it's",
  'new\nline',
  '-dash',
  'back\\slash',
  'caf\udce9',
  'ümlaut',
  'tab\t',
  ':(glob)*',
  '\u0001',
]

async function changes(temp: TempRepo, paths?: string[]) {
  const { modified, deleted, untracked } = await readStatus(temp.repo, paths)
  return { modified: modified.sort(), deleted: deleted.sort(), untracked: untracked.sort() }
}

test.each(kinds)('%s: head, branch, and what was modified, deleted and added', async (kind) => {
  await using temp = await tempRepo({ kind })
  const branch: Partial<Record<RepoKind, string | undefined>> = {
    detached: undefined,
    'linked-worktree': 'side',
    'worktree-config': 'side',
  }
  const head = kind === 'unborn' ? undefined : await temp.head()
  expect(await readStatus(temp.repo)).toEqual({
    at: expect.any(Number),
    head,
    branch: kind in branch ? branch[kind] : 'main',
    modified: [],
    deleted: [],
    untracked: [],
  })
  temp.write('gone.txt', 'x')
  temp.write('kept.txt', 'x')
  await temp.commit('more', 'gone.txt', 'kept.txt')
  temp.write('kept.txt', 'y')
  temp.remove('gone.txt')
  temp.write('dir/new.txt', 'z')
  expect(await changes(temp)).toEqual({
    modified: ['kept.txt'],
    deleted: ['gone.txt'],
    untracked: ['dir/new.txt'],
  })
})

test('names are bytes: spaces, quotes, newlines, dashes, pathspec magic, invalid UTF-8', async () => {
  await using temp = await tempRepo()
  for (const name of oddNames) temp.write(`${name}.new/${name}`, 'x')
  for (const name of oddNames) temp.write(name, 'x')
  await temp.git('add', '--all', '--', ':(top,exclude)*.new/*')
  await temp.git('commit', '-qm', 'odd')
  for (const name of oddNames) temp.write(name, 'y')
  const expected = {
    modified: [...oddNames].sort(),
    deleted: [],
    untracked: oddNames.map((name) => `${name}.new/${name}`).sort(),
  }
  expect(await changes(temp)).toEqual(expected)
  for (const name of oddNames) {
    expect(await changes(temp, [name])).toEqual({ modified: [name], deleted: [], untracked: [] })
    expect(await changes(temp, [`${name}.new`])).toEqual({
      modified: [],
      deleted: [],
      untracked: [`${name}.new/${name}`],
    })
  }
  expect(
    await changes(temp, Array.from({ length: 20_000 }, (_, at) => `no such file ${at}`).concat('-dash')),
  ).toMatchObject({
    modified: ['-dash'],
    untracked: [],
  })
})

test('ignored files, nested repositories and submodules are left out', async () => {
  await using temp = await tempRepo({ kind: 'submodule' })
  const parent = { ...temp, repo: { ...temp.repo, root: join(temp.base, 'repo') } }
  temp.write('README.md', 'changed inside the submodule')
  temp.write('../.gitignore', '*.log\nbuild/\n')
  temp.write('../a.log', '')
  temp.write('../build/out', '')
  for (const nested of ['nested', 'unborn']) await runGit(parent.repo.root, temp.env, ['init', '-q', nested])
  temp.write('../nested/file', '')
  await runGit(join(parent.repo.root, 'nested'), temp.env, [
    '-c',
    'user.name=x',
    '-c',
    'user.email=x',
    'commit',
    '-q',
    '--allow-empty',
    '-m',
    'x',
  ])
  await runGit(parent.repo.root, temp.env, ['-C', 'lib', 'commit', '-qam', 'moved on'])
  await runGit(parent.repo.root, temp.env, ['add', 'lib'])
  expect(await changes(parent)).toEqual({ modified: [], deleted: [], untracked: ['.gitignore'] })
})

type Act = (temp: TempRepo) => unknown
const write =
  (path: string, content = 'x'): Act =>
  (temp) =>
    temp.write(path, content)
const remove =
  (path: string): Act =>
  (temp) =>
    temp.remove(path)
const run =
  (...args: string[]): Act =>
  (temp) =>
    temp.git(...args)
const link =
  (path: string): Act =>
  (temp) =>
    symlinkSync('README.md', join(temp.root, path))

test.each<[string, Act[], Partial<Awaited<ReturnType<typeof changes>>>]>([
  ['a file announced with add -N', [write('n'), run('add', '-N', 'n')], { modified: ['n'] }],
  ['a staged new file', [write('n'), run('add', 'n')], { modified: ['n'] }],
  ['a staged new file that is gone again', [write('n'), run('add', 'n'), remove('n')], { deleted: ['n'] }],
  ['a staged deletion', [run('rm', '-q', 'f')], { deleted: ['f'] }],
  ['a file removed from the index only', [run('rm', '-q', '--cached', 'f')], { untracked: ['f'] }],
  ['a staged rename', [run('mv', 'f', 'g')], { deleted: ['f'], modified: ['g'] }],
  [
    'a change that is staged and undone on disk',
    [write('f', 'y'), run('add', 'f'), write('f', 'x')],
    { modified: ['f'] },
  ],
  ['an executable bit', [(temp) => chmodSync(join(temp.root, 'f'), 0o755)], { modified: ['f'] }],
  ['a file that became a symlink', [remove('f'), link('f')], { modified: ['f'] }],
  ['a symlink that became a file', [remove('l'), write('l')], { modified: ['l'] }],
  ['a file that became a directory', [remove('f'), write('f/in')], { deleted: ['f'], untracked: ['f/in'] }],
  ['a directory that became a file', [remove('d'), write('d')], { deleted: ['d/in'], untracked: ['d'] }],
  [
    'a symlink that became a directory',
    [remove('l'), write('l/in')],
    { deleted: ['l'], untracked: ['l/in'] },
  ],
])('%s', async (_, acts, expected) => {
  await using temp = await tempRepo()
  temp.write('f', 'x')
  temp.write('d/in', 'x')
  symlinkSync('f', join(temp.root, 'l'))
  await temp.commit('base')
  for (const act of acts) await act(temp)
  expect(await changes(temp)).toEqual({ modified: [], deleted: [], untracked: [], ...expected })
})

test('in a conflict, a file on disk is modified and a missing one deleted', async () => {
  await using temp = await tempRepo()
  for (const name of ['both', 'ours', 'theirs']) temp.write(name, 'base\n')
  await temp.commit('base')
  await temp.git('checkout', '-q', '-b', 'other')
  temp.write('both', 'other\n')
  temp.write('ours', 'other\n')
  temp.remove('theirs')
  await temp.commit('other')
  await temp.git('checkout', '-q', 'main')
  temp.write('both', 'main\n')
  temp.remove('ours')
  temp.write('theirs', 'main\n')
  await temp.commit('main')
  expect((await temp.run(['git', 'merge', '-q', 'other'])).code).toBe(1)
  temp.remove('both')
  expect(await changes(temp)).toEqual({ modified: ['ours', 'theirs'], deleted: ['both'], untracked: [] })
})

test('in a sparse checkout, a file that is not checked out is not deleted', async () => {
  await using temp = await tempRepo({ kind: 'sparse' })
  expect(await changes(temp)).toEqual({ modified: [], deleted: [], untracked: [] })
})

test('the user’s configuration does not change the answer', async () => {
  await using temp = await tempRepo()
  const settings = [
    'status.showUntrackedFiles=no',
    'status.branch=false',
    'status.relativePaths=true',
    'status.showStash=true',
    'color.ui=always',
    'core.quotePath=true',
    'status.renames=copies',
  ]
  for (const setting of settings) await temp.git('config', ...setting.split('='))
  temp.write('README.md', 'stashed')
  await temp.git('stash', '-q')
  temp.write('new', '')
  expect(await readStatus(temp.repo)).toMatchObject({ branch: 'main', modified: [], untracked: ['new'] })
})

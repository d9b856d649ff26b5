import { expect, test } from 'bun:test'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { runGit } from '../../test/support/process.ts'
import { tempDir, tempRepo } from '../../test/support/repo.ts'
import { availableKinds, canReftable } from '../../test/support/repo-kinds.ts'
import { findHookRepo, findRepo } from './repo.ts'

const probe = tempDir()
const kinds = await availableKinds(probe.base, probe.env)
const reftable = await canReftable(probe.base, probe.env)
await probe[Symbol.asyncDispose]()

test(`reftable repositories are among the kinds tested exactly when the installed git can make them (here: ${reftable})`, () => {
  expect(kinds.includes('reftable')).toBe(reftable)
})

test.each(kinds)('%s: found as git finds it, from everywhere inside', async (kind) => {
  await using temp = await tempRepo({ kind })
  const ask = async (...args: string[]) => resolve(temp.root, await temp.git('rev-parse', ...args))
  const expected = {
    root: await ask('--show-toplevel'),
    gitDir: await ask('--absolute-git-dir'),
    commonDir: await ask('--git-common-dir'),
    worktreeId:
      { 'linked-worktree': 'linked', 'worktree-config': 'linked', 'bare-parent': 'main' }[kind as string] ??
      '',
    explicit: false,
  }
  mkdirSync(join(temp.root, 'deep', 'er'), { recursive: true })
  symlinkSync(temp.root, join(temp.base, 'link'))
  temp.write('file.txt', '')
  for (const from of [
    temp.root,
    join(temp.root, 'deep', 'er'),
    join(temp.root, 'file.txt'),
    join(temp.base, 'link', 'deep'),
  ]) {
    expect(findRepo(from, temp.env)).toMatchObject(expected)
    expect(findHookRepo(from, temp.env)).toMatchObject(expected)
  }
})

test.each(kinds)('%s: found inside a git hook, with the variables git sets there', async (kind) => {
  await using temp = await tempRepo({ kind })
  await temp.hook('pre-commit', `env -0 > ${join(temp.base, 'env')}; pwd -P > ${join(temp.base, 'cwd')}`)
  temp.write('new.txt', 'x')
  await temp.git('add', 'new.txt')
  await temp.git('-C', '.', 'commit', '-q', '-m', 'in a hook')
  const pairs = readFileSync(join(temp.base, 'env'), 'utf8').split('\0').filter(Boolean)
  const env = Object.fromEntries(
    pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  )
  const { root, gitDir, commonDir, worktreeId } = temp.repo
  expect(findHookRepo(readFileSync(join(temp.base, 'cwd'), 'utf8').trim(), env)).toMatchObject({
    root,
    gitDir,
    commonDir,
    worktreeId,
    explicit: false,
  })
})

test('a repository named by the caller is found through the hook environment', async () => {
  await using dir = tempDir()
  const [home, dotfiles] = [join(dir.base, 'home'), join(dir.base, 'dotfiles')]
  await runGit(dir.base, dir.env, ['init', '-q', '--bare', dotfiles])
  const expected = { root: home, gitDir: dotfiles, explicit: true }
  expect(findHookRepo(home, { ...dir.env, GIT_DIR: dotfiles, GIT_WORK_TREE: home })).toMatchObject(expected)
  expect(findHookRepo(home, { ...dir.env, GIT_DIR: '../dotfiles', GIT_WORK_TREE: '.' })).toMatchObject(
    expected,
  )
  expect(findHookRepo(home, { ...dir.env, GIT_DIR: dotfiles })).toMatchObject(expected)
})

test('no repository is found outside of one, below a missing directory, or in a broken one', async () => {
  await using dir = tempDir()
  expect(findRepo(join(dir.base, 'home'), dir.env)).toBeUndefined()
  expect(findRepo(join(dir.base, 'none'), dir.env)).toBeUndefined()
  mkdirSync(join(dir.base, 'empty', '.git'), { recursive: true })
  expect(findRepo(join(dir.base, 'empty'), dir.env)).toBeUndefined()
  mkdirSync(join(dir.base, 'lost'))
  for (const content of ['gitdir: /nowhere\n', 'nonsense', '']) {
    writeFileSync(join(dir.base, 'lost', '.git'), content)
    expect(findRepo(join(dir.base, 'lost'), dir.env)).toBeUndefined()
  }
  expect(findHookRepo(dir.base, { ...dir.env, GIT_DIR: join(dir.base, 'lost', '.git') })).toBeUndefined()
})

test('a repository inside another is found by itself', async () => {
  await using temp = await tempRepo()
  await runGit(temp.root, temp.env, ['init', '-q', 'inner'])
  expect(findRepo(join(temp.root, 'inner'), temp.env)?.root).toBe(join(temp.root, 'inner'))
})

import { expect, test } from 'bun:test'
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TempRepo, tempRepo } from '../../test/support/repo.ts'
import { readConfig } from './config.ts'

const user = (name: string) => `[user]\n\tname = ${name}\n\temail = ${name}@example.com\n`
const nameOf = async (temp: TempRepo) => (await readConfig(temp.repo)).author.name

async function anonymousRepo(): Promise<TempRepo> {
  const temp = await tempRepo()
  await temp.git('config', '--remove-section', 'user')
  return temp
}

test('the author is the local one, then the global one, then a placeholder', async () => {
  await using temp = await tempRepo()
  appendFileSync(join(temp.base, 'home', '.gitconfig'), user('global'))
  expect((await readConfig(temp.repo)).author).toEqual({ name: 'Test User', email: 'test@example.com' })
  await temp.git('config', '--remove-section', 'user')
  expect((await readConfig(temp.repo)).author).toEqual({ name: 'global', email: 'global@example.com' })
  await temp.git('config', '--global', '--remove-section', 'user')
  expect((await readConfig(temp.repo)).author).toEqual({ name: 'Unknown', email: 'unknown@local' })
})

test('a missing email address and an impossible name are replaced', async () => {
  await using temp = await anonymousRepo()
  await temp.git('config', 'user.name', 'A <b>\nc')
  expect((await readConfig(temp.repo)).author).toEqual({ name: 'A bc', email: 'unknown@local' })
})

test('a linked work tree can have its own author', async () => {
  await using temp = await tempRepo({ kind: 'worktree-config' })
  expect(await nameOf(temp)).toBe('Worktree User')
  await temp.git('config', '--worktree', 'user.name', 'Renamed')
  expect(await nameOf(temp)).toBe('Renamed')
})

test('the second answer needs no git', async () => {
  await using temp = await tempRepo()
  const first = await readConfig(temp.repo)
  // An executable called git that always fails.
  writeFileSync(join(temp.base, 'git'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
  const withoutGit = { ...temp.repo, env: { ...temp.env, PATH: temp.base } }
  expect(await readConfig(withoutGit)).toEqual(first)
  await temp.git('config', 'user.name', 'new')
  await expect(readConfig(withoutGit)).rejects.toMatchObject({ code: 'git-failed' })
})

test.each<[string, string, string]>([
  ['the global file', 'home/.gitconfig', user('later')],
  ['the local file', 'repo/.git/config', user('later')],
  ['a file included by the global one', 'home/included', user('later')],
  ['a file included from beside the local one', 'repo/.git/more', user('later')],
  ['a file included by condition', 'conditional', user('later')],
])('an edit of %s is seen', async (_, path, text) => {
  await using temp = await anonymousRepo()
  appendFileSync(
    join(temp.base, 'home', '.gitconfig'),
    `[include]\n\tpath = ~/included\n[includeIf "gitdir:${temp.base}/"]\n\tpath = ${temp.base}/conditional\n`,
  )
  await temp.git('config', 'include.path', 'more')
  expect(await nameOf(temp)).toBe('Unknown')
  expect(await nameOf(temp)).toBe('Unknown')
  appendFileSync(join(temp.base, path), text)
  expect(await nameOf(temp)).toBe('later')
  writeFileSync(
    join(temp.base, path),
    readFileSync(join(temp.base, path), 'utf8').replaceAll('later', 'again'),
  )
  expect(await nameOf(temp)).toBe('again')
})

test('a configuration file below ~/.config counts from the moment it exists', async () => {
  await using temp = await anonymousRepo()
  const { GIT_CONFIG_GLOBAL: _, ...env } = temp.env
  const repo = { ...temp.repo, env }
  rmSync(join(temp.base, 'home', '.gitconfig'))
  expect((await readConfig(repo)).author.name).toBe('Unknown')
  temp.write('../home/.config/git/config', user('xdg'))
  expect((await readConfig(repo)).author.name).toBe('xdg')
  temp.write('../home/.gitconfig', user('home'))
  expect((await readConfig(repo)).author.name).toBe('home')
})

test('included files may depend on the branch', async () => {
  await using temp = await anonymousRepo()
  writeFileSync(join(temp.base, 'side'), user('side'))
  await temp.git('config', `includeIf.onbranch:side.path`, join(temp.base, 'side'))
  expect(await nameOf(temp)).toBe('Unknown')
  await temp.git('checkout', '-q', '-b', 'side')
  expect(await nameOf(temp)).toBe('side')
})

test('configuration from the environment counts and is not cached', async () => {
  await using temp = await tempRepo()
  const cache = join(temp.repo.gitDir, 'entire-config.json')
  const withName = (name: string) => ({
    ...temp.repo,
    env: {
      ...temp.env,
      GIT_CONFIG_COUNT: '2',
      GIT_CONFIG_KEY_0: 'user.name',
      GIT_CONFIG_VALUE_0: name,
      GIT_CONFIG_KEY_1: 'http.extraheader',
      GIT_CONFIG_VALUE_1: 'token-123',
    },
  })
  expect((await readConfig(withName('one'))).author.name).toBe('one')
  expect((await readConfig(withName('two'))).author.name).toBe('two')
  expect(existsSync(cache) && readFileSync(cache, 'utf8')).not.toContain('token-123')
  expect(await nameOf(temp)).toBe('Test User')
})

test('a damaged cache is ignored', async () => {
  await using temp = await tempRepo()
  for (const content of ['', '{', '[]', '{"signature":1}']) {
    writeFileSync(join(temp.repo.gitDir, 'entire-config.json'), content)
    expect(await nameOf(temp)).toBe('Test User')
  }
})

test.each([
  ['plain', undefined, '.git/hooks'],
  ['linked-worktree', undefined, '../repo/.git/hooks'],
  ['bare-parent', undefined, '../.bare/hooks'],
  ['submodule', undefined, '../.git/modules/lib/hooks'],
  ['hooks-path', undefined, '.githooks'],
  ['plain', '.husky/_', '.husky/_'],
  ['linked-worktree', '.husky', '.husky'],
  ['plain', '~/hooks', '../home/hooks'],
  ['plain', '/abs/hooks', '/abs/hooks'],
] as const)('%s with core.hooksPath %p: hooks are in %s', async (kind, setting, expected) => {
  await using temp = await tempRepo({ kind })
  if (setting !== undefined) await temp.git('config', 'core.hooksPath', setting)
  const { hooksDir } = await readConfig(temp.repo)
  expect(hooksDir).toBe(expected.startsWith('/') ? expected : join(temp.root, expected))
  expect(
    (await temp.git('rev-parse', '--path-format=absolute', '--git-path', 'hooks')).replace(/\/$/, ''),
  ).toBe(hooksDir)
})

test.each([
  [{}, false],
  [{ 'core.autocrlf': 'false' }, false],
  [{ 'core.autocrlf': 'true' }, true],
  [{ 'core.autocrlf': 'input' }, true],
  [{ 'filter.lfs.process': 'git-lfs filter-process' }, true],
])('content is converted under %p: %p', async (settings, expected) => {
  await using temp = await tempRepo()
  for (const [key, value] of Object.entries(settings)) await temp.git('config', key, value)
  expect((await readConfig(temp.repo)).convertsContent).toBe(expected)
})

test.each([
  [undefined, '#'],
  [';', ';'],
  ['auto', '#'],
])('core.commentChar %p: comments start with %s', async (setting, expected) => {
  await using temp = await tempRepo()
  if (setting) await temp.git('config', 'core.commentChar', setting)
  expect((await readConfig(temp.repo)).commentPrefix).toBe(expected)
})

test('reads the names of remotes, and push targets other than origin', async () => {
  await using temp = await tempRepo()
  await temp.git('remote', 'add', 'origin', '/a')
  await temp.git('remote', 'add', 'my.fork', '/b')
  await temp.git('config', 'remote.pushDefault', 'my.fork')
  await temp.git('config', 'branch.main.remote', 'origin')
  await temp.git('config', 'branch.a.b.pushRemote', 'my.fork')
  const expected = {
    remotes: ['origin', 'my.fork'],
    pushKeys: { 'remote.pushdefault': 'my.fork', 'branch.a.b.pushremote': 'my.fork' },
  }
  expect(await readConfig(temp.repo)).toMatchObject(expected)
  expect(await readConfig(temp.repo)).toMatchObject(expected)
})

// Installed hooks under real git: Entire is called, an existing hook decides, and Entire never stops a
// commit.
import { expect, test } from 'bun:test'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loneTrailer, startRecorder } from '../../../test/support/recorder.ts'
import { tempRepo } from '../../../test/support/repo.ts'
import type { RepoKind } from '../../../test/support/repo-kinds.ts'
import { installHooks } from './install.ts'

const message = expect.stringMatching(/^(prepare-)?commit-msg .*COMMIT_EDITMSG( message)?$/)

test('a commit calls Entire with git’s arguments, and ignores its failures and output', async () => {
  await using repo = await tempRepo()
  const recorder = await startRecorder(repo)
  recorder.install()
  repo.write('a.txt', 'a')
  await repo.git('add', '.')
  const { code, stderr } = await repo.run(['git', 'commit', '-m', loneTrailer])
  expect(code).toBe(0)
  expect(recorder.take()).toEqual([
    'prepare-commit-msg .git/COMMIT_EDITMSG message',
    'commit-msg .git/COMMIT_EDITMSG',
    'post-commit',
  ])
  expect(stderr.split('\n').filter((line) => line.startsWith('noise'))).toEqual(['noise of commit-msg'])
})

test('a missing command is silent, by name and by path', async () => {
  for (const command of ['no-such-entire', '/no/such/entire', "/it's/no $HOME/entire"]) {
    await using repo = await tempRepo()
    installHooks(join(repo.root, '.git/hooks'), { command })
    const { code, stderr } = await repo.run(['git', 'commit', '--allow-empty', '-m', loneTrailer])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  }
})

test('a command given by name is found in PATH', async () => {
  await using repo = await tempRepo()
  const recorder = await startRecorder(repo)
  installHooks(recorder.hooksDir, { command: 'entire' })
  repo.env.PATH = `${join(recorder.command, '..')}:${repo.env.PATH}`
  await repo.git('commit', '--allow-empty', '-m', loneTrailer)
  expect(recorder.take().length).toBe(3)
})

test('a chained hook runs after Entire with the same arguments and determines the exit code', async () => {
  await using repo = await tempRepo()
  const recorder = await startRecorder(repo)
  await repo.hook('commit-msg', `${recorder.say('user $#')}\ngrep -q good "$1"`)
  recorder.install()
  expect((await repo.run(['git', 'commit', '--allow-empty', '-m', `${loneTrailer}\nbad`])).code).not.toBe(0)
  expect(recorder.take()).toEqual([message, message, 'user 1'])
  expect((await repo.run(['git', 'commit', '--allow-empty', '-m', `${loneTrailer}\ngood`])).code).toBe(0)
})

test('a hook without the executable bit stays ignored', async () => {
  await using repo = await tempRepo()
  const recorder = await startRecorder(repo)
  chmodSync(await repo.hook('commit-msg', 'exit 1'), 0o644)
  recorder.install()
  await repo.git('commit', '--allow-empty', '-m', loneTrailer)
  expect(recorder.take().length).toBe(3)
})

test('Entire and a chained pre-push hook both read what git pushes', async () => {
  await using repo = await tempRepo()
  const recorder = await startRecorder(repo)
  await repo.git('init', '--quiet', '--bare', join(repo.base, 'remote'))
  await repo.hook('pre-push', `${recorder.say('user $1')}; cat >>"$RECORDER_LOG"`)
  recorder.install()
  await repo.git('push', '--quiet', join(repo.base, 'remote'), 'main')
  const refs = `refs/heads/main ${await repo.head()} refs/heads/main ${'0'.repeat(40)}`
  const remote = join(repo.base, 'remote')
  expect(recorder.take()).toEqual([`pre-push ${remote}`, `< ${refs}`, `user ${remote}`, refs])
})

for (const chained of [false, true])
  test(`amend and rebase report the rewritten commits to Entire${chained ? ', and the chained hook too' : ''}`, async () => {
    await using repo = await tempRepo()
    const recorder = await startRecorder(repo)
    if (chained) await repo.hook('post-rewrite', `${recorder.say('user $1')}; cat >>"$RECORDER_LOG"`)
    recorder.install()
    const heard = (how: string, pairs: string[]) => [
      `post-rewrite ${how}`,
      ...pairs.map((pair) => `< ${pair}`),
      ...(chained ? [`user ${how}`, ...pairs] : []),
    ]
    const rewriting = () => {
      const lines = recorder.take()
      return lines.slice(lines.findIndex((line) => line.startsWith('post-rewrite')))
    }
    const before = await repo.head()
    await repo.git('commit', '--amend', '--allow-empty', '-m', loneTrailer)
    const after = await repo.head()
    expect(rewriting()).toEqual(heard('amend', [`${before} ${after}`]))

    await repo.git('checkout', '--quiet', '-b', 'side')
    repo.write('b.txt', 'b')
    const one = await repo.commit('b')
    repo.write('c.txt', 'c')
    const two = await repo.commit('c')
    await repo.git('checkout', '--quiet', 'main')
    repo.write('d.txt', 'd')
    await repo.commit('d')
    recorder.take()
    await repo.git('rebase', '--quiet', 'main', 'side')
    const pairs = [`${one} ${await repo.git('rev-parse', 'HEAD~')}`, `${two} ${await repo.head()}`]
    expect(rewriting()).toEqual(heard('rebase', pairs))
  })

test('a commit made inside a chained hook is recorded like any other', async () => {
  await using repo = await tempRepo()
  const recorder = await startRecorder(repo)
  await repo.hook('post-commit', '[ -n "$NESTED" ] || NESTED=1 git commit --quiet --allow-empty -m nested')
  recorder.install()
  await repo.git('commit', '--allow-empty', '-m', loneTrailer)
  // The commit-msg hook does not call Entire for an ordinary message.
  expect(recorder.take()).toEqual([message, message, 'post-commit', message, 'post-commit'])
})

// One hook for each way to look up one's own name; under its backup name each would find nothing to do.
const dispatchers: Record<string, string> = {
  'a shell script':
    '#!/bin/sh -e\nname=$(basename "$0")\necho "$name in $(dirname "$0")" >>"$RECORDER_LOG"\n',
  'a script with unusual flags': '#!/usr/bin/env -S sh\necho "$(basename "$0")" >>"$RECORDER_LOG"\nexit 3\n',
}
for (const [what, script] of Object.entries(dispatchers))
  test(`${what} that looks at its own name is chained under that name`, async () => {
    await using repo = await tempRepo()
    const recorder = await startRecorder(repo)
    mkdirSync(join(repo.root, 'tools'))
    writeFileSync(join(repo.root, 'tools/dispatch'), script, { mode: 0o755 })
    for (const name of ['commit-msg', 'post-commit'])
      symlinkSync('../../tools/dispatch', join(recorder.hooksDir, name))
    recorder.install()
    const { code } = await repo.run(['git', 'commit', '--allow-empty', '-m', loneTrailer])
    expect(code === 0).toBe(!script.includes('exit 3'))
    expect(recorder.take().filter((line) => /^commit-msg( in .*hooks)?$/.test(line))).toHaveLength(1)
  })

test('a hook that links to the hook beside it still runs, and Entire runs once for each', async () => {
  await using repo = await tempRepo()
  const recorder = await startRecorder(repo)
  await repo.hook('commit-msg', recorder.say('user'))
  symlinkSync('commit-msg', join(recorder.hooksDir, 'prepare-commit-msg'))
  recorder.install()
  await repo.git('commit', '--allow-empty', '-m', loneTrailer)
  expect(recorder.take()).toEqual([message, 'user', message, 'user', 'post-commit'])
})

for (const kind of [
  'linked-worktree',
  'bare-parent',
  'submodule',
  'hooks-path',
  'worktree-config',
  'sha256',
  'unborn',
] as RepoKind[])
  test(`hooks run in a repository of the kind ${kind}, and a second installation writes nothing`, async () => {
    await using repo = await tempRepo({ kind })
    const recorder = await startRecorder(repo)
    await repo.hook('post-commit', recorder.say('user'))
    recorder.install()
    expect(recorder.install().written).toEqual([])
    await repo.git('commit', '--quiet', '--allow-empty', '-m', loneTrailer)
    expect(recorder.take()).toEqual([message, message, 'post-commit', 'user'])
  })

test('a linked work tree finds the installation of the main one', async () => {
  await using repo = await tempRepo()
  const recorder = await startRecorder(repo)
  expect(recorder.install().written.length).toBe(5)
  const linked = join(repo.base, 'a linked tree')
  await repo.git('worktree', 'add', '--quiet', '--detach', linked)
  const { stdout } = await repo.run(['git', 'rev-parse', '--git-path', 'hooks'], { cwd: linked })
  expect(installHooks(stdout.toString().trim(), { command: recorder.command }).written).toEqual([])
})

import { expect, test } from 'bun:test'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { tempRepo } from '../../test/support/repo.ts'
import { readUserState } from '../../test/support/user-state.ts'
import { openObjectReader } from './cat-file.ts'
import { gitEnv } from './env.ts'
import { git, gitLimited } from './exec.ts'
import { startFastImport } from './fast-import.ts'

test('a failure carries git’s own words, unless the exit code is an answer', async () => {
  await using temp = await tempRepo()
  await expect(git(temp.repo, ['rev-parse', '--verify', 'none'])).rejects.toMatchObject({
    code: 'git-failed',
    message: 'git rev-parse failed: fatal: Needed a single revision',
  })
  expect((await git(temp.repo, ['rev-parse', '--verify', '-q', 'none'], { accept: [1] })).code).toBe(1)
})

test('git is ended in time when a remote does not answer, even while a child still holds its output', async () => {
  await using temp = await tempRepo()
  temp.write('../ssh.sh', '#!/bin/sh\nsleep 600 &\nsleep 600\n')
  const repo = { ...temp.repo, env: { ...temp.env, GIT_SSH_COMMAND: `sh ${join(temp.base, 'ssh.sh')}` } }
  const fetched = await gitLimited(repo, ['fetch', '--stdin', 'ssh://nowhere.invalid/repo'], {
    stdin: 'main\n',
    timeoutMs: 500,
  })
  expect(fetched).toMatchObject({ timedOut: true })
  expect(fetched.code).not.toBe(0)
})

test('without git on the PATH every way to run it says so', async () => {
  await using temp = await tempRepo()
  const repo = { ...temp.repo, env: { ...temp.env, PATH: join(temp.base, 'home') } }
  const missing = { code: 'no-git', hint: expect.stringContaining('PATH') }
  await expect(git(repo, ['status'])).rejects.toMatchObject(missing)
  await using objects = openObjectReader(repo)
  await expect(objects.info('HEAD')).rejects.toMatchObject(missing)
  expect(() => startFastImport(repo)).toThrow('program not found: git')
})

test('a work tree that is gone is not a missing git', async () => {
  await using temp = await tempRepo()
  rmSync(temp.root, { recursive: true })
  await expect(git(temp.repo, ['status'])).rejects.toMatchObject({ code: 'no-repo' })
})

test('every variable that git calls local to a repository is dropped, except configuration', async () => {
  await using temp = await tempRepo()
  const local = (await temp.git('rev-parse', '--local-env-vars')).split('\n')
  const kept = local.filter(
    (name) => name in gitEnv(Object.fromEntries(local.map((variable) => [variable, 'x']))),
  )
  expect(kept.sort()).toEqual(['GIT_CONFIG_COUNT', 'GIT_CONFIG_PARAMETERS', 'GIT_NO_REPLACE_OBJECTS'])
})

// Runs `body` with a repository found as a hook finds it, inside the hook of a real commit.
const inHook = (body: string) => `
  import { findHookRepo } from ${JSON.stringify(join(import.meta.dir, 'repo.ts'))}
  import { git } from ${JSON.stringify(join(import.meta.dir, 'exec.ts'))}
  import { readStatus } from ${JSON.stringify(join(import.meta.dir, 'status.ts'))}
  import { readStaged } from ${JSON.stringify(join(import.meta.dir, 'commit.ts'))}
  import { startFastImport } from ${JSON.stringify(join(import.meta.dir, 'fast-import.ts'))}
  import { readUserState } from ${JSON.stringify(join(import.meta.dir, '../../test/support/user-state.ts'))}
  const repo = findHookRepo(process.cwd(), process.env)
  ${body}`

test.each(['plain', 'linked-worktree', 'submodule', 'bare-parent'] as const)(
  '%s: inside the hook of `git commit -a` a save uses the real index and its own identity and time',
  async (kind) => {
    await using temp = await tempRepo({ kind })
    const out = join(temp.base, 'out.json')
    await temp.hook(
      'prepare-commit-msg',
      `[ -n "$GIT_INDEX_FILE" ] || exit 9
exec '${process.execPath}' -e '${inHook(`
      const before = readUserState(repo)
      const writes = startFastImport(repo)
      writes.commit({ ref: "refs/heads/entire/x", parent: undefined, message: "m", author: { name: "Own", email: "own@x" }, seconds: 5, changes: [] })
      await writes.finish()
      const status = await readStatus(repo)
      const staged = (await readStaged(repo)).map((file) => file.path)
      const same = JSON.stringify(readUserState(repo)) === JSON.stringify(before)
      await Bun.write(${JSON.stringify(out)}, JSON.stringify({ root: repo.root, index: process.env.GIT_INDEX_FILE, modified: status.modified, staged, same }))
    `)}'`,
    )
    temp.write('README.md', 'changed by commit -a')
    temp.write('other', 'staged')
    await temp.git('add', '-N', 'other')
    const result = await temp.run(['git', 'commit', '-q', '-m', 'outer', 'README.md'], {
      env: { ...temp.env, GIT_AUTHOR_DATE: '1000000000 +0000', GIT_AUTHOR_NAME: 'Leak' },
    })
    expect(result).toMatchObject({ code: 0, stderr: '' })
    const seen = JSON.parse(readFileSync(out, 'utf8'))
    expect(seen).toMatchObject({ root: temp.root, staged: ['README.md'], same: true })
    expect(seen.index).not.toEndWith('/index')
    expect(seen.modified.sort()).toEqual(['README.md', 'other'])
    expect(await temp.git('log', '-1', '--format=%an %at %cn %ct', 'entire/x')).toBe('Own 5 Own 5')
    expect(await temp.git('log', '-1', '--format=%an %at')).toBe('Leak 1000000000')
  },
)

test('reading does not refresh the user’s index', async () => {
  await using temp = await tempRepo()
  await temp.run(['touch', '-d', '2001-01-01', 'README.md'])
  const before = readUserState(temp.repo)
  await git(temp.repo, ['status'])
  expect(readUserState(temp.repo)).toEqual(before)
})

import { expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { entire } from '../../../test/support/entire.ts'
import { putCommit } from '../../../test/support/put-commit.ts'
import { type TempRepo, tempRepo } from '../../../test/support/repo.ts'
import { shadowRef } from '../../checkpoints/layout.ts'

const enable = (repo: TempRepo) => entire(repo, ['enable', '--agent', 'claude-code'])

test('disabling is local and can be undone', async () => {
  await using repo = await tempRepo()
  await enable(repo)
  expect(await entire(repo, ['disable'])).toEqual({ code: 0, out: 'Entire is now disabled.\n', err: '' })
  expect(JSON.parse(repo.read('.entire/settings.local.json'))).toEqual({ enabled: false })
  expect((await entire(repo, ['status'])).out).toBe('Disabled (manual-commit)\n')
  expect((await entire(repo, ['explain'])).out).toBe(
    'Entire is disabled. Run `entire enable` to re-enable.\n',
  )
  expect((await entire(repo, ['enable'])).out).toContain('Entire is now enabled.\n')
  expect((await entire(repo, ['status'])).out).toStartWith('Enabled (manual-commit)\n')
})

test('disabling the project says when the local file still enables it', async () => {
  await using repo = await tempRepo()
  await enable(repo)
  repo.write('.entire/settings.local.json', '{"enabled": true}')
  const answer = await entire(repo, ['disable', '--project'])
  expect(answer.out).toContain('.entire/settings.local.json enables it here')
})

test('a repository that was never set up has nothing to disable or uninstall', async () => {
  await using repo = await tempRepo()
  const before = readdirSync(repo.repo.gitDir)
  expect((await entire(repo, ['disable'])).out).toContain('nothing to disable')
  expect(await entire(repo, ['disable', '--uninstall'])).toEqual({
    code: 0,
    out: 'Entire is not installed in this repository.\n',
    err: '',
  })
  expect(readdirSync(repo.repo.gitDir)).toEqual(before)
})

test('without a terminal uninstalling needs --force', async () => {
  await using repo = await tempRepo()
  await enable(repo)
  const answer = await entire(repo, ['disable', '--uninstall'])
  expect(answer).toMatchObject({
    code: 2,
    err: expect.stringContaining('hint: Run `entire disable --uninstall --force`.'),
  })
  expect(existsSync(join(repo.root, '.entire'))).toBe(true)
})

test('uninstalling leaves checkpoints and otherwise no trace', async () => {
  await using repo = await tempRepo()
  repo.write('.claude/settings.json', '{ "model":"opus" ,\n// mine\n"hooks": {} }')
  await repo.hook('post-commit', 'echo mine')
  await repo.commit('mine')
  const gitDir = readdirSync(repo.repo.gitDir)
  const hooks = readdirSync(join(repo.repo.gitDir, 'hooks'))
  await enable(repo)
  const head = await repo.head()
  for (const worktree of ['', 'other'])
    await putCommit(repo.repo, shadowRef(head, worktree), { files: { a: 'b' } })
  repo.write('.git/entire-sessions/s1.json', '{"session_id":"s1","base_commit":"x"}')
  repo.write('.git/entire-live.json', '{}')
  await repo.git('add', '.entire/settings.json')

  const answer = await entire(repo, ['disable', '--uninstall', '--force'])
  expect(answer.code).toBe(0)
  for (const line of [
    '  - .entire/ directory (committed: .entire/settings.json)',
    'Session state files (1)',
    'Shadow branches (2)',
    '  Removed git hooks (5)',
    'Entire CLI uninstalled successfully.',
    'git branch -D entire/checkpoints/v1',
  ]) {
    expect(answer.out).toContain(line)
  }
  expect(repo.read('.claude/settings.json')).toBe('{ "model":"opus" ,\n// mine\n"hooks": {} }')
  expect(existsSync(join(repo.root, '.entire'))).toBe(false)
  expect(readdirSync(repo.repo.gitDir).filter((name) => !gitDir.includes(name))).toEqual([])
  expect(readdirSync(join(repo.repo.gitDir, 'hooks'))).toEqual(hooks)
  expect(await repo.git('for-each-ref', '--format=%(refname)', 'refs/heads/entire')).toBe(
    'refs/heads/entire/checkpoints/v1',
  )
})

// Clones a hostile project: nothing that it brings makes a hook run its programs, or write outside of the clone.
import { expect, test } from 'bun:test'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'

/** A bare repository in the work tree, whose hooks leave a file behind when they run. */
async function bareRepositoryWithHooks(repo: RecordedRepo, path: string, trace: string): Promise<void> {
  await repo.git('init', '--quiet', '--bare', path)
  rmSync(join(repo.root, path, 'hooks'), { recursive: true, force: true })
  for (const hook of ['pre-receive', 'update', 'post-receive', 'post-update', 'reference-transaction'])
    repo.write(`${path}/hooks/${hook}`, `#!/bin/sh\ntouch '${trace}'\n`, 0o755)
}

async function commitTurn(repo: RecordedRepo): Promise<void> {
  await fakeAgent(repo).turn('write a file', { 'a.txt': 'a file of the agent\n' })
  await repo.commitAs('human', 'a file', 'a.txt')
}

async function withOrigin(repo: RecordedRepo): Promise<void> {
  await repo.git('init', '--quiet', '--bare', '--initial-branch=main', `${repo.base}/origin.git`)
  await repo.git('remote', 'add', 'origin', `${repo.base}/origin.git`)
}

async function branchesOf(repo: RecordedRepo, remote: string): Promise<string[]> {
  return [...((await repo.git('ls-remote', '--heads', remote)).match(/refs\/heads\/\S+/g) ?? [])]
}

test.each([
  ['a path', 'vendor/cache.git'],
  ['a path that looks like a name', 'cache.git'],
  ['a remote that does not exist', 'upstream'],
])('checkpoint_push_remote that is %s pushes nothing and runs nothing', async (_title, name) => {
  await using repo = await recordedRepo()
  const trace = join(repo.base, 'ran')
  for (const path of ['vendor/cache.git', 'cache.git']) await bareRepositoryWithHooks(repo, path, trace)
  repo.write(
    '.entire/settings.json',
    JSON.stringify({ enabled: true, strategy_options: { checkpoint_push_remote: name } }),
  )
  await withOrigin(repo)
  await commitTurn(repo)
  const pushed = await repo.gitAs('human', ['push', '--quiet', 'origin', 'main'])
  expect(pushed).toContain(`[entire] Checkpoints were not pushed: git remote not found: ${name}`)
  expect(existsSync(trace)).toBe(false)
  expect(await branchesOf(repo, 'origin')).toEqual(['refs/heads/main'])
  const status = JSON.parse((await repo.entire(['status', '--json'])).out)
  expect(status).toMatchObject({ checkpoint_sync_error: `git remote not found: ${name}` })
  expect((await repo.entire(['resume', 'main'])).code).toBe(0)
  expect(existsSync(trace)).toBe(false)
})

test('checkpoints go only to the remote that is chosen for them: not to a URL, not to a fork', async () => {
  await using repo = await recordedRepo()
  await withOrigin(repo)
  for (const name of ['fork.git', 'url.git'])
    await repo.git('init', '--quiet', '--bare', '--initial-branch=main', `${repo.base}/${name}`)
  await repo.git('remote', 'add', 'fork', `${repo.base}/fork.git`)
  await commitTurn(repo)
  const said = '[entire] Checkpoints were not pushed: they are pushed to origin only.\n'
  expect(await repo.gitAs('human', ['push', '--quiet', `${repo.base}/url.git`, 'main'])).toBe(said)
  expect(await repo.gitAs('human', ['push', '--quiet', 'fork', 'main'])).toBe(said)
  expect(await branchesOf(repo, 'fork')).toEqual(['refs/heads/main'])
  expect(await branchesOf(repo, `${repo.base}/url.git`)).toEqual(['refs/heads/main'])
  await repo.gitAs('human', ['push', '--quiet', 'origin', 'main'])
  const all = ['refs/heads/entire/checkpoints/v1', 'refs/heads/main']
  expect(await branchesOf(repo, 'origin')).toEqual(all)
  // Where git pushes the branch by itself is a choice.
  await repo.git('config', 'remote.pushDefault', 'fork')
  await repo.gitAs('human', ['push', '--quiet', 'fork', 'main:other'])
  expect(await branchesOf(repo, 'fork')).toEqual([...all, 'refs/heads/other'])
})

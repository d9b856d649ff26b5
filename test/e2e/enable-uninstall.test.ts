// Tests that uninstalling leaves the checkpoints and nothing else, whatever was done before.
import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fakeAgent } from '../support/fake-agent.ts'
import { recordedRepo } from '../support/recorded-repo.ts'

const refs = 'for-each-ref --format=%(refname)'.split(' ')

test.each(['git-branch', 'git-refs'])(
  'uninstalling leaves no file in the git directory, whatever was recorded (%s)',
  async (backend) => {
    await using repo = await recordedRepo()
    await repo.git('init', '--quiet', '--bare', `${repo.base}/remote.git`)
    await repo.git('remote', 'add', 'origin', `${repo.base}/remote.git`)
    const config = repo.read('.git/config')
    await repo.entire(['configure', 'checkpoints.primary.type', backend])
    await repo.entire(['agent', 'add', 'gemini'])
    const other = await repo.addWorktree('other')
    await fakeAgent(other).turn('write b', { 'b.ts': 'export const b = 1\n' })
    const agent = fakeAgent(repo)
    await agent.turn('write a', { 'a.ts': 'export const a = 1\n' })
    await repo.commitAs('human', 'a', 'a.ts')
    await repo.git('commit', '--quiet', '--amend', '--no-edit')
    await agent.turn('write c', { 'c.ts': 'export const c = 1\n' })
    await agent.turn('change c', { 'c.ts': 'export const c = 2\n' })
    const [, first] = (await repo.git('log', '--format=%H', repo.shadow(await repo.head()))).split('\n')
    expect((await repo.entire(['rewind', '--to', first as string])).code).toBe(0)
    await repo.gitAs('human', ['push', '--quiet', 'origin', 'main'])
    await repo.gitAs('human', ['push', '--quiet', `${repo.base}/remote.git`, 'main:again'])
    expect(repo.read('c.ts')).toBe('export const c = 1\n')
    const plan = await repo.entire(['disable', '--uninstall', '--force'])
    expect(plan.code).toBe(0)
    expect(plan.out).toContain('Data kept for undo (')

    const gitDir = repo.repo.commonDir
    const ours = [gitDir, join(gitDir, 'worktrees', 'other')].flatMap((dir) =>
      readdirSync(dir).filter((name) => name.startsWith('entire')),
    )
    expect(ours).toEqual([])
    expect(readdirSync(join(gitDir, 'refs'))).not.toContain('entire-remotes')
    const left = (await repo.git(...refs))
      .split('\n')
      .filter((ref) => ref.includes('entire') && !ref.startsWith('refs/remotes/'))
    const checkpoints =
      /^refs\/(heads\/entire\/checkpoints\/v1|entire\/checkpoints\/..\/\w{26}|notes\/entire-checkpoints)$/
    expect(left.filter((ref) => !checkpoints.test(ref))).toEqual([])
    expect(repo.read('.git/config')).toBe(config)
    expect(await repo.git('status', '--porcelain')).toBe('?? c.ts')
  },
)

test('a second uninstall finds nothing, and the repository can be enabled again', async () => {
  await using repo = await recordedRepo()
  await fakeAgent(repo).turn('write a', { 'a.ts': 'export const a = 1\n' })
  await repo.entire(['disable', '--uninstall', '--force'])
  expect(await repo.entire(['disable', '--uninstall', '--force'])).toEqual({
    code: 0,
    out: 'Entire is not installed in this repository.\n',
    err: '',
  })
  expect((await repo.entire(['enable', '--agent', 'claude-code'])).code).toBe(0)
  await fakeAgent(repo).turn('write b', { 'b.ts': 'export const b = 1\n' })
  await repo.commitAs('human', 'b', 'b.ts')
  expect(await repo.checkpointsOf()).toHaveLength(1)
})

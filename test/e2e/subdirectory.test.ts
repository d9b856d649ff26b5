// Runs hooks and commands in subdirectories: what they write is about the repository.
import { expect, test } from 'bun:test'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fakeAgent } from '../support/fake-agent.ts'
import { recordedRepo } from '../support/recorded-repo.ts'

test('hooks called in a subdirectory write to the top of the work tree', async () => {
  await using repo = await recordedRepo()
  const cwd = join(repo.root, 'packages', 'core')
  mkdirSync(cwd, { recursive: true })
  const agent = fakeAgent(repo)
  await agent.hook('user-prompt-submit', { prompt: 'write in a package' }, { cwd })
  expect(existsSync(join(repo.repo.gitDir, `entire-tmp/pre-prompt-${agent.session}.json`))).toBe(true)
  expect(existsSync(join(cwd, '.entire'))).toBe(false)
  agent.write('packages/core/index.ts', 'export const core = 1\n')
  agent.write('top.ts', 'export const top = 1\n')
  agent.say('Done.')
  await agent.hook('stop', {}, { cwd })
  expect(repo.state(agent.session)).toMatchObject({
    files_touched: ['packages/core/index.ts', 'top.ts'],
    worktree_path: repo.root,
  })
  expect(existsSync(join(cwd, '.entire'))).toBe(false)

  await repo.git('add', 'packages', 'top.ts')
  await repo.gitAs('human', ['commit', '--quiet', '-m', 'from below'], { cwd })
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({
    files_touched: ['packages/core/index.ts', 'top.ts'],
  })
  expect(existsSync(join(cwd, '.entire'))).toBe(false)
})

test('commands give the same answer anywhere in a work tree, linked or not', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'packages/core/a.ts': 'export const a = 1\n' })
  await repo.commitAs('human', 'a')
  await agent.turn('write b', { 'packages/core/b.ts': 'export const b = 1\n' })
  const linked = await repo.addWorktree('other')
  const commands = [
    ['status', '--json'],
    ['explain', '--json'],
    ['explain', '--commit', 'HEAD', '--json'],
    ['rewind', '--list'],
    ['session', 'list', '--json'],
    ['session', 'info', agent.session, '--json'],
    ['session', 'tokens', agent.session, '--json'],
    ['clean', '--dry-run', '--json'],
    ['configure', '--list', '--json'],
    ['agent', 'list', '--json'],
    ['doctor', '--json'],
  ]
  for (const place of [repo, linked])
    for (const args of commands) {
      const [top, below] = [
        await place.entire(args),
        await place.entire(args, { cwd: join(place.root, 'packages/core') }),
      ]
      expect(JSON.parse(top.out)).toBeDefined()
      expect({ args, ...below }).toEqual({ args, ...top })
    }
  expect(existsSync(join(repo.root, 'packages/core/.entire'))).toBe(false)
})

test('an agent that changed its directory to another repository is still recorded in its project', async () => {
  await using repo = await recordedRepo()
  const elsewhere = join(repo.base, 'elsewhere')
  await repo.git('init', '--quiet', elsewhere)
  const agent = fakeAgent(repo)
  await agent.prompt('look elsewhere')
  agent.write('a.ts', 'export const a = 1\n')
  agent.say('Back.')
  const env = { CLAUDE_PROJECT_DIR: repo.root }
  const stopped = await agent.hook('stop', {}, { cwd: elsewhere, env })
  expect(stopped.code).toBe(0)
  expect(repo.state(agent.session)).toMatchObject({ phase: 'idle', files_touched: ['a.ts'] })
  expect(existsSync(join(elsewhere, '.entire'))).toBe(false)
  await agent.hook('session-end', {}, { cwd: repo.base, env })
  expect(repo.state(agent.session).phase).toBe('ended')
})

import { expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { entire } from '../../../test/support/entire.ts'
import { putCommit } from '../../../test/support/put-commit.ts'
import { tempDir, tempRepo } from '../../../test/support/repo.ts'
import { metadataRef } from '../../checkpoints/layout.ts'
import { remoteMetadataRef } from '../../checkpoints/read.ts'

const withAgent = ['enable', '--agent', 'claude-code']

test('enabling installs hooks, settings, ignore list and branch, and says so', async () => {
  await using repo = await tempRepo()
  const answer = await entire(repo, withAgent)
  expect(answer.code).toBe(0)
  expect(answer.out).toMatch(
    /^Agent: Claude Code\nInstalled \d+ hooks for Claude Code - .+\n✓ Installed git hooks \(.+\)\n✓ Project configured \(\.entire\/settings\.json\)\n\nReady\.\n$/,
  )
  expect(repo.read('.entire/settings.json')).toBe('{\n  "strategy": "manual-commit",\n  "enabled": true\n}\n')
  expect(repo.read('.entire/.gitignore')).toContain('settings.local.json\n')
  expect(repo.read('.claude/settings.json')).toContain('entire hooks claude-code stop')
  expect(await repo.git('ls-tree', '-r', 'entire/checkpoints/v1')).toBe('')
  expect(await repo.git('log', '--format=%s', 'entire/checkpoints/v1')).toBe('Initialize metadata branch')
  expect(existsSync(join(repo.repo.commonDir, 'hooks', 'post-commit'))).toBe(true)
})

test('enabling again changes nothing', async () => {
  await using repo = await tempRepo()
  await entire(repo, withAgent)
  const files = [
    '.entire/settings.json',
    '.entire/.gitignore',
    '.claude/settings.json',
    '.git/hooks/pre-push',
    '.git/refs/heads/entire/checkpoints/v1',
  ]
  const before = files.map((file) => repo.read(file))
  const again = await entire(repo, withAgent)
  expect(again.out).toContain('already installed')
  expect(again.out).not.toContain('git hooks')
  expect((await entire(repo, ['enable'])).out).toBe(
    'Already enabled. Everything looks good.\n\n  Agent: Claude Code\n  Config: .entire/settings.json\n',
  )
  expect(files.map((file) => repo.read(file))).toEqual(before)
})

test('without --agent and without a terminal the detected agents are taken, else the default one', async () => {
  await using repo = await tempRepo()
  repo.write('.gemini/settings.json', '{}')
  expect((await entire(repo, ['enable'])).out).toContain('Agent: Gemini CLI (use --agent to change)')
  await using empty = await tempRepo()
  expect((await entire(empty, ['enable'])).out).toContain('Agent: Claude Code (use --agent to change)')
})

test('several agents at once, from a subdirectory', async () => {
  await using repo = await tempRepo()
  repo.write('deep/er/x', '')
  const answer = await entire(repo, ['enable', '--agent', 'claude-code', '--agent', 'gemini'], { cwd: 'deep/er' })
  expect(answer.out).toMatch(/Agent: Claude Code\n(?:.*\n)*Agent: Gemini CLI\n/)
  expect(JSON.parse((await entire(repo, ['status', '--json'])).out)).toMatchObject({ agents: ['Claude Code', 'Gemini CLI'] })
})

test.each([
  [
    'an unknown agent lists those there are',
    ['--agent', 'clippy'],
    1,
    'Unknown agent "clippy". Available agents:\n\n  claude-code    (default)\n',
  ],
  ['an empty agent too', ['--agent', ''], 1, 'Missing agent name. Available agents:'],
  ['two places for settings', ['--local', '--project'], 2, 'cannot specify both --project and --local'],
  ['an unknown strategy', ['--strategy', 'shadow'], 2, 'unknown strategy: shadow (use manual-commit or auto-commit)'],
] as const)('%s: nothing is changed', async (_rule, flags, code, message) => {
  await using repo = await tempRepo()
  const answer = await entire(repo, ['enable', ...flags])
  expect(answer).toMatchObject({ code, out: '', err: expect.stringContaining(message) })
  expect(existsSync(join(repo.root, '.entire'))).toBe(false)
})

test('outside of a repository it says where to run', async () => {
  await using dir = tempDir()
  expect(await entire(dir, ['enable'])).toEqual({
    code: 1,
    out: '',
    err: "error: Not a git repository. Please run 'entire enable' from within a git repository.\n",
  })
})

test('a repository without commits gets a note', async () => {
  await using repo = await tempRepo({ kind: 'unborn' })
  const answer = await entire(repo, withAgent)
  expect(answer.code).toBe(0)
  expect(answer.out).toStartWith('Note: This repository has no commits yet.')
})

test('settings of a project that has some go to the local file, unless told otherwise', async () => {
  await using repo = await tempRepo()
  const project = '{\n  "enabled": true,\n  "future": 1\n}\n'
  repo.write('.entire/settings.json', project)
  const answer = await entire(repo, ['enable', '--skip-push-sessions', '--yes'])
  expect(answer.out).toContain('Info: Project settings exist. Saving to settings.local.json instead.')
  expect(repo.read('.entire/settings.json')).toBe(project)
  expect(JSON.parse(repo.read('.entire/settings.local.json'))).toEqual({ strategy_options: { push_sessions: false } })
  await entire(repo, ['enable', '--project', '--strategy', 'auto-commit'])
  expect(repo.read('.entire/settings.json')).toBe('{\n  "enabled": true,\n  "future": 1,\n  "strategy": "auto-commit"\n}\n')
})

test('a program that hooks cannot find is mentioned, an absolute path finds it', async () => {
  await using repo = await tempRepo()
  const missing = await entire(repo, withAgent)
  expect(missing.err).toContain('`entire` is not on the PATH')
  const absolute = await entire(repo, ['enable', '--absolute-git-hook-path'])
  expect(absolute.err).not.toContain('not on the PATH')
  expect(repo.read('.git/hooks/post-commit')).toContain('/src/bin/entire.ts hooks git post-commit')
  expect((await entire(repo, ['enable'])).out).toContain('Already enabled.')
})

test('the branch for checkpoints starts where origin’s is', async () => {
  await using repo = await tempRepo()
  const remote = await putCommit(repo.repo, remoteMetadataRef, { files: { 'a/b': 'c' } })
  await entire(repo, withAgent)
  expect(await repo.git('rev-parse', metadataRef)).toBe(remote)
})

test('an existing hook is kept, and its user is told', async () => {
  await using repo = await tempRepo()
  await repo.hook('pre-push', 'echo mine')
  repo.write('.pre-commit-config.yaml', 'repos: []\n')
  const answer = await entire(repo, withAgent)
  expect(answer.err).toContain('[entire] Backed up existing pre-push to pre-push.pre-entire')
  expect(answer.err).toContain('pre-commit may overwrite git hooks')
})

test.each(['linked-worktree', 'submodule', 'bare-parent', 'sha256', 'detached', 'hooks-path', 'worktree-config'] as const)(
  'git hooks are where git looks for them, and go without a trace: %s',
  async (kind) => {
    await using repo = await tempRepo({ kind })
    const hooks = resolve(repo.root, await repo.git('rev-parse', '--git-path', 'hooks'))
    const before = existsSync(hooks) ? readdirSync(hooks) : []
    await entire(repo, withAgent)
    expect(existsSync(join(hooks, 'post-commit'))).toBe(true)
    expect(JSON.parse((await entire(repo, ['status', '--json'])).out)).toMatchObject({ enabled: true, git_hooks: 'all' })
    expect((await entire(repo, ['disable', '--uninstall', '--force'])).code).toBe(0)
    expect(existsSync(hooks) ? readdirSync(hooks) : []).toEqual(before)
    expect(readdirSync(repo.root)).not.toContain('.entire')
  },
)

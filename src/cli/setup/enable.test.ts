import { expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { entire, entireFromSource } from '../../../test/support/entire.ts'
import { putCommit } from '../../../test/support/put-commit.ts'
import { tempDir, tempRepo } from '../../../test/support/repo.ts'
import { remoteMetadataRef } from '../../checkpoints/copies.ts'
import { metadataRef } from '../../checkpoints/layout.ts'

const withAgent = ['enable', '--agent', 'claude-code']

test('enabling installs hooks, settings, ignore list and branch, and says so', async () => {
  await using repo = await tempRepo()
  const answer = await entire(repo, withAgent)
  expect(answer.code).toBe(0)
  expect(answer.out).toMatch(
    /^Agent: Claude Code\nInstalled \d+ hooks for Claude Code - .+\n✓ Installed git hooks \(.+\)\n✓ Project configured \(\.entire\/settings\.json\)\nCheckpoints .+\n\nReady\.\n$/,
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

test('without --agent and a terminal, the detected agents are used, else the default one', async () => {
  await using repo = await tempRepo()
  repo.write('.gemini/settings.json', '{}')
  expect((await entire(repo, ['enable'])).out).toContain('Agent: Gemini CLI (use --agent to change)')
  await using empty = await tempRepo()
  expect((await entire(empty, ['enable'])).out).toContain('Agent: Claude Code (use --agent to change)')
})

test('several agents at once, from a subdirectory', async () => {
  await using repo = await tempRepo()
  repo.write('deep/er/x', '')
  const answer = await entire(repo, ['enable', '--agent', 'claude-code', '--agent', 'gemini'], {
    cwd: 'deep/er',
  })
  expect(answer.out).toMatch(/Agent: Claude Code\n(?:.*\n)*Agent: Gemini CLI\n/)
  expect(JSON.parse((await entire(repo, ['status', '--json'])).out)).toMatchObject({
    agents: ['Claude Code', 'Gemini CLI'],
  })
})

test.each([
  [
    'an unknown agent lists the known ones',
    ['--agent', 'clippy'],
    1,
    'Unknown agent "clippy". Available agents:\n\n  claude-code    (default)\n',
  ],
  ['also those without hooks', ['--agent', 'clippy'], 1, '\n  aider    (no hooks: run `entire watch`)\n'],
  ['an empty agent too', ['--agent', ''], 1, 'Missing agent name. Available agents:'],
  ['two settings files', ['--local', '--project'], 2, '--project and --local cannot be used together'],
  [
    'an unknown strategy',
    ['--strategy', 'shadow'],
    2,
    '"shadow" is not a valid value for --strategy\nhint: Use one of: manual-commit, auto-commit.',
  ],
] as const)('%s: nothing is changed', async (_rule, flags, code, message) => {
  await using repo = await tempRepo()
  const answer = await entire(repo, ['enable', ...flags])
  expect(answer).toMatchObject({ code, out: '', err: expect.stringContaining(message) })
  expect(existsSync(join(repo.root, '.entire'))).toBe(false)
})

test('agents can be separated by commas, and named twice', async () => {
  await using repo = await tempRepo()
  const answer = await entire(repo, ['enable', '--agent', 'gemini,claude-code', '--agent', 'gemini'])
  expect(answer.out.match(/^Agent: .+$/gm)).toEqual(['Agent: Gemini CLI', 'Agent: Claude Code'])
})

test('--json prints what was done as one object', async () => {
  await using repo = await tempRepo()
  const first = await entire(repo, ['enable', '--agent', 'claude-code', '--json'])
  expect(JSON.parse(first.out)).toEqual({
    enabled: true,
    agents: [{ name: 'claude-code', type: 'Claude Code', hooks_added: expect.any(Number) }],
    removed: [],
    git_hooks: ['prepare-commit-msg', 'commit-msg', 'post-commit', 'pre-push', 'post-rewrite'],
    settings: ['.entire/settings.json'],
  })
  const nothing = {
    enabled: true,
    agents: [{ name: 'claude-code', type: 'Claude Code', hooks_added: 0 }],
    removed: [],
    git_hooks: [],
  }
  expect(JSON.parse((await entire(repo, ['enable', '--json'])).out)).toEqual({
    ...nothing,
    settings: ['.entire/settings.json'],
  })
  await entire(repo, ['disable'])
  expect(JSON.parse((await entire(repo, ['enable', '--json'])).out)).toEqual({
    ...nothing,
    settings: ['.entire/settings.json', '.entire/settings.local.json'],
  })
})

test('--force reinstalls hooks, and leaves one of each', async () => {
  await using repo = await tempRepo()
  await entire(repo, withAgent)
  const before = repo.read('.claude/settings.json')
  expect((await entire(repo, ['enable', '--force'])).out).toMatch(/Installed \d+ hooks for Claude Code/)
  expect(JSON.parse(repo.read('.claude/settings.json'))).toEqual(JSON.parse(before))
})

test('each flag has its effect in the file it names', async () => {
  await using repo = await tempRepo()
  await entire(repo, [
    ...withAgent,
    '--local',
    '--strategy',
    'auto-commit',
    '--skip-push-sessions',
    '--absolute-git-hook-path',
  ])
  expect(JSON.parse(repo.read('.entire/settings.local.json'))).toEqual({
    strategy: 'auto-commit',
    enabled: true,
    absolute_git_hook_path: true,
    strategy_options: { push_sessions: false },
  })
  expect(existsSync(join(repo.root, '.entire/settings.json'))).toBe(false)
  expect((await entire(repo, ['status'])).out).toContain('(auto-commit)')
})

test('a change of the project file that the local file overrides gives a note', async () => {
  await using repo = await tempRepo()
  await entire(repo, withAgent)
  repo.write('.entire/settings.local.json', '{"strategy":"manual-commit"}')
  const answer = await entire(repo, ['enable', '--project', '--strategy', 'auto-commit'])
  expect(answer.err).toContain('Note: .entire/settings.local.json overrides this here: strategy')
})

test('comments in the settings survive', async () => {
  await using repo = await tempRepo()
  repo.write('.entire/settings.json', '{\n  // ours\n  "enabled": false, // for now\n}\n')
  await entire(repo, [...withAgent, '--strategy', 'auto-commit'])
  expect(repo.read('.entire/settings.json')).toBe(
    '{\n  // ours\n  "enabled": true, // for now\n  "strategy": "auto-commit"\n}\n',
  )
})

test('a repository that was only disabled is enabled, and nothing else happens', async () => {
  await using repo = await tempRepo()
  await entire(repo, withAgent)
  await entire(repo, ['disable'])
  expect(await entire(repo, ['enable'])).toEqual({ code: 0, out: 'Entire is now enabled.\n', err: '' })
  await entire(repo, ['disable', '--project'])
  expect((await entire(repo, ['enable'])).out).toContain('Already enabled.')
  await entire(repo, ['enable', '--project'])
  expect(JSON.parse(repo.read('.entire/settings.json'))).toMatchObject({ enabled: true })
})

test('an agent that is used and not recorded is mentioned', async () => {
  await using repo = await tempRepo()
  await entire(repo, withAgent)
  repo.write('.gemini/settings.json', '{}')
  const answer = await entire(repo, ['enable'])
  expect(answer.out).toStartWith('Already enabled. Everything looks good.\n')
  expect(answer.err).toContain('entire agent add gemini')
})

test('unreadable settings of an agent stop it, and are not changed', async () => {
  await using repo = await tempRepo()
  repo.write('.claude/settings.json', '{ broken')
  expect(await entire(repo, withAgent)).toMatchObject({
    code: 1,
    err: expect.stringContaining('.claude/settings.json is not valid JSON'),
  })
  expect(repo.read('.claude/settings.json')).toBe('{ broken')
  expect(existsSync(join(repo.root, '.entire'))).toBe(false)
})

test('a flag that does not exist is named, and so is the help', async () => {
  await using repo = await tempRepo()
  const answer = await entire(repo, ['enable', '--no-such-flag'])
  expect([answer.code, answer.out]).toEqual([2, ''])
  expect(answer.err).toContain('--no-such-flag')
  expect(answer.err).toContain('entire enable --help')
})

test('outside of a repository it says where to run', async () => {
  await using dir = tempDir()
  expect(await entire(dir, ['enable'])).toEqual({
    code: 1,
    out: '',
    err: "error: Not a git repository. Please run 'entire enable' from within a git repository.\n",
  })
})

test('settings go to the local file if the project file exists, unless --project is given', async () => {
  await using repo = await tempRepo()
  const project = '{\n  "enabled": true,\n  "future": 1\n}\n'
  repo.write('.entire/settings.json', project)
  const answer = await entire(repo, ['enable', '--skip-push-sessions', '--yes'])
  expect(answer.out).toContain('Info: Project settings exist. Saving to settings.local.json instead.')
  expect(repo.read('.entire/settings.json')).toBe(project)
  expect(JSON.parse(repo.read('.entire/settings.local.json'))).toEqual({
    strategy_options: { push_sessions: false },
  })
  await entire(repo, ['enable', '--project', '--strategy', 'auto-commit'])
  expect(repo.read('.entire/settings.json')).toBe(
    '{\n  "enabled": true,\n  "future": 1,\n  "strategy": "auto-commit"\n}\n',
  )
})

test('a program that is not on the PATH gives a note, and an absolute path finds it', async () => {
  await using repo = await tempRepo()
  const missing = await entireFromSource(repo, withAgent)
  expect(missing.err).toContain('`entire` is not on the PATH')
  const absolute = await entireFromSource(repo, ['enable', '--absolute-git-hook-path'])
  expect(absolute.err).not.toContain('not on the PATH')
  expect(repo.read('.git/hooks/post-commit')).toContain('/src/bin/entire.ts hooks git post-commit')
  expect((await entireFromSource(repo, ['enable'])).out).toContain('Already enabled.')
})

test('the branch for checkpoints starts where origin’s is', async () => {
  await using repo = await tempRepo()
  const remote = await putCommit(repo.repo, remoteMetadataRef, { files: { 'a/b': 'c' } })
  await entire(repo, withAgent)
  expect(await repo.git('rev-parse', metadataRef)).toBe(remote)
})

test('an existing hook is kept, with a note', async () => {
  await using repo = await tempRepo()
  await repo.hook('pre-push', 'echo mine')
  repo.write('.pre-commit-config.yaml', 'repos: []\n')
  const answer = await entire(repo, withAgent)
  expect(answer.err).toContain('[entire] Backed up existing pre-push to pre-push.pre-entire')
  expect(answer.err).toContain('pre-commit may overwrite git hooks')
})

test.each([
  'linked-worktree',
  'submodule',
  'bare-parent',
  'sha256',
  'detached',
  'hooks-path',
  'worktree-config',
] as const)(
  'git hooks are installed where git looks for them, and removed without a trace: %s',
  async (kind) => {
    await using repo = await tempRepo({ kind })
    const hooks = resolve(repo.root, await repo.git('rev-parse', '--git-path', 'hooks'))
    const before = existsSync(hooks) ? readdirSync(hooks) : []
    await entire(repo, withAgent)
    expect(existsSync(join(hooks, 'post-commit'))).toBe(true)
    expect(JSON.parse((await entire(repo, ['status', '--json'])).out)).toMatchObject({
      enabled: true,
      git_hooks: 'all',
    })
    expect((await entire(repo, ['disable', '--uninstall', '--force'])).code).toBe(0)
    expect(existsSync(hooks) ? readdirSync(hooks) : []).toEqual(before)
    expect(readdirSync(repo.root)).not.toContain('.entire')
  },
)

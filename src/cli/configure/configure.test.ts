import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { entire } from '../../../test/support/entire.ts'
import { type TempRepo, tempDir, tempRepo } from '../../../test/support/repo.ts'

async function enabledRepo(): Promise<TempRepo> {
  const repo = await tempRepo()
  await entire(repo, ['enable', '--agent', 'claude-code'])
  return repo
}
const configure = (repo: TempRepo, ...args: string[]) => entire(repo, ['configure', ...args])
const local = (repo: TempRepo) => JSON.parse(repo.read('.entire/settings.local.json'))

test('the list shows all values, and where they are set', async () => {
  await using repo = await enabledRepo()
  repo.write('.entire/settings.json', '{\n  "enabled": true,\n  "telemetry": false\n}\n')
  repo.write(
    '.entire/settings.local.json',
    '{"log_level":"debug","redaction":{"pii":{"custom_patterns":{"TICKET":"T-[0-9]+"}}}}',
  )
  const answer = await configure(repo, '--list')
  expect(answer.out).toMatch(/^KEY +VALUE +FROM +MEANING\n/)
  expect(answer.out).toMatch(/^enabled +true +settings\.json /m)
  expect(answer.out).toMatch(/^log_level +debug +settings\.local\.json /m)
  expect(answer.out).toMatch(/^strategy +manual-commit +default /m)
  expect(answer.out).toMatch(/^redaction\.pii\.custom_patterns\.TICKET +T-\[0-9]\+ +settings\.local\.json /m)
  expect(answer.err).toBe('\nNot used by this version: telemetry\n')
  expect((await configure(repo)).out).toBe(answer.out)
})

test('in a narrow terminal each meaning is below its setting, and nothing is cut', async () => {
  await using repo = await enabledRepo()
  const lines = (await entire(repo, ['configure', '--list'], { env: { COLUMNS: '80' } })).out.split('\n')
  expect(lines.slice(0, 3)).toEqual([
    expect.stringMatching(/^KEY +VALUE +FROM$/),
    expect.stringMatching(/^enabled +true +settings\.json$/),
    expect.stringMatching(/^ {4}Whether sessions .*$/),
  ])
  expect(lines.filter((line) => line.length > 80 || line.endsWith('…'))).toEqual([])
})

test('JSON of all settings, or of one', async () => {
  await using repo = await enabledRepo()
  const all = JSON.parse((await configure(repo, '--list', '--json')).out)
  expect(all).toContainEqual({
    key: 'strategy',
    value: 'manual-commit',
    source: 'project',
    default: 'manual-commit',
    choices: ['manual-commit', 'auto-commit'],
    meaning: expect.any(String),
  })
  expect(JSON.parse((await configure(repo, 'checkpoint_remote', '--json')).out)).toMatchObject({
    value: null,
    source: 'default',
  })
  expect(await configure(repo, 'strategy')).toEqual({ code: 0, out: 'manual-commit\n', err: '' })
  expect((await configure(repo, 'strategy', '--local', '--json')).out).toContain('"source": "default"')
})

test('a change goes to the local file, keeps everything else in it, and takes effect', async () => {
  await using repo = await enabledRepo()
  const project = repo.read('.entire/settings.json')
  repo.write(
    '.entire/settings.local.json',
    '{\n  // mine\n  "future": [1],\n  "log_level": "warn" // loud\n}\n',
  )
  expect(await configure(repo, 'log_level', 'debug')).toEqual({
    code: 0,
    out: 'log_level = debug (.entire/settings.local.json)\n',
    err: '',
  })
  expect(await configure(repo, 'push_sessions', 'no')).toMatchObject({
    code: 0,
    out: expect.stringContaining('strategy_options.push_sessions = false'),
  })
  expect(repo.read('.entire/settings.local.json')).toBe(
    '{\n  // mine\n  "future": [1],\n  "log_level": "debug", // loud\n  "strategy_options": {\n    "push_sessions": false\n  }\n}\n',
  )
  expect(repo.read('.entire/settings.json')).toBe(project)
  expect((await configure(repo, 'push_sessions', '--unset')).out).toBe(
    'strategy_options.push_sessions = true (default)\n',
  )
  expect(repo.read('.entire/settings.local.json')).toBe(
    '{\n  // mine\n  "future": [1],\n  "log_level": "debug" // loud\n}\n',
  )
  expect((await configure(repo, 'push_sessions', '--unset')).out).toBe(
    'strategy_options.push_sessions is not set in .entire/settings.local.json.\n',
  )
})

test('a change of the project file says when the local file overrides it', async () => {
  await using repo = await enabledRepo()
  repo.write('.entire/settings.local.json', '{"strategy":"manual-commit"}')
  const answer = await configure(repo, 'strategy', 'auto-commit', '--project')
  expect(answer.out).toBe('strategy = auto-commit (.entire/settings.json)\n')
  expect(answer.err).toBe('Note: .entire/settings.local.json overrides this here: strategy\n')
  expect((await entire(repo, ['status'])).out).toContain('(manual-commit)')
  await configure(repo, 'strategy', '--unset')
  expect((await entire(repo, ['status'])).out).toContain('(auto-commit)')
})

test('the local file can only add redaction', async () => {
  await using repo = await enabledRepo()
  await configure(repo, 'redaction.pii.enabled', 'true', '--project')
  expect((await configure(repo, 'redaction.pii.enabled', 'false')).err).toContain(
    'a local file can only redact more',
  )
})

test('hooks are rewritten when the path of the program changes', async () => {
  await using repo = await enabledRepo()
  await configure(repo, 'absolute_git_hook_path', 'true')
  expect(repo.read('.git/hooks/post-commit')).toContain('/dist/entire hooks git post-commit')
  expect(repo.read('.claude/settings.json')).toContain('/dist/entire hooks claude-code stop')
  expect((await entire(repo, ['enable'])).out).toContain('Already enabled.')
  await configure(repo, 'absolute_git_hook_path', '--unset')
  expect(repo.read('.claude/settings.json')).not.toContain('/dist/entire')
})

test('the branch for checkpoints is created with the backend that needs it', async () => {
  await using repo = await tempRepo()
  repo.write('.entire/settings.json', '{"checkpoints":{"primary":{"type":"git-refs"}}}')
  await entire(repo, ['enable', '--agent', 'claude-code'])
  expect(await repo.git('branch', '--list', 'entire/checkpoints/v1')).toBe('')
  await configure(repo, 'checkpoints.primary.type', 'git-branch')
  expect(await repo.git('branch', '--list', 'entire/checkpoints/v1')).not.toBe('')
})

test.each([
  [['github:acme/private'], { checkpoint_remote: { provider: 'github', repo: 'acme/private' } }],
  [['https://example.com/p.git'], { checkpoint_remote: { url: 'https://example.com/p.git' } }],
  [['backup'], { checkpoint_push_remote: 'backup' }],
])('checkpoint remote: %j', async (args, options) => {
  await using repo = await enabledRepo()
  await repo.git('remote', 'add', 'backup', '/nowhere')
  // Each form replaces the one before.
  await configure(repo, 'checkpoint_remote', 'gitlab:old/place')
  expect((await configure(repo, 'checkpoint_remote', ...args)).code).toBe(0)
  expect(local(repo)).toEqual({ strategy_options: options })
  expect((await configure(repo, 'checkpoint_remote')).out).toBe(`${args[0]}\n`)
  await configure(repo, 'checkpoint_remote', '--unset')
  expect(local(repo)).toEqual({})
})

test.each([
  ['both files', ['strategy', '--local', '--project'], 2, '--project and --local cannot be used together'],
  ['an unknown name', ['strategi', 'x'], 2, 'Did you mean strategy?'],
  ['an unknown value', ['strategy', 'x'], 2, 'Use one of: manual-commit, auto-commit.'],
  [
    'unset with a value',
    ['strategy', 'auto-commit', '--unset'],
    2,
    '--unset and a value cannot be used together',
  ],
  ['unset without a name', ['--unset'], 2, '--unset requires the name of a setting'],
  [
    '--list with a name',
    ['strategy', '--list'],
    2,
    '--list and the name of a setting cannot be used together',
  ],
  [
    'an invalid checkpoint remote',
    ['checkpoint_remote', '--', '-x'],
    2,
    'is not a valid value for the checkpoint remote',
  ],
  ['an unknown git remote', ['checkpoint_remote', 'nowhere'], 2, 'git remote not found: nowhere'],
  [
    'a URL in the project file',
    ['checkpoint_remote', 'https://example.com/x', '--project'],
    2,
    'is read only from .entire/settings.local.json',
  ],
] as const)('%s: nothing is changed', async (_rule, args, code, message) => {
  await using repo = await enabledRepo()
  const before = repo.read('.entire/settings.json')
  const answer = await configure(repo, ...args)
  expect(answer).toMatchObject({ code, out: '', err: expect.stringContaining(message) })
  expect(repo.read('.entire/settings.json')).toBe(before)
  expect(existsSync(join(repo.root, '.entire/settings.local.json'))).toBe(false)
})

test('configure needs a repository that is set up, and does not set one up itself', async () => {
  await using dir = tempDir()
  expect((await entire(dir, ['configure'])).err).toContain(
    "run 'entire configure' from within a git repository",
  )
  await using repo = await tempRepo()
  expect(await configure(repo, 'strategy', 'auto-commit')).toMatchObject({
    code: 1,
    err: expect.stringContaining('hint: Run `entire enable`.'),
  })
  expect(existsSync(join(repo.root, '.entire'))).toBe(false)
})

test('an unreadable settings file is named, and a bad value can be replaced', async () => {
  await using repo = await enabledRepo()
  repo.write('.entire/settings.json', '{"strategy":"shadow"}')
  expect((await entire(repo, ['status'])).err).toContain('"shadow" is not a valid value for strategy')
  expect((await configure(repo, 'strategy', 'manual-commit', '--project')).code).toBe(0)
  expect((await entire(repo, ['status'])).err).toBe('')
  repo.write('.entire/settings.json', '{ broken')
  expect(await configure(repo, '--list')).toMatchObject({
    code: 1,
    err: expect.stringContaining('.entire/settings.json is not a JSON object'),
  })
})

// Tests `entire enable` and `disable` at a terminal: which agents are offered, and that cancelling changes
// nothing.
import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { binary } from '../support/recorded-repo.ts'
import { type TempRepo, tempRepo } from '../support/repo.ts'
import { keys, openTerminal, underControl } from '../support/terminal.ts'

async function repoWithProgram(): Promise<TempRepo> {
  const repo = await tempRepo()
  mkdirSync(join(repo.base, 'bin'))
  symlinkSync(binary, join(repo.base, 'bin', 'entire'))
  repo.env.PATH = `${join(repo.base, 'bin')}${delimiter}${repo.env.PATH}`
  return repo
}
const open = (repo: TempRepo, args: string[], env: Record<string, string> = {}) =>
  openTerminal([...underControl, binary, ...args], {
    cwd: repo.root,
    env: { ...repo.env, TERM: 'xterm-256color', ...env },
  })
const run = async (repo: TempRepo, ...args: string[]) =>
  (await repo.run([binary, ...args])).stdout.toString('utf8')
const installed = async (repo: TempRepo) =>
  (JSON.parse(await run(repo, 'agent', 'list', '--json')) as { name: string; installed: boolean }[])
    .filter((agent) => agent.installed)
    .map((agent) => agent.name)

const question = 'Which agents do you use in this repository?'

test('all agents are offered, and detected ones are selected', async () => {
  await using repo = await repoWithProgram()
  repo.write('.gemini/settings.json', '{}')
  await using terminal = open(repo, ['enable'])
  await terminal.sees('(detected)')
  expect(terminal.text()).toContain(question)
  expect(terminal.text()).toContain('Claude Code - ')
  await terminal.press(keys.enter)
  expect(await terminal.exited()).toBe(0)
  expect(terminal.text()).toContain('Ready.')
  expect(await installed(repo)).toEqual(['gemini'])
})

test('more agents can be selected', async () => {
  await using repo = await repoWithProgram()
  repo.write('.gemini/settings.json', '{}')
  await using terminal = open(repo, ['enable'])
  await terminal.sees('(detected)')
  // The list starts at Claude Code.
  await terminal.press(keys.space, keys.enter)
  expect(await terminal.exited()).toBe(0)
  expect(await installed(repo)).toEqual(['claude-code', 'gemini'])
})

test('the next time installed agents are selected, and deselecting one restores its file', async () => {
  await using repo = await repoWithProgram()
  const before = '{ "theme": "dark" }'
  repo.write('.gemini/settings.json', before)
  await run(repo, 'enable', '--agent', 'claude-code,gemini')
  await using terminal = open(repo, ['enable', '--force'])
  await terminal.sees(/\(installed\)[\s\S]*\(installed\)/)
  expect(terminal.text()).toContain('Hooks of agents that you deselect are removed.')
  await terminal.press(keys.down, keys.space, keys.enter)
  expect(await terminal.exited()).toBe(0)
  expect(terminal.text()).toContain('Gemini CLI was deselected.\n')
  expect(terminal.text()).toContain('Removed hooks for Gemini CLI')
  expect(repo.read('.gemini/settings.json')).toBe(before)
  expect(await installed(repo)).toEqual(['claude-code'])
})

test.each([
  ['Ctrl-C', keys.interrupt, {}],
  ['Ctrl-D', keys.end, {}],
  ['Escape', keys.escape, {}],
  ['Ctrl-C at a plain question', keys.interrupt, { ACCESSIBLE: '1' }],
  ['Ctrl-D at a plain question', keys.end, { ACCESSIBLE: '1' }],
] as const)('%s leaves, and nothing is changed', async (_rule, key, env) => {
  await using repo = await repoWithProgram()
  const before = [readdirSync(repo.root), readdirSync(join(repo.root, '.git/hooks'))]
  await using terminal = open(repo, ['enable'], env)
  await terminal.sees(env === undefined || !('ACCESSIBLE' in env) ? 'Gemini CLI' : 'Numbers [1]:')
  await terminal.press(key)
  expect([0, 130]).toContain(await terminal.exited())
  expect([readdirSync(repo.root), readdirSync(join(repo.root, '.git/hooks'))]).toEqual(before)
  expect(await repo.git('for-each-ref', 'refs/heads/entire')).toBe('')
})

test('ACCESSIBLE=1 asks in plain lines, without a control sequence', async () => {
  await using repo = await repoWithProgram()
  await using terminal = open(repo, ['enable'], { ACCESSIBLE: '1', NO_COLOR: '1' })
  await terminal.sees('Numbers [1]:')
  await terminal.press('99\n')
  await terminal.sees(/Please answer with a number from 1 to \d+/)
  await terminal.press('1, 2\n')
  expect(await terminal.exited()).toBe(0)
  expect(terminal.raw()).not.toContain('\x1b')
  expect(await installed(repo)).toEqual(['claude-code', 'gemini'])
})

test('--yes, --json, --agent, and flags for settings when agents are installed, ask nothing', async () => {
  await using repo = await repoWithProgram()
  for (const args of [
    ['enable', '--yes'],
    ['enable', '--agent', 'gemini'],
    ['enable', '--strategy', 'auto-commit'],
    ['enable', '--force', '--json'],
    ['enable'],
  ]) {
    await using terminal = open(repo, args)
    expect({ args, code: await terminal.exited() }).toEqual({ args, code: 0 })
    expect(terminal.text()).not.toContain(question)
  }
})

test('a repository that was only disabled is enabled without questions', async () => {
  await using repo = await repoWithProgram()
  await run(repo, 'enable', '--agent', 'claude-code')
  await run(repo, 'disable')
  await using terminal = open(repo, ['enable'])
  expect(await terminal.exited()).toBe(0)
  expect(terminal.text()).toBe('Entire is now enabled.\n')
  expect(await run(repo, 'status')).toStartWith('Enabled')
})

test('uninstalling asks first, and the default answer is no', async () => {
  await using repo = await repoWithProgram()
  await run(repo, 'enable', '--agent', 'claude-code')
  {
    await using terminal = open(repo, ['disable', '--uninstall'])
    await terminal.sees('Are you sure you want to uninstall Entire?')
    await terminal.press(keys.enter)
    expect(await terminal.exited()).toBe(0)
    expect(terminal.text()).toContain('Uninstall cancelled.')
    expect(existsSync(join(repo.root, '.entire'))).toBe(true)
  }
  await using terminal = open(repo, ['disable', '--uninstall'], { ACCESSIBLE: '1' })
  await terminal.sees('Are you sure you want to uninstall Entire? [y/N]:')
  await terminal.press('y\n')
  expect(await terminal.exited()).toBe(0)
  expect(terminal.text()).toContain('Entire CLI uninstalled successfully.')
  expect(existsSync(join(repo.root, '.entire'))).toBe(false)
})

test('a script that claims a terminal is asked line by line', async () => {
  await using repo = await repoWithProgram()
  const answered = await repo.run([binary, 'enable'], {
    env: { ...repo.env, ENTIRE_TEST_TTY: '1', TERM: 'xterm' },
    stdin: '2\n',
  })
  expect(answered.code).toBe(0)
  expect(answered.stderr).toContain(question)
  expect(await installed(repo)).toEqual(['gemini'])
})

async function withRemote(repo: TempRepo): Promise<void> {
  await repo.git('init', '--quiet', '--bare', `${repo.base}/origin.git`)
  await repo.git('remote', 'add', 'origin', `${repo.base}/origin.git`)
}

test('where there is a remote, a person is asked whether checkpoints may be pushed there', async () => {
  await using repo = await repoWithProgram()
  await withRemote(repo)
  repo.write('.gemini/settings.json', '{}')
  await using terminal = open(repo, ['enable'])
  await terminal.sees('(detected)')
  await terminal.press(keys.enter)
  await terminal.sees('May `git push` take checkpoints to origin?')
  await terminal.press('n', keys.enter)
  expect(await terminal.exited()).toBe(0)
  expect(terminal.text()).toContain('Checkpoints stay on this machine: pushing them is off.')
  expect(JSON.parse(repo.read('.entire/settings.local.json'))).toEqual({
    strategy_options: { push_sessions: false },
  })
})

test('a yes to the question about pushing changes no setting', async () => {
  await using repo = await repoWithProgram()
  await withRemote(repo)
  repo.write('.gemini/settings.json', '{}')
  await using terminal = open(repo, ['enable'])
  await terminal.sees('(detected)')
  await terminal.press(keys.enter)
  await terminal.sees('May `git push` take checkpoints to origin?')
  await terminal.press('y')
  expect(await terminal.exited()).toBe(0)
  expect(existsSync(join(repo.root, '.entire/settings.local.json'))).toBe(false)
})

test('cancelling the question about pushing changes nothing', async () => {
  await using repo = await repoWithProgram()
  await withRemote(repo)
  repo.write('.gemini/settings.json', '{}')
  await using terminal = open(repo, ['enable'])
  await terminal.sees('(detected)')
  await terminal.press(keys.enter)
  await terminal.sees('May `git push` take checkpoints to origin?')
  await terminal.press(keys.interrupt)
  await terminal.exited()
  expect(existsSync(join(repo.root, '.entire'))).toBe(false)
  expect(await installed(repo)).toEqual([])
})

test('without questions, one sentence says what is pushed where', async () => {
  await using repo = await repoWithProgram()
  expect(await run(repo, 'enable', '--agent', 'gemini')).toContain(
    'stay on this machine until there is a remote; then `git push` takes them along.',
  )
  await withRemote(repo)
  expect(await run(repo, 'enable', '--agent', 'gemini', '--force')).toContain(
    '`git push` also pushes checkpoints (your conversations with agents, without the secrets found) to origin.',
  )
  expect(await run(repo, 'enable', '--skip-push-sessions', '--yes')).toContain('pushing them is off')
})

// Tests the menu of `entire configure` at a terminal.
import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { binary, type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { keys, openTerminal, underControl } from '../support/terminal.ts'

const open = (repo: RecordedRepo, args: string[], env: Record<string, string> = {}) =>
  openTerminal([...underControl, binary, 'configure', ...args], {
    cwd: repo.root,
    env: { ...repo.env, TERM: 'xterm-256color', ...env },
    columns: 120,
  })
const local = (repo: RecordedRepo) => JSON.parse(repo.read('.entire/settings.local.json'))

const menu = 'What do you want to change?'
// The end of the list may be below the last line of the terminal.
const drawn = 'log_level: info'

/** The number of a line of the plain menu. */
function numberOf(text: string, line: string): string {
  return (
    new RegExp(`^ *(\\d+)\\. ${line}`, 'm').exec(text.replaceAll('\r', ''))?.[1] ?? `no ${line} in ${text}`
  )
}

test('a choice is made with the arrow keys, and the menu then shows it', async () => {
  await using repo = await recordedRepo()
  await using terminal = open(repo, [])
  await terminal.sees(drawn)
  // Agents, enabled, strategy.
  await terminal.press(keys.down, keys.down, keys.enter)
  await terminal.sees('the default (manual-commit)')
  await terminal.press(keys.down, keys.enter)
  await terminal.sees('strategy: auto-commit')
  await terminal.press(keys.escape)
  expect(await terminal.exited()).toBe(0)
  expect(local(repo)).toEqual({ strategy: 'auto-commit' })
  expect(terminal.text()).toContain('strategy = auto-commit (.entire/settings.local.json)')
})

test('everything can be answered in plain lines, and a wrong answer leads back to the menu', async () => {
  await using repo = await recordedRepo()
  await using terminal = open(repo, [], { ACCESSIBLE: '1' })
  const choose = async (line: string) => {
    const text = await terminal.sees(/\d\. done[\s\S]*Number:/)
    await terminal.press(`${numberOf(text, line)}\n`)
  }
  await choose('strategy_options.checkpoint_remote')
  await terminal.sees('or `none`')
  await terminal.press('nowhere\n')
  await choose('strategy_options.checkpoint_remote')
  await terminal.sees('or `none`')
  await terminal.press('github:acme/private\n')
  await choose('add a redaction rule')
  await terminal.sees('What is the label of the rule?')
  await terminal.press('TICKET\n')
  await terminal.sees('for example T-[0-9]+')
  await terminal.press('T-[0-9]+\n')
  await choose('agents: Claude Code')
  await terminal.sees('Numbers [1]:')
  await terminal.press('2\n')
  await choose('agents: Gemini CLI')
  await terminal.sees('Numbers [2]:')
  await terminal.press('\n')
  await choose('done')
  expect(await terminal.exited()).toBe(0)
  expect(terminal.text()).toContain('git remote not found: nowhere')
  expect(local(repo)).toEqual({
    strategy_options: { checkpoint_remote: { provider: 'github', repo: 'acme/private' } },
    redaction: { pii: { custom_patterns: { TICKET: 'T-[0-9]+' } } },
  })
  expect(existsSync(join(repo.root, '.claude/settings.json'))).toBe(false)
  expect(repo.read('.gemini/settings.json')).toContain('entire hooks gemini')
})

test('--project changes the file of the project, and choosing the default removes the setting from it', async () => {
  await using repo = await recordedRepo()
  await using terminal = open(repo, ['--project'], { ACCESSIBLE: '1' })
  const text = await terminal.sees(/\d\. done[\s\S]*Number:/)
  expect(text).toContain('Changes go to .entire/settings.json.')
  await terminal.press(`${numberOf(text, 'strategy: ')}\n`)
  await terminal.sees(/3\. the default[\s\S]*Number:/)
  await terminal.press('3\n')
  await terminal.sees(/strategy = manual-commit \(default\)[\s\S]*Number:/)
  await terminal.press(keys.end)
  expect(await terminal.exited()).toBe(0)
  expect(JSON.parse(repo.read('.entire/settings.json'))).toEqual({ enabled: true })
})

test.each([
  ['Ctrl-C', keys.interrupt],
  ['Ctrl-D', keys.end],
] as const)('%s leaves the menu, and nothing is changed', async (_rule, key) => {
  await using repo = await recordedRepo()
  const before = repo.read('.entire/settings.json')
  await using terminal = open(repo, [])
  await terminal.sees(drawn)
  expect(terminal.text()).toContain(menu)
  await terminal.press(key)
  expect(await terminal.exited()).toBe(0)
  expect(repo.read('.entire/settings.json')).toBe(before)
  expect(existsSync(join(repo.root, '.entire/settings.local.json'))).toBe(false)
})

import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { claudeCode } from './index.ts'
import { claudeInstaller } from './install.ts'

let root: string
const site = () => ({ root, keepDir: join(root, 'kept') })
const read = () => JSON.parse(readFileSync(join(root, '.claude/settings.json'), 'utf8'))

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'entire-claude-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const entireHook = (verb: string) => ({
  type: 'command',
  command: `sh -c 'if ! command -v entire >/dev/null 2>&1; then exit 0; fi; exec entire hooks claude-code ${verb}'`,
})
const group = (verb: string, matcher = '') => ({ matcher, hooks: [entireHook(verb)] })

test('nine hooks are installed, and the rule against reading recordings', async () => {
  expect(await claudeInstaller.install(site(), { command: 'entire', force: false })).toBe(9)
  expect(read()).toEqual({
    hooks: {
      SessionStart: [group('session-start')],
      SessionEnd: [{ matcher: '', hooks: [{ ...entireHook('session-end'), timeout: 30 }] }],
      Stop: [group('stop')],
      UserPromptSubmit: [group('user-prompt-submit')],
      PreToolUse: [group('pre-task', 'Task')],
      PostToolUse: [group('post-task', 'Task'), group('post-todo', 'TodoWrite')],
      SubagentStop: [group('subagent-stop')],
      PreCompact: [group('pre-compact')],
    },
    permissions: { deny: ['Read(./.entire/metadata/**)'] },
  })
})

test('every installed verb is in the table of hooks', async () => {
  await claudeInstaller.install(site(), { command: 'entire', force: false })
  const verbs = [...JSON.stringify(read()).matchAll(/hooks claude-code ([a-z-]+)/g)].map(
    ([, verb]) => verb ?? '',
  )
  expect(verbs.toSorted()).toEqual(claudeCode.hookNames.toSorted())
})

test('the hook is appended to a group of the user with the same matcher', async () => {
  mkdirSync(join(root, '.claude'))
  const lint = { type: 'command', command: 'lint' }
  writeFileSync(
    join(root, '.claude/settings.json'),
    JSON.stringify({
      hooks: { Stop: [{ hooks: [lint] }], PreToolUse: [{ matcher: 'Bash', hooks: [lint] }] },
    }),
  )
  await claudeInstaller.install(site(), { command: 'entire', force: false })
  expect(read().hooks.Stop).toEqual([{ hooks: [lint, entireHook('stop')] }])
  expect(read().hooks.PreToolUse).toEqual([{ matcher: 'Bash', hooks: [lint] }, group('pre-task', 'Task')])
})

test('a deny rule that the user already had stays after an uninstall', async () => {
  mkdirSync(join(root, '.claude'))
  const path = join(root, '.claude/settings.json')
  writeFileSync(path, JSON.stringify({ permissions: { deny: ['Read(./.entire/metadata/**)'] } }))
  await claudeInstaller.install(site(), { command: 'entire', force: false })
  writeFileSync(path, JSON.stringify({ ...read(), model: 'opus' }))
  await claudeInstaller.uninstall(site())
  expect(read()).toEqual({ permissions: { deny: ['Read(./.entire/metadata/**)'] }, model: 'opus' })
})

test('hooks in any historic form are replaced by the current form', async () => {
  mkdirSync(join(root, '.claude'))
  const old = [
    'entire hooks claude-code stop',
    'entire hooks claudecode stop',
    'entire rewind claude-hook --stop',
    'go run /x/cmd/entire/main.go hooks claude-code stop',
  ]
  const hooks = old.map((command) => ({ type: 'command', command }))
  writeFileSync(
    join(root, '.claude/settings.json'),
    JSON.stringify({ hooks: { Stop: [{ matcher: '', hooks }] } }),
  )
  expect(await claudeInstaller.installed(site())).toBe(true)
  expect(await claudeInstaller.install(site(), { command: 'entire', force: false })).toBe(9)
  expect(read().hooks.Stop).toEqual([group('stop')])
})

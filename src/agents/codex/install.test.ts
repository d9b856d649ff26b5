import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { codex } from './index.ts'
import { codexInstaller } from './install.ts'

let root: string
const site = () => ({ root, keepDir: join(root, 'kept') })
const path = () => join(root, '.codex/hooks.json')
const read = () => JSON.parse(readFileSync(path(), 'utf8'))
const install = () => codexInstaller.install(site(), { command: 'entire', force: false })

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'entire-codex-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const entireHook = (verb: string, timeout = 30) => ({
  type: 'command',
  command: `sh -c 'if ! command -v entire >/dev/null 2>&1; then exit 0; fi; exec entire hooks codex ${verb}'`,
  timeout,
})

test('eight hooks are installed, with three seconds for those at the end of a session', async () => {
  expect(await install()).toBe(8)
  expect(read()).toEqual({
    hooks: {
      SessionStart: [{ hooks: [entireHook('session-start')] }],
      UserPromptSubmit: [{ hooks: [entireHook('user-prompt-submit')] }],
      Stop: [{ hooks: [entireHook('stop')] }],
      Interrupt: [{ hooks: [entireHook('interrupt', 3)] }],
      PreCompact: [{ hooks: [entireHook('pre-compact')] }],
      SubagentStart: [{ hooks: [entireHook('subagent-start')] }],
      SubagentStop: [{ hooks: [entireHook('subagent-stop')] }],
      SessionEnd: [{ hooks: [entireHook('session-end', 3)] }],
    },
  })
  expect(await codexInstaller.current(site(), { command: 'entire' })).toBe(true)
})

test('every installed verb is in the table of hooks', async () => {
  await install()
  for (const [, verb = ''] of JSON.stringify(read()).matchAll(/hooks codex ([a-z-]+)/g))
    expect(codex.hookNames).toContain(verb)
})

test('hooks of the reference program, with null for a matcher, are replaced; other hooks keep their places', async () => {
  mkdirSync(join(root, '.codex'))
  const theirs = { type: 'command', command: 'notify-me' }
  const group = (verb: string) => ({
    matcher: null,
    hooks: [{ type: 'command', command: `entire hooks codex ${verb}`, timeout: 30 }],
  })
  writeFileSync(
    path(),
    JSON.stringify({
      hooks: { Stop: [{ hooks: [theirs] }, group('stop')], PostToolUse: [group('post-tool-use')] },
    }),
  )
  expect(await codexInstaller.installed(site())).toBe(true)
  expect(await codexInstaller.current(site(), { command: 'entire' })).toBe(false)
  await install()
  // Codex identifies trusted hooks by their place in the list.
  expect(read().hooks.Stop).toEqual([{ hooks: [theirs, entireHook('stop')] }])
  expect(JSON.stringify(read())).not.toContain('post-tool-use')
})

test('hooks in the config.toml of Codex are not counted as installed, and not touched', async () => {
  mkdirSync(join(root, '.codex'))
  const config =
    '# mine\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "entire hooks codex stop"\n'
  writeFileSync(join(root, '.codex/config.toml'), config)
  expect(await codexInstaller.installed(site())).toBe(false)
  await install()
  await codexInstaller.uninstall(site())
  expect(readFileSync(join(root, '.codex/config.toml'), 'utf8')).toBe(config)
})

import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copilotCli } from './index.ts'
import { copilotInstaller } from './install.ts'

let root: string
const site = () => ({ root, keepDir: join(root, 'kept') })
const path = () => join(root, '.github/hooks/entire.json')
const read = () => JSON.parse(readFileSync(path(), 'utf8'))
const options = { command: 'entire', force: false }

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'entire-copilot-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const entireHooks = (verb: string) => [
  {
    type: 'command',
    bash: `sh -c 'if ! command -v entire >/dev/null 2>&1; then exit 0; fi; exec entire hooks copilot-cli ${verb}'`,
    comment: 'Entire CLI',
  },
]

test('seven hooks are installed in a file of their own, without tool hooks and without matchers', async () => {
  expect(await copilotInstaller.install(site(), options)).toBe(7)
  expect(read()).toEqual({
    version: 1,
    hooks: {
      sessionStart: entireHooks('session-start'),
      userPromptSubmitted: entireHooks('user-prompt-submitted'),
      agentStop: entireHooks('agent-stop'),
      subagentStart: entireHooks('subagent-start'),
      subagentStop: entireHooks('subagent-stop'),
      preCompact: entireHooks('pre-compact'),
      sessionEnd: entireHooks('session-end'),
    },
  })
  await copilotInstaller.uninstall(site())
  expect(existsSync(path())).toBe(false)
})

test('every installed verb is in the table of hooks', async () => {
  await copilotInstaller.install(site(), options)
  const verbs = [...JSON.stringify(read()).matchAll(/hooks copilot-cli ([a-z-]+)/g)].map(
    ([, verb]) => verb ?? '',
  )
  expect(copilotCli.hookNames).toEqual(expect.arrayContaining(verbs))
})

test('hooks of an earlier installation are replaced, and tool hooks are removed', async () => {
  mkdirSync(join(root, '.github/hooks'), { recursive: true })
  const events = { preToolUse: 'pre-tool-use', agentStop: 'agent-stop', errorOccurred: 'error-occurred' }
  const hooks = Object.fromEntries(
    Object.entries(events).map(([event, verb]) => [
      event,
      [{ type: 'command', bash: `entire hooks copilot-cli ${verb}`, comment: 'Entire CLI' }],
    ]),
  )
  writeFileSync(path(), JSON.stringify({ version: 1, hooks }))
  expect(await copilotInstaller.installed(site())).toBe(true)
  expect(await copilotInstaller.current(site(), options)).toBe(false)
  expect(await copilotInstaller.install(site(), options)).toBe(7)
  expect(await copilotInstaller.current(site(), options)).toBe(true)
  expect(JSON.stringify(read())).not.toContain('tool-use')
  expect(read().hooks.agentStop).toEqual(entireHooks('agent-stop'))
})

test('Copilot CLI is detected by its hooks or its settings, not by a .github directory', async () => {
  mkdirSync(join(root, '.github/workflows'), { recursive: true })
  expect(copilotCli.detect(root)).toBe(false)
  await copilotInstaller.install(site(), options)
  expect(copilotCli.detect(root)).toBe(true)
  await copilotInstaller.uninstall(site())
  expect(copilotCli.detect(root)).toBe(false)
  mkdirSync(join(root, '.github/copilot'))
  expect(copilotCli.detect(root)).toBe(true)
})

import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gemini } from './index.ts'
import { geminiInstaller } from './install.ts'

let root: string
const site = () => ({ root, keepDir: join(root, 'kept') })
const path = () => join(root, '.gemini/settings.json')
const read = () => JSON.parse(readFileSync(path(), 'utf8'))

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'entire-gemini-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const entireHook = (verb: string, name = verb) => ({
  name: `entire-${name}`,
  type: 'command',
  command: `sh -c 'if ! command -v entire >/dev/null 2>&1; then exit 0; fi; exec entire hooks gemini ${verb}'`,
})

test('twelve hooks are installed, and the switch that enables them', async () => {
  expect(await geminiInstaller.install(site(), { command: 'entire', force: false })).toBe(12)
  expect(read()).toEqual({
    hooks: {
      SessionStart: [{ hooks: [entireHook('session-start')] }],
      SessionEnd: [
        { matcher: 'exit', hooks: [entireHook('session-end', 'session-end-exit')] },
        { matcher: 'logout', hooks: [entireHook('session-end', 'session-end-logout')] },
      ],
      BeforeAgent: [{ hooks: [entireHook('before-agent')] }],
      AfterAgent: [{ hooks: [entireHook('after-agent')] }],
      BeforeModel: [{ hooks: [entireHook('before-model')] }],
      AfterModel: [{ hooks: [entireHook('after-model')] }],
      BeforeToolSelection: [{ hooks: [entireHook('before-tool-selection')] }],
      BeforeTool: [{ matcher: '*', hooks: [entireHook('before-tool')] }],
      AfterTool: [{ matcher: '*', hooks: [entireHook('after-tool')] }],
      PreCompress: [{ hooks: [entireHook('pre-compress')] }],
      Notification: [{ hooks: [entireHook('notification')] }],
    },
    hooksConfig: { enabled: true },
  })
})

test('every installed verb is in the table of hooks', async () => {
  await geminiInstaller.install(site(), { command: 'entire', force: false })
  const verbs = [...JSON.stringify(read()).matchAll(/hooks gemini ([a-z-]+)/g)].map(([, verb]) => verb ?? '')
  expect([...new Set(verbs)].toSorted()).toEqual(gemini.hookNames.toSorted())
})

test('a switch that the user had turned off is off again after an edit and an uninstall', async () => {
  mkdirSync(join(root, '.gemini'))
  writeFileSync(path(), JSON.stringify({ hooksConfig: { enabled: false } }))
  await geminiInstaller.install(site(), { command: 'entire', force: false })
  expect(read().hooksConfig).toEqual({ enabled: true })
  writeFileSync(path(), JSON.stringify({ ...read(), theme: 'dark' }))
  await geminiInstaller.uninstall(site())
  expect(read()).toEqual({ hooksConfig: { enabled: false }, theme: 'dark' })
})

import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cursor } from './index.ts'
import { cursorInstaller } from './install.ts'

let root: string
const site = () => ({ root, keepDir: join(root, 'kept') })
const path = () => join(root, '.cursor/hooks.json')
const read = () => JSON.parse(readFileSync(path(), 'utf8'))

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'entire-cursor-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const entireHook = (verb: string) => ({
  command: `sh -c 'if ! command -v entire >/dev/null 2>&1; then exit 0; fi; exec entire hooks cursor ${verb}'`,
})

test('seven hooks are installed without groups, in a file with a version', async () => {
  expect(await cursorInstaller.install(site(), { command: 'entire', force: false })).toBe(7)
  expect(read()).toEqual({
    version: 1,
    hooks: {
      sessionStart: [entireHook('session-start')],
      sessionEnd: [entireHook('session-end')],
      beforeSubmitPrompt: [entireHook('before-submit-prompt')],
      stop: [entireHook('stop')],
      preCompact: [entireHook('pre-compact')],
      subagentStart: [entireHook('subagent-start')],
      subagentStop: [entireHook('subagent-stop')],
    },
  })
  expect(await cursorInstaller.install(site(), { command: 'entire', force: false })).toBe(0)
  expect(await cursorInstaller.current(site(), { command: 'entire' })).toBe(true)
  expect(await cursorInstaller.current(site(), { command: '/opt/entire' })).toBe(false)
})

test('every installed verb is in the table of hooks', async () => {
  await cursorInstaller.install(site(), { command: 'entire', force: false })
  const verbs = [...JSON.stringify(read()).matchAll(/hooks cursor ([a-z-]+)/g)].map(([, verb]) => verb ?? '')
  expect(verbs.toSorted()).toEqual(cursor.hookNames.toSorted())
})

test('uninstalling restores the user’s hooks byte for byte', async () => {
  const text = '{"version": 1, "hooks": {"stop": [ {"command": "say done", "loop_limit": 3} ] } }'
  mkdirSync(join(root, '.cursor'))
  writeFileSync(path(), text)
  await cursorInstaller.install(site(), { command: 'entire', force: false })
  expect(read().hooks.stop).toEqual([{ command: 'say done', loop_limit: 3 }, entireHook('stop')])
  await cursorInstaller.uninstall(site())
  expect(readFileSync(path(), 'utf8')).toBe(text)
})

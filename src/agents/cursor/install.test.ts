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

const ours = (verb: string) => ({
  command: `sh -c 'if ! command -v entire >/dev/null 2>&1; then exit 0; fi; exec entire hooks cursor ${verb}'`,
})

test('seven hooks, without groups, in a file that says its version', async () => {
  expect(await cursorInstaller.install(site(), { command: 'entire', force: false })).toBe(7)
  expect(read()).toEqual({
    version: 1,
    hooks: {
      sessionStart: [ours('session-start')],
      sessionEnd: [ours('session-end')],
      beforeSubmitPrompt: [ours('before-submit-prompt')],
      stop: [ours('stop')],
      preCompact: [ours('pre-compact')],
      subagentStart: [ours('subagent-start')],
      subagentStop: [ours('subagent-stop')],
    },
  })
  expect(await cursorInstaller.install(site(), { command: 'entire', force: false })).toBe(0)
  expect(await cursorInstaller.current(site(), { command: 'entire' })).toBe(true)
  expect(await cursorInstaller.current(site(), { command: '/opt/entire' })).toBe(false)
})

test('every installed verb is one the agent understands', async () => {
  await cursorInstaller.install(site(), { command: 'entire', force: false })
  const verbs = [...JSON.stringify(read()).matchAll(/hooks cursor ([a-z-]+)/g)].map(([, verb]) => verb ?? '')
  expect(verbs.toSorted()).toEqual(cursor.hookNames.toSorted())
})

test('the user’s hooks come back byte for byte', async () => {
  const text = '{"version": 1, "hooks": {"stop": [ {"command": "say done", "loop_limit": 3} ] } }'
  mkdirSync(join(root, '.cursor'))
  writeFileSync(path(), text)
  await cursorInstaller.install(site(), { command: 'entire', force: false })
  expect(read().hooks.stop).toEqual([{ command: 'say done', loop_limit: 3 }, ours('stop')])
  await cursorInstaller.uninstall(site())
  expect(readFileSync(path(), 'utf8')).toBe(text)
})

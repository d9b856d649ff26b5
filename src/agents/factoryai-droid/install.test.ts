import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { factoryaiDroid } from './index.ts'
import { droidInstaller } from './install.ts'

let root: string
const site = () => ({ root, keepDir: join(root, 'kept') })
const read = () => JSON.parse(readFileSync(join(root, '.factory/settings.json'), 'utf8'))
const put = (path: string, text: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'entire-droid-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const entireHook = (verb: string) => ({
  type: 'command',
  command: `sh -c 'if ! command -v entire >/dev/null 2>&1; then exit 0; fi; exec entire hooks factoryai-droid ${verb}'`,
})

test('eight hooks are installed, two of them for the start of a session', async () => {
  expect(await droidInstaller.install(site(), { command: 'entire', force: false })).toBe(8)
  expect(read()).toEqual({
    hooks: {
      SessionStart: [{ hooks: [entireHook('session-start'), entireHook('user-prompt-submit')] }],
      SessionEnd: [{ hooks: [entireHook('session-end')] }],
      Stop: [{ hooks: [entireHook('stop')] }],
      UserPromptSubmit: [{ hooks: [entireHook('user-prompt-submit')] }],
      PreToolUse: [{ matcher: 'Task', hooks: [entireHook('pre-tool-use')] }],
      PostToolUse: [{ matcher: 'Task', hooks: [entireHook('post-tool-use')] }],
      PreCompact: [{ hooks: [entireHook('pre-compact')] }],
    },
  })
  expect(await droidInstaller.install(site(), { command: 'entire', force: false })).toBe(0)
  expect(await droidInstaller.current(site(), { command: 'entire' })).toBe(true)
  expect(await droidInstaller.current(site(), { command: '/opt/entire' })).toBe(false)
  for (const verb of JSON.stringify(read()).matchAll(/hooks factoryai-droid ([a-z-]+)/g))
    expect(factoryaiDroid.hookNames).toContain(verb[1] ?? '')
})

test('uninstalling restores the user’s settings byte for byte, comments included', async () => {
  const text =
    '{\n\t// mine\n\t"model": "opus",\n\t"hooks": { "Stop": [ { "hooks": [ { "type": "command", "command": "say done" } ] } ] },\n}\n'
  put('.factory/settings.json', text)
  await droidInstaller.install(site(), { command: 'entire', force: false })
  await droidInstaller.uninstall(site())
  expect(readFileSync(join(root, '.factory/settings.json'), 'utf8')).toBe(text)
})

test('a hooks.json without the hooks of Entire, or a disabling setting, is an obstacle', async () => {
  const env = { HOME: join(root, 'home') }
  const obstacle = () => factoryaiDroid.findObstacle(root, env)
  await droidInstaller.install(site(), { command: 'entire', force: false })
  expect(obstacle()).toBeUndefined()
  put('.factory/hooks.json', '{"Stop":[]}')
  expect(obstacle()).toMatchObject({
    message: expect.stringContaining('.factory/hooks.json'),
    fix: expect.stringContaining('Move'),
  })
  // With the hooks of Entire in it, the file is not an obstacle.
  put('.factory/hooks.json', JSON.stringify(read().hooks))
  expect(obstacle()).toBeUndefined()
  put('home/.factory/settings.json', '{ "hooksDisabled": true }')
  expect(obstacle()).toMatchObject({ message: expect.stringContaining('are disabled in') })
})

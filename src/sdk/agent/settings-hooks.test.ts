import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { settingsHooks } from './settings-hooks.ts'

let base: string
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'settings-hooks-'))
})
afterAll(() => rmSync(base, { recursive: true, force: true }))

const hooks = settingsHooks({
  agent: 'demo',
  path: '.demo/settings.json',
  hooks: { Start: 'start', Stop: 'stop' },
  extra: { timeout: 5 },
})
const once = { force: false, localDev: false }

function place(text?: string) {
  const repoRoot = mkdtempSync(join(base, 'repo-'))
  const path = join(repoRoot, '.demo', 'settings.json')
  if (text !== undefined) {
    mkdirSync(dirname(path))
    writeFileSync(path, text)
  }
  return { context: { repoRoot, home: base, env: {} }, path, read: () => readFileSync(path, 'utf8') }
}

const foreign = JSON.stringify(
  {
    theme: 'dark',
    hooks: { Stop: [{ matcher: 'x', hooks: [{ type: 'command', command: 'notify' }] }], Other: [] },
    last: 1,
  },
  null,
  4,
)

test('entries of other tools stay, and uninstalling restores the file', async () => {
  const { context, read } = place(foreign)
  expect(await hooks.install(once, context)).toBe(2)
  expect(await hooks.installed(context)).toBe(true)
  const settings = JSON.parse(read())
  expect(settings.hooks.Stop[0]).toEqual({ matcher: 'x', hooks: [{ type: 'command', command: 'notify' }] })
  expect(settings.hooks.Stop[1].hooks[0]).toMatchObject({ type: 'command', timeout: 5 })
  expect(settings.hooks.Stop[1].hooks[0].command).toContain('exec entire hooks demo stop')
  await hooks.uninstall(context)
  expect(read()).toBe(foreign)
})

test('installing again adds nothing and changes nothing; with force the hooks are counted again', async () => {
  const { context, read } = place(foreign)
  await hooks.install(once, context)
  const first = read()
  expect(await hooks.install(once, context)).toBe(0)
  expect(await hooks.install({ ...once, force: true }, context)).toBe(2)
  expect(read()).toBe(first)
})

test('uninstalling removes a file that installing created, and its directory', async () => {
  const { context, path } = place()
  expect(await hooks.installed(context)).toBe(false)
  await hooks.uninstall(context)
  await hooks.install(once, context)
  await hooks.uninstall(context)
  expect(existsSync(dirname(path))).toBe(false)
})

test('an entry of another version is replaced, one of another agent stays', async () => {
  const old = [
    { command: 'entire hooks demo stop' },
    { command: '/opt/entire hooks demo stop' },
    { command: 'entire hooks demonstration stop' },
  ]
  const { context, read } = place(JSON.stringify({ hooks: { Stop: [{ hooks: old }] } }))
  await hooks.install(once, context)
  expect(read()).not.toContain('/opt/entire hooks demo stop')
  expect(read()).toContain('entire hooks demonstration stop')
  await hooks.uninstall(context)
  expect(JSON.parse(read())).toEqual({
    hooks: { Stop: [{ hooks: [{ command: 'entire hooks demonstration stop' }] }] },
  })
})

test.each(['// a comment\n{}', '[]', '{"hooks":[]}x', '{"hooks":{"Stop":{}}}'])(
  '%j is not touched',
  (text) => {
    const { context, read } = place(text)
    expect(() => hooks.install(once, context)).toThrow('has not been changed')
    expect(read()).toBe(text)
  },
)

test('the mode of the file stays the same, and a link stays a link', async () => {
  const { context, path } = place(foreign)
  chmodSync(path, 0o600)
  await hooks.install(once, context)
  expect(statSync(path).mode & 0o777).toBe(0o600)

  const linked = place()
  mkdirSync(dirname(linked.path))
  symlinkSync(path, linked.path)
  await hooks.uninstall(linked.context)
  expect(readFileSync(path, 'utf8')).toBe(foreign)
})

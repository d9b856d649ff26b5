import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { opencode } from './index.ts'

const base = mkdtempSync(join(tmpdir(), 'entire-opencode-'))
afterAll(() => rmSync(base, { recursive: true, force: true }))

function site(name: string) {
  const root = join(base, name)
  mkdirSync(root)
  return { root, keepDir: join(root, 'kept') }
}
const plugin = (root: string) => join(root, '.opencode/plugins/entire.ts')
const entire = { command: 'entire', force: false }

test('the plugin is a program that OpenCode can load, and calls the program it was installed by', async () => {
  const here = site('loads')
  expect(await opencode.installer.install(here, { command: '/opt/it\'s "here"/$entire', force: false })).toBe(
    1,
  )
  const module = await import(plugin(here.root))
  expect(Object.keys(module)).toEqual(['EntirePlugin'])
  expect(Object.keys(await module.EntirePlugin({ client: {}, directory: here.root })).toSorted()).toEqual([
    'chat.message',
    'dispose',
    'event',
    'shell.env',
    'tool.execute.after',
    'tool.execute.before',
  ])
  expect(readFileSync(plugin(here.root), 'utf8')).toContain(
    'const program = "/opt/it\'s \\"here\\"/$entire"\n',
  )
})

test('the plugin is installed once, is current until the program changes, and is removed without a trace', async () => {
  const here = site('comes-and-goes')
  expect(opencode.detect(here.root)).toBe(false)
  expect(await opencode.installer.installed(here)).toBe(false)
  expect([
    await opencode.installer.install(here, entire),
    await opencode.installer.install(here, entire),
  ]).toEqual([1, 0])
  expect(opencode.detect(here.root)).toBe(true)
  expect(await opencode.installer.installed(here)).toBe(true)
  expect(await opencode.installer.current(here, entire)).toBe(true)
  expect(await opencode.installer.current(here, { command: '/opt/entire' })).toBe(false)
  await opencode.installer.uninstall(here)
  expect(existsSync(join(here.root, '.opencode'))).toBe(false)
})

test('other files in the directory stay', async () => {
  const here = site('others')
  mkdirSync(join(here.root, '.opencode/plugins'), { recursive: true })
  writeFileSync(join(here.root, '.opencode/plugins/mine.ts'), 'mine')
  await opencode.installer.install(here, entire)
  await opencode.installer.uninstall(here)
  expect(existsSync(plugin(here.root))).toBe(false)
  expect(readFileSync(join(here.root, '.opencode/plugins/mine.ts'), 'utf8')).toBe('mine')
})

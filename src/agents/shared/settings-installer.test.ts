import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import type { HookInstaller, HookSite } from '../../model/agent.ts'
import { agents } from '../all.ts'

let site: HookSite

beforeEach(() => {
  const root = mkdtempSync(join(tmpdir(), 'entire-installer-'))
  site = { root, keepDir: join(root, 'kept') }
})

afterEach(() => rmSync(site.root, { recursive: true, force: true }))

function put(installer: HookInstaller, text: string): string {
  const path = join(site.root, installer.configPath)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

const read = (path: string) => readFileSync(path, 'utf8')
const value = (text: string) => JSON.parse(text)

const isSettings = (installer: HookInstaller | undefined) => installer?.configPath.endsWith('.json') ?? false

describe.each(
  agents
    .filter((agent) => isSettings(agent.installer))
    .map((agent) => [agent.name, agent.installer as HookInstaller] as const),
)('%s', (_name, installer) => {
  const options = { command: 'entire', force: false }

  test('hooks that another program installed are replaced and removed, without a trace of them', async () => {
    const path = join(site.root, installer.configPath)
    await installer.install(site, options)
    const { hooks } = value(read(path).replace(/sh -c 'if ! .*? exec (entire hooks [\w -]+)'/g, '$1'))
    await installer.uninstall(site)
    put(installer, JSON.stringify({ hooks, a: 1 }, null, 2))
    expect(await installer.installed(site)).toBe(true)
    expect(await installer.current(site, options)).toBe(false)
    await installer.install(site, options)
    expect(read(path)).not.toContain(`"entire hooks`)
    await installer.uninstall(site)
    expect(value(read(path))).toEqual({ a: 1 })
  })

  test('uninstalling removes a file and a directory that did not exist before', async () => {
    expect(await installer.installed(site)).toBe(false)
    await installer.install(site, options)
    const path = join(site.root, installer.configPath)
    expect(read(path)).toEndWith('}\n')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    await installer.uninstall(site)
    expect(existsSync(dirname(path))).toBe(false)
  })

  test('a directory with other files in it stays', async () => {
    await installer.install(site, options)
    const dir = dirname(join(site.root, installer.configPath))
    writeFileSync(join(dir, 'notes'), '')
    await installer.uninstall(site)
    expect(existsSync(join(site.root, installer.configPath))).toBe(false)
    expect(existsSync(join(dir, 'notes'))).toBe(true)
  })

  test.each(['{ "a": ', '[]', '"text"', '{ "hooks": [] }', '{"hooks": {"AnEvent": {}}}', '{ "a": 1 } x'])(
    'a file that cannot be parsed is refused and left alone: %s',
    async (template) => {
      await installer.install(site, options)
      const [event = ''] = Object.keys(value(read(join(site.root, installer.configPath))).hooks)
      await installer.uninstall(site)
      rmSync(site.keepDir, { recursive: true, force: true })
      const text = template.replace('AnEvent', event)
      const path = put(installer, text)
      expect(installer.install(site, options)).rejects.toMatchObject({
        code: 'bad-settings',
        hint: expect.stringContaining(installer.configPath),
      })
      expect(await installer.current(site, options)).toBe(false)
      expect(read(path)).toBe(text)
      expect(existsSync(site.keepDir)).toBe(false)
    },
  )

  test('bytes that are not UTF-8 are refused and left alone', async () => {
    const path = put(installer, '')
    const bytes = Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])
    writeFileSync(path, bytes)
    expect(installer.install(site, options)).rejects.toMatchObject({ code: 'bad-settings' })
    expect(readFileSync(path).equals(bytes)).toBe(true)
  })

  test('the mode of the file is kept', async () => {
    const path = put(installer, '{}')
    chmodSync(path, 0o664)
    await installer.install(site, options)
    expect(statSync(path).mode & 0o777).toBe(0o664)
    await installer.uninstall(site)
    expect(statSync(path).mode & 0o777).toBe(0o664)
    expect(read(path)).toBe('{}')
  })

  test.each([true, false])('a file that is a link stays a link (target there: %p)', async (there) => {
    const path = join(site.root, installer.configPath)
    const target = join(site.root, 'dotfiles.json')
    mkdirSync(dirname(path), { recursive: true })
    if (there) writeFileSync(target, '{"a":1}')
    symlinkSync(relative(dirname(path), target), path)
    await installer.install(site, options)
    expect(lstatSync(path).isSymbolicLink()).toBe(true)
    expect(read(target)).toContain('hooks')
    await installer.uninstall(site)
    expect(lstatSync(path).isSymbolicLink()).toBe(true)
    expect(there ? read(target) : existsSync(target)).toBe(there ? '{"a":1}' : false)
  })

  test('an empty file counts as empty settings, and is empty again after uninstalling', async () => {
    const path = put(installer, ' \n')
    await installer.install(site, options)
    expect(value(read(path)).hooks).toBeDefined()
    await installer.uninstall(site)
    expect(read(path)).toBe(' \n')
  })
})

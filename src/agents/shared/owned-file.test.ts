import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { HookSite } from '../../model/agent.ts'
import { ownedFileInstaller } from './owned-file.ts'

let site: HookSite
let path: string

const made = (version: number) =>
  ownedFileInstaller({
    configPath: '.some/plugins/entire.ts',
    content: (command) =>
      `// made by entire\nexport const command = ${JSON.stringify(command)} // ${version}\n`,
    marker: 'made by entire',
    comment: '//',
  })
const [older, newer] = [made(1), made(2)]
const options = { command: 'entire', force: false }

beforeEach(() => {
  const root = mkdtempSync(join(tmpdir(), 'entire-owned-'))
  site = { root, keepDir: join(root, 'kept') }
  path = join(root, '.some/plugins/entire.ts')
})

afterEach(() => rmSync(site.root, { recursive: true, force: true }))

test('uninstalling removes the file and the directories that were created for it', async () => {
  expect(await newer.install(site, options)).toBe(1)
  expect([await newer.installed(site), await newer.current(site, options)]).toEqual([true, true])
  expect(await newer.install(site, options)).toBe(0)
  await newer.uninstall(site)
  expect(readdirSync(site.root)).toEqual([])
  await newer.uninstall(site)
})

test('a directory with other files in it stays', async () => {
  mkdirSync(join(site.root, '.some'))
  writeFileSync(join(site.root, '.some/theirs.json'), '{}')
  await newer.install(site, options)
  await newer.uninstall(site)
  expect(readdirSync(join(site.root, '.some'))).toEqual(['theirs.json'])
})

test('a file of an older version or with another command is replaced', async () => {
  await older.install(site, options)
  expect(await newer.current(site, options)).toBe(false)
  expect(await newer.install(site, options)).toBe(1)
  expect(await newer.install(site, { command: '/opt/entire', force: false })).toBe(1)
  expect(readdirSync(dirname(path))).toEqual(['entire.ts'])
  expect(readFileSync(path, 'utf8')).toContain('"/opt/entire" // 2')
})

test('an edited file is renamed to a name that no agent loads', async () => {
  await older.install(site, options)
  const edited = `${readFileSync(path, 'utf8')}// mine\n`
  writeFileSync(path, edited)
  await newer.install(site, options)
  expect(readFileSync(`${path}.edited`, 'utf8')).toBe(edited)
  writeFileSync(path, `// made by entire\n`)
  await newer.uninstall(site)
  expect([existsSync(path), readdirSync(dirname(path)).sort()]).toEqual([
    false,
    ['entire.ts.edited', 'entire.ts.edited-2'],
  ])
})

test('a file of the same name that Entire did not write is never touched', async () => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, 'theirs\n')
  expect(newer.install(site, { ...options, force: true })).rejects.toThrow('was not written by Entire')
  await newer.uninstall(site)
  expect([readFileSync(path, 'utf8'), await newer.installed(site)]).toEqual(['theirs\n', false])
})

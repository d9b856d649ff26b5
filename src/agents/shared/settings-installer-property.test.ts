import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { parse } from 'jsonc-parser'
import { type Settings, settingsFile, type Value } from '../../../test/fixtures/agents/settings-files.ts'
import { rotatingRuns } from '../../../test/support/rotation.ts'
import { counted } from '../../../test/support/trials.ts'
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
const value = (text: string) =>
  parse(text.replace(/^\uFEFF/, ''), [], { allowTrailingComma: true }) as Settings
const comments = (text: string) => (text.match(/keep, "?this|on its own line, too/g) ?? []).length

function check(property: (text: string, original: Settings) => Promise<void>) {
  return counted('operations', (trials) =>
    fc.assert(
      fc.asyncProperty(settingsFile, async (made) => {
        trials.begin()
        rmSync(site.keepDir, { recursive: true, force: true })
        await property(made.text, made.value)
      }),
      rotatingRuns(40),
    ),
  )
}

describe.each(
  agents
    .filter((agent) => agent.installer?.configPath.endsWith('.json'))
    .map((agent) => [agent.name, agent.installer as HookInstaller] as const),
)('%s', (_name, installer) => {
  const options = { command: 'entire', force: false }

  test('uninstalling restores every byte', () =>
    check(async (text) => {
      const path = put(installer, text)
      expect(await installer.install(site, options)).toBeGreaterThan(0)
      expect(await installer.installed(site)).toBe(true)
      expect(await installer.current(site, options)).toBe(true)
      await installer.uninstall(site)
      expect(read(path)).toBe(text)
      expect(await installer.installed(site)).toBe(false)
    }))

  test('installing twice is the same as installing once', () =>
    check(async (text) => {
      const path = put(installer, text)
      await installer.install(site, options)
      const once = read(path)
      expect(await installer.install(site, options)).toBe(0)
      expect(read(path)).toBe(once)
      await installer.uninstall(site)
      expect(read(path)).toBe(text)
    }))

  test('uninstalling restores every byte after hooks were replaced by force or with another command', () =>
    check(async (text) => {
      const path = put(installer, text)
      const added = await installer.install(site, options)
      expect(await installer.install(site, { ...options, force: true })).toBe(added)
      expect(await installer.current(site, { command: '/opt/entire' })).toBe(false)
      expect(await installer.install(site, { command: '/opt/entire', force: false })).toBe(added)
      expect(read(path)).not.toContain('exec entire')
      await installer.uninstall(site)
      expect(read(path)).toBe(text)
    }))

  test('installing keeps every comment, every foreign entry and their order', () =>
    check(async (text, original) => {
      const path = put(installer, text)
      await installer.install(site, options)
      const installed = read(path)
      expect(comments(installed)).toBe(comments(text))
      if (text.includes('\r\n')) expect(installed.replaceAll('\r\n', '')).not.toContain('\n')
      const after = value(installed)
      expect(Object.keys(after).filter((key) => key in original)).toEqual(Object.keys(original))
      for (const [event, groups] of Object.entries((original.hooks ?? {}) as Settings))
        for (const [at, foreign] of (groups as Settings[]).entries())
          expect(after).toHaveProperty(
            ['hooks', event, `${at}`, 'hooks'],
            expect.arrayContaining(foreign.hooks as Value[]),
          )
    }))

  test('after an edit by the user, uninstalling removes only the entries of Entire', () =>
    check(async (text, original) => {
      const path = put(installer, text)
      await installer.install(site, options)
      const edited = read(path).replace(
        /\}(\s*)$/,
        (end) =>
          `${Object.keys(value(read(path))).length > 0 && !/,\s*$/.test(bare(read(path))) ? ',' : ''} "mine": [1] ${end}`,
      )
      writeFileSync(path, edited)
      await installer.uninstall(site)
      expect(value(read(path))).toEqual({ ...original, mine: [1] })
      expect(comments(read(path))).toBe(comments(text))
      expect(existsSync(site.keepDir) ? [...new Bun.Glob('*').scanSync(site.keepDir)] : []).toEqual([])
    }))
})

/** The text of an object up to its last brace, without comments. */
function bare(text: string): string {
  return text
    .replace(/"(?:\\.|[^"\\])*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (token) =>
      token.startsWith('/') ? '' : token,
    )
    .trimEnd()
    .slice(0, -1)
}

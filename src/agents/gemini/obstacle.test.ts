import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gemini } from './index.ts'

const base = mkdtempSync(join(tmpdir(), 'entire-gemini-trust-'))
afterAll(() => rmSync(base, { recursive: true, force: true }))
let homes = 0

function home(files: Record<string, unknown>): string {
  homes += 1
  const dir = join(base, String(homes))
  mkdirSync(join(dir, '.gemini'), { recursive: true })
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(dir, '.gemini', name), typeof content === 'string' ? content : JSON.stringify(content))
  return dir
}

const find = (HOME: string, env = {}) => gemini.findObstacle('/w/app', { HOME, ...env })
const trusted = (rules: object) => home({ 'trustedFolders.json': rules })

test('an unknown directory is an obstacle', async () => {
  expect(await find(home({}))).toEqual({
    message:
      'Gemini CLI does not trust this directory yet, and runs no hooks there: its sessions are not recorded.',
    fix: 'Start `gemini` in /w/app, open `/permissions`, and trust the directory. (--skip-trust runs no hooks.)',
  })
})

test.each<[string, object]>([
  ['the directory', { '/w/app': 'TRUST_FOLDER' }],
  ['a directory above it', { '/w': 'TRUST_FOLDER', '/x': 'DO_NOT_TRUST' }],
  ['the parent of another directory', { '/w/other': 'TRUST_PARENT' }],
  ['the directory, but not its parent', { '/w': 'DO_NOT_TRUST', '/w/app': 'TRUST_FOLDER' }],
])('a trusted directory is not an obstacle: %s', async (_name, rules) => {
  expect(await find(trusted(rules))).toBeUndefined()
})

test.each<[string, object]>([
  ['the directory', { '/w/app': 'DO_NOT_TRUST' }],
  ['the directory, but not its parent', { '/w': 'TRUST_FOLDER', '/w/app': 'DO_NOT_TRUST' }],
])('a distrusted directory is an obstacle: %s', async (_name, rules) => {
  expect((await find(trusted(rules)))?.message).toContain('is set not to trust')
})

test('trust in a directory whose name only begins alike does not count', async () => {
  expect(await find(trusted({ '/w/ap': 'TRUST_FOLDER' }))).toBeDefined()
})

test('the check for trust can be disabled, and the environment can grant trust', async () => {
  expect(
    await find(home({ 'settings.json': '{ // mine\n "security": {"folderTrust": {"enabled": false}} }' })),
  ).toBeUndefined()
  expect(await find(home({}), { GEMINI_CLI_TRUST_WORKSPACE: 'true' })).toBeUndefined()
  const dir = trusted({ '/w/app': 'TRUST_FOLDER' })
  expect(await find('/nowhere', { GEMINI_CLI_HOME: dir })).toBeUndefined()
  expect(
    await find(home({}), { GEMINI_CLI_TRUSTED_FOLDERS_PATH: join(dir, '.gemini/trustedFolders.json') }),
  ).toBeUndefined()
})

test('where Gemini CLI was never used, there is no obstacle', async () => {
  expect(await find(join(base, 'no-home'))).toBeUndefined()
})

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

test('a directory that Gemini CLI was never told about', async () => {
  expect(await find(home({}))).toEqual({
    message:
      'Gemini CLI does not trust this directory yet, and runs no hooks there: its sessions are not recorded.',
    fix: 'Start `gemini` in /w/app, open `/permissions`, and trust the directory. (--skip-trust runs no hooks.)',
  })
})

test.each<[string, object]>([
  ['the directory', { '/w/app': 'TRUST_FOLDER' }],
  ['one above it', { '/w': 'TRUST_FOLDER', '/x': 'DO_NOT_TRUST' }],
  ['all beside another one', { '/w/other': 'TRUST_PARENT' }],
  ['it, though not what is above', { '/w': 'DO_NOT_TRUST', '/w/app': 'TRUST_FOLDER' }],
])('trusted: %s', async (_name, rules) => {
  expect(await find(trusted(rules))).toBeUndefined()
})

test.each<[string, object]>([
  ['it', { '/w/app': 'DO_NOT_TRUST' }],
  ['it, though what is above is trusted', { '/w': 'TRUST_FOLDER', '/w/app': 'DO_NOT_TRUST' }],
])('distrusted: %s', async (_name, rules) => {
  expect((await find(trusted(rules)))?.message).toContain('is set not to trust')
})

test('a directory whose name only begins alike is another one', async () => {
  expect(await find(trusted({ '/w/ap': 'TRUST_FOLDER' }))).toBeDefined()
})

test('trust may be switched off, or said in the environment', async () => {
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

test('where Gemini CLI was never used, nothing stands in the way', async () => {
  expect(await find(join(base, 'nobody'))).toBeUndefined()
})

import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { copilotCli } from './index.ts'

let base: string
let root: string
const env = () => ({ HOME: join(base, 'home') })
const put = (path: string, text: string) => {
  mkdirSync(dirname(join(base, path)), { recursive: true })
  writeFileSync(join(base, path), text)
}

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'entire-copilot-trust-'))
  root = join(base, 'work/app')
  put(
    'home/.copilot/config.json',
    '// This file is managed automatically.\n{ "firstLaunchAt": "2026-11-16T03:19:25.350Z", }\n',
  )
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const untrusted = {
  message: expect.stringContaining('only in folders that you trust'),
  fix: expect.stringContaining('--trust-folder'),
}

test('an untrusted folder is an obstacle', async () => {
  expect(await copilotCli.findObstacle(root, env())).toEqual(untrusted)
})

test.each([
  ['trustedFolders', 'work/app', true],
  ['trusted_folders', 'work/app', true],
  ['trustedFolders', 'work/app/', true],
  ['trustedFolders', 'work', true],
  ['trustedFolders', 'work/ap', false],
  ['trustedFolders', 'work/app/sub', false],
  ['trustedFolders', '', true],
])('%s with %s', async (key, folder, isTrusted) => {
  put('home/.copilot/config.json', `// managed\n${JSON.stringify({ [key]: [join(base, folder)] })}`)
  expect(await copilotCli.findObstacle(root, env())).toEqual(isTrusted ? undefined : untrusted)
})

test('the environment can grant trust, and can name the directory of the config', async () => {
  expect(await copilotCli.findObstacle(root, { ...env(), COPILOT_ALLOW_ALL: 'true' })).toBeUndefined()
  expect(await copilotCli.findObstacle(root, { ...env(), COPILOT_ALLOW_ALL: '1' })).toEqual(untrusted)
  expect(
    await copilotCli.findObstacle(root, { ...env(), GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS: 'true' }),
  ).toBeUndefined()
  put('elsewhere/config.json', JSON.stringify({ trustedFolders: [root] }))
  expect(
    await copilotCli.findObstacle(root, { ...env(), COPILOT_HOME: join(base, 'elsewhere') }),
  ).toBeUndefined()
})

test('where Copilot CLI was never started, there is no obstacle', async () => {
  expect(await copilotCli.findObstacle(root, { HOME: join(base, 'other') })).toBeUndefined()
})

test.each([
  '.github/hooks/entire.json',
  '.github/copilot/settings.json',
  '.github/copilot/settings.local.json',
])('hooks disabled in %s are an obstacle', async (file) => {
  put(join('work/app', file), '{ "disableAllHooks": true }')
  const trusting = { ...env(), COPILOT_ALLOW_ALL: 'true' }
  expect(await copilotCli.findObstacle(root, trusting)).toEqual({
    message: expect.stringContaining(file),
    fix: expect.stringContaining(file),
  })
  put(join('work/app', file), 'not JSON')
  expect(await copilotCli.findObstacle(root, trusting)).toBeUndefined()
})

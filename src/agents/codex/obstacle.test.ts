import { afterAll, beforeEach, expect, test } from 'bun:test'
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { given } from '../../std/given.ts'
import { asArray, asObject, type JsonObject } from '../../std/json.ts'
import { codex } from './index.ts'
import { codexInstaller } from './install.ts'
import { eventKey, hookHash } from './obstacle.ts'

const fixtures = join(import.meta.dir, '../../../test/fixtures/agents/codex/config')
const json = (name: string) => JSON.parse(readFileSync(join(fixtures, name), 'utf8'))

/** Every hook of a file, by the key that Codex has for it. */
function hashes(config: JsonObject, path: string): Record<string, string> {
  const events = Object.entries(asObject(config.hooks) ?? {})
  return Object.fromEntries(
    events.flatMap(([event, groups]) =>
      asArray(groups).flatMap((group, place) =>
        asArray(asObject(group)?.hooks).map((hook, index) => [
          `${path}:${eventKey(event)}:${place}:${index}`,
          hookHash(event, asObject(group) ?? {}, asObject(hook) ?? {}),
        ]),
      ),
    ),
  )
}

test.each([
  ['hooks-all.json', 'app-server-hooks-list.json', '/home/dev/app'],
  ['hooks-match.json', 'app-server-hooks-list-matchers.json', '/home/dev/app-match'],
])('hooks have the names that Codex gives them: %s', (config, listed, root) => {
  const entries: { key: string }[] = json(listed).result.data[0].hooks
  expect(Object.keys(hashes(json(config), `${root}/.codex/hooks.json`)).sort()).toEqual(
    entries.map(({ key }) => key).sort(),
  )
})

test('the hash of a hook is the one that Codex computed itself', () => {
  // Paths in the other commands were changed after they had been captured, so only this one can be compared.
  const key = '/home/dev/app-match/.codex/hooks.json:stop:0:0'
  const listed = json('app-server-hooks-list-matchers.json').result.data[0].hooks.find(
    (entry: { key: string }) => entry.key === key,
  )
  expect(listed.command).toBe('exit 0')
  expect(hashes(json('hooks-match.json'), '/home/dev/app-match/.codex/hooks.json')[key]).toBe(
    listed.currentHash,
  )
})

test.each([
  [
    'PreToolUse',
    { matcher: 'Edit|Write' },
    { command: 'x' },
    '"pre_tool_use","hooks":[{"async":false,"command":"x","timeout":600',
    ',"matcher":"Edit|Write"',
  ],
  [
    'Stop',
    {},
    { command: 'say "hi"', async: true, timeout: 3 },
    '"stop","hooks":[{"async":true,"command":"say \\"hi\\"","timeout":3',
    '',
  ],
  ['SessionEnd', {}, { command: 'x' }, '"session_end","hooks":[{"async":false,"command":"x","timeout":1', ''],
])('the hash is computed from the hook as JSON with sorted keys: %s', (event, group, hook, middle, end) => {
  const written = `{"event_name":${middle},"type":"command"}]${end}}`
  expect(hookHash(event, group, hook)).toBe(
    `sha256:${new Bun.CryptoHasher('sha256').update(written).digest('hex')}`,
  )
})

test('the hash has the matcher only for events that are matched, and the timeout within its limits', () => {
  const hook = (timeout?: number) => ({
    type: 'command',
    command: 'x',
    ...given({ timeout }),
  })
  expect(hookHash('Stop', { matcher: '' }, hook())).toBe(hookHash('Stop', {}, hook(600)))
  expect(hookHash('SessionStart', { matcher: null }, hook())).toBe(hookHash('SessionStart', {}, hook()))
  expect(hookHash('SessionStart', { matcher: '' }, hook())).not.toBe(hookHash('SessionStart', {}, hook()))
  expect(hookHash('SessionEnd', {}, hook(30))).toBe(hookHash('SessionEnd', {}, hook(3)))
  expect(hookHash('Interrupt', {}, hook())).toBe(hookHash('Interrupt', {}, hook(1)))
})

const base = mkdtempSync(join(tmpdir(), 'entire-codex-trust-'))
afterAll(() => rmSync(base, { recursive: true, force: true }))
let count = 0
let root: string
let home: string
const find = (dir = root) => codex.findObstacle(dir, { HOME: home })
const configure = (text: string) => appendFileSync(join(home, '.codex/config.toml'), text)
const trustProject = (level = 'trusted') => configure(`\n[projects."${root}"]\ntrust_level = "${level}"\n`)
const install = (dir: string) =>
  codexInstaller.install({ root: dir, keepDir: join(dir, '.git/kept') }, { command: 'entire', force: false })

function trustHooks(
  change: (key: string, hash: string) => string = (_key, hash) => `trusted_hash = "${hash}"`,
): void {
  const path = join(root, '.codex/hooks.json')
  for (const [key, hash] of Object.entries(hashes(JSON.parse(readFileSync(path, 'utf8')), path)))
    configure(`\n[hooks.state."${key}"]\n${change(key, hash)}\n`)
}

beforeEach(async () => {
  count += 1
  root = join(base, String(count), 'my app.é')
  home = join(base, String(count), 'home')
  mkdirSync(join(root, '.git'), { recursive: true })
  mkdirSync(join(home, '.codex'), { recursive: true })
  await install(root)
})

test('where Codex was never used, there is no obstacle', async () => {
  rmSync(join(home, '.codex'), { recursive: true })
  expect(await find()).toBeUndefined()
})

test('a project that Codex does not know is an obstacle', async () => {
  expect(await find()).toEqual({
    message: `Codex does not trust ${root} yet, and runs no hooks there: its sessions are not recorded.`,
    fix: `Start \`codex\` in ${root} and trust it; then open \`/hooks\`, and trust the hooks of .codex/hooks.json.`,
  })
})

test('a project that Codex is set not to trust is an obstacle', async () => {
  trustProject('untrusted')
  expect((await find())?.message).toContain('is set not to trust')
  expect((await find())?.fix).toContain(join(home, '.codex/config.toml'))
})

test('untrusted hooks are an obstacle', async () => {
  trustProject()
  expect(await find()).toEqual({
    message:
      'Codex skips 8 of the 8 hooks of Entire until you trust them in their current form: SessionStart, UserPromptSubmit, Stop, Interrupt, PreCompact, SubagentStart, SubagentStop, SessionEnd.',
    fix: `Start \`codex\` in ${root}, open \`/hooks\`, and trust the hooks of .codex/hooks.json.`,
  })
})

test('with the project and its hooks trusted, there is no obstacle', async () => {
  trustProject()
  trustHooks()
  expect(await find()).toBeUndefined()
})

test('a hook that changed after it was trusted is an obstacle', async () => {
  trustProject()
  trustHooks((key, hash) => `trusted_hash = "${key.includes(':stop:') ? 'sha256:0' : hash}"`)
  expect((await find())?.message).toBe(
    'Codex skips 1 of the 8 hooks of Entire until you trust them in their current form: Stop.',
  )
})

test('a disabled hook is an obstacle', async () => {
  trustProject()
  trustHooks(
    (key, hash) => `trusted_hash = "${hash}"${key.includes(':interrupt:') ? '\nenabled = false' : ''}`,
  )
  expect((await find())?.message).toEndWith(': Interrupt.')
})

test('other hooks in the same file are ignored', async () => {
  const path = join(root, '.codex/hooks.json')
  const config = JSON.parse(readFileSync(path, 'utf8'))
  config.hooks.Stop.push({ hooks: [{ type: 'command', command: 'notify-me' }] })
  trustProject()
  trustHooks()
  writeFileSync(path, JSON.stringify(config))
  expect(await find()).toBeUndefined()
})

test('hooks disabled in config.toml are an obstacle', async () => {
  configure('[features]\nhooks = false\n')
  expect((await find())?.message).toContain('disabled in')
})

test('a hooks file that Codex cannot read is an obstacle', async () => {
  trustProject()
  writeFileSync(
    join(root, '.codex/hooks.json'),
    `// ours\n${readFileSync(join(root, '.codex/hooks.json'), 'utf8')}`,
  )
  expect((await find())?.message).toContain('not plain JSON')
})

test('a config.toml that cannot be read is not an obstacle', async () => {
  configure('[projects\n')
  expect(await find()).toBeUndefined()
})

test('a linked work tree takes hooks and trust from the main one', async () => {
  const tree = join(base, String(count), 'tree')
  mkdirSync(tree)
  writeFileSync(join(tree, '.git'), `gitdir: ${join(root, '.git/worktrees/tree')}\n`)
  await codexInstaller.install(
    { root: tree, keepDir: join(tree, 'kept') },
    { command: 'entire', force: false },
  )
  trustProject()
  trustHooks()
  expect(await find(tree)).toBeUndefined()
  rmSync(join(root, '.codex'), { recursive: true })
  expect(await find(tree)).toEqual({
    message: `Codex takes the hooks of this work tree from ${root}, which has none: its sessions are not recorded here.`,
    fix: `Run \`entire enable --agent codex\` in ${root}.`,
  })
})

test('CODEX_HOME names the directory of the config', async () => {
  expect(await codex.findObstacle(root, { HOME: '/nowhere', CODEX_HOME: join(home, '.codex') })).toBeDefined()
})

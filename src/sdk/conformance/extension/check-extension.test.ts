import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defects } from '../../../../test/extensions/extension-defects.ts'
import { type ExtensionDirs, extensionDirs } from '../../../../test/extensions/live.ts'
import { soundExtension } from '../../../../test/extensions/sound-extension.ts'
import type { RuleResult } from '../rule.ts'
import { checkExtension, type ExtensionCheckOptions, extensionRules } from './check-extension.ts'
import { readExtensionFixtures } from './sandbox.ts'

let dirs: ExtensionDirs
let count = 0
beforeAll(() => {
  dirs = extensionDirs()
})
afterAll(() => dirs[Symbol.dispose]())

const limits = { startMs: 4000, answerMs: 2000, endMs: 1500, settleMs: 150 }
const broken = (results: RuleResult[]) =>
  results.filter(({ failure }) => failure !== undefined).map(({ id }) => id)

function write(code: string, manifest: Record<string, string> = {}): string {
  count += 1
  return dirs.add(`sound-${count}`, { 'index.js': soundExtension(code) }, { name: 'sound', ...manifest }).dir
}

const check = (code: string, options: ExtensionCheckOptions = {}, manifest: Record<string, string> = {}) =>
  checkExtension(write(code, manifest), { limits, ...options })

test('an extension that does everything right passes every rule', async () => {
  const results = await checkExtension(write(''), { limits: { ...limits, startMs: 10_000, answerMs: 5000 } })
  expect(broken(results)).toEqual([])
  expect(results.filter(({ status }) => status === 'skipped')).toEqual([])
  expect(results.map(({ id }) => id)).toEqual(extensionRules.map(({ id }) => id))
})

test.each(defects.map((defect) => [defect.title, defect] as const))(
  'an extension that %s breaks exactly one rule',
  async (_title, defect) => {
    const { rule, code = '', manifest = {}, also = [] } = defect
    // A fault in messages shows in the trials of other rules as well.
    const results = await check(code, { only: [rule, ...also] }, manifest)
    expect(broken(results).filter((id) => !also.some((group) => id.startsWith(group)))).toEqual([rule])
    const { failure, status } = results.find(({ id }) => id === rule)!
    expect(Object.values(failure!).filter((text) => text === '')).toEqual([])
    expect(status).toBe(extensionRules.find(({ id }) => id === rule)!.level === 'must' ? 'failed' : 'warned')
  },
)

test('every rule has an extension that breaks it', () => {
  const tested = new Set(defects.map(({ rule }) => rule))
  expect(extensionRules.map(({ id }) => id).filter((id) => !tested.has(id))).toEqual([])
})

describe('an extension that does not behave as a process', () => {
  test('dies at once: no other rule is tried, and the failure quotes what it printed', async () => {
    const results = await check('console.error("I cannot"); process.exit(1)')
    expect(broken(results)).toEqual(['handshake/answers'])
    expect(results.find(({ id }) => id === 'handshake/answers')?.failure?.received).toBe(
      'the end of the process (exit code 1); it printed: I cannot',
    )
    expect(results.find(({ id }) => id === 'framing/large')).toMatchObject({
      status: 'skipped',
      reason: 'needs handshake/answers',
    })
  })

  test('hangs in a handler and stops reading: the rule fails at its limit, and the check continues', async () => {
    const results = await check(`unknown = () => { for (;;); }`, { only: ['requests', 'end/shutdown'] })
    expect(results.find(({ id }) => id === 'requests/unknown-method')?.failure).toMatchObject({
      expected: 'an answer to `$/check` within 2 s',
      received: 'none',
    })
    expect(results.find(({ id }) => id === 'end/shutdown')?.status).toBe('passed')
  })

  test('floods the host: the check still ends', async () => {
    const flood = `answered = () => { const more = () => { for (let i = 0; i < 100; i++) say({ method: 'log', params: { level: 'info', message: 'x'.repeat(1000) } }); setTimeout(more, 1) }; more() }`
    const results = await check(flood, { only: ['requests/unknown-method', 'end/channel-closed'] })
    expect(broken(results)).toEqual([])
  })

  test('closes its side of the channel: the rule fails because no answer came', async () => {
    const results = await check(`unknown = () => { fs.closeSync(4); return {} }`, {
      only: ['requests/unknown-method'],
    })
    expect(broken(results)).toEqual(['requests/unknown-method'])
  })

  test('leaves a process behind: the check does not wait for it', async () => {
    const spawn = `require('node:child_process').spawn('sleep', ['600'], { stdio: ['inherit', 'inherit', 'inherit', 'inherit', 'inherit'] })`
    expect(broken(await check(spawn, { only: ['end/channel-closed'] }))).toEqual([])
  })
})

describe('fixtures', () => {
  function fixtures(content: object) {
    const path = join(dirs.base, 'fixtures.json')
    writeFileSync(path, JSON.stringify(content))
    return readExtensionFixtures(path)
  }

  test('say what tools and commands must return', async () => {
    const right = fixtures({
      tools: [
        { name: 'greet', args: { who: 'you' }, contains: 'Hello you' },
        { name: 'greet', isError: true },
        { name: 'wait', cancel: true },
      ],
      commands: [{ name: 'hi', args: 'there', says: 'hi there' }],
    })
    const results = await check('', { fixtures: right, only: ['tools', 'commands'] })
    expect(broken(results)).toEqual([])
    expect(results.map(({ id }) => id)).toEqual([
      'handshake/answers',
      'tools/1-greet',
      'tools/2-greet',
      'tools/3-wait',
      'commands/1-hi',
    ])
  })

  test('break a rule for each tool or command that returns something else', async () => {
    const wrong = fixtures({
      tools: [
        { name: 'greet', args: { who: 'you' }, contains: 'Goodbye' },
        { name: 'greet' },
        { name: 'none' },
      ],
      commands: [{ name: 'hi', says: 'bye' }, { name: 'none' }],
    })
    const results = await check('', { fixtures: wrong, only: ['tools', 'commands'] })
    expect(broken(results)).toEqual([
      'tools/1-greet',
      'tools/2-greet',
      'tools/3-none',
      'commands/1-hi',
      'commands/2-none',
    ])
    expect(results.find(({ id }) => id === 'tools/1-greet')?.failure).toMatchObject({
      expected: 'a text with "Goodbye"',
    })
  })

  test('of another form are refused with the path of the wrong field', () => {
    expect(() => fixtures({ tools: [{}] })).toThrow('fixtures.json is not a fixtures file: tools.0.name: ')
  })
})

test('a directory without a manifest, and one with an unknown runtime, are refused', async () => {
  const empty = mkdtempSync(join(tmpdir(), 'entire-ext-'))
  expect(checkExtension(empty)).rejects.toThrow(`${empty} has no manifest.yaml`)
  expect(checkExtension(dirs.add('gone', {}, { runtime: 'ruby' }).dir)).rejects.toThrow(
    'runtime ruby is not one of bun, node, deno, python',
  )
})

test('an extension sees and changes no files of the user', async () => {
  const home = join(dirs.base, 'my-home')
  mkdirSync(home)
  const code = `fs.writeFileSync(path.join(process.env.HOME, 'seen'), 'x'); if (process.env.OPENAI_API_KEY || process.env.XDG_CONFIG_HOME) process.exit(9)`
  const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: home, OPENAI_API_KEY: 'secret' }
  expect(broken(await check(code, { env, only: ['handshake'] }))).toEqual([])
  expect(existsSync(join(home, 'seen'))).toBe(false)
  expect(readdirSync(home)).toEqual([])
})

test('the check itself also runs on Node', async () => {
  const entry = join(dirs.base, 'check.ts')
  const here = JSON.stringify(join(import.meta.dir, 'check-extension.ts'))
  writeFileSync(
    entry,
    `import { checkExtension } from ${here}\ncheckExtension(process.argv[2]!, { only: ['handshake', 'end'] }).then((r) => console.log(r.map((x) => x.status).join()))`,
  )
  const built = await Bun.build({
    entrypoints: [entry],
    target: 'node',
    outdir: dirs.base,
    naming: 'check.mjs',
  })
  expect(built.success).toBe(true)
  const child = Bun.spawnSync(['node', join(dirs.base, 'check.mjs'), write('')], { env: process.env })
  expect(child.stdout.toString()).toMatch(/^passed(,passed)+\n$/)
})

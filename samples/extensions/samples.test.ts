// Runs every sample under a host, on Bun as it is and on Node as a single file.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { collectInjections, streamAnswer } from '../../src/extensions/prompt-chain.ts'
import type { LocalTool } from '../../src/extensions/registry.ts'
import { callTool } from '../../src/extensions/tool-calls.ts'
import { openPiglet } from '../../src/piglet/piglet.ts'
import { checkExtension } from '../../src/sdk/conformance/extension/check-extension.ts'
import { formatResult } from '../../src/sdk/conformance/report.ts'
import { hostOf, recordingApp } from '../../test/extensions/app.ts'
import { rotatingRows, rotationTitle } from '../../test/support/rotation.ts'

const root = join(import.meta.dir, '../..')
// The Python of the system first, because a version switcher makes each start slow.
const env = {
  ...process.env,
  PATH: [join(root, 'node_modules/.bin'), '/usr/bin', process.env.PATH].join(delimiter),
}
const never = new AbortController().signal
const samples = readdirSync(import.meta.dir, { withFileTypes: true })
  .flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
  .sort()

/** Under other names than those of the extensions, which name their directories for settings. */
function link(base: string): void {
  for (const name of samples) symlinkSync(join(import.meta.dir, name), join(base, `sample-${name}`))
}

async function bundle(base: string): Promise<void> {
  for (const name of samples.filter((one) => one !== 'words-python')) {
    const dir = join(base, `sample-${name}`)
    mkdirSync(dir)
    const manifest = readFileSync(join(import.meta.dir, name, 'manifest.yaml'), 'utf8')
    writeFileSync(
      join(dir, 'manifest.yaml'),
      manifest.replace('runtime: bun', 'runtime: node').replace('main.ts', 'main.mjs'),
    )
    const built = await Bun.build({
      entrypoints: [join(import.meta.dir, name, 'main.ts')],
      target: 'node',
      format: 'esm',
    })
    writeFileSync(join(dir, 'main.mjs'), (await built.outputs[0]?.text()) ?? '')
  }
}

const bash: LocalTool = {
  name: 'bash',
  description: 'Runs a command',
  parameters: { type: 'object' },
  execute: async ({ command }) => ({ content: [{ type: 'text', text: `ran ${command}` }], isError: false }),
}

describe.each([
  ['Bun', async (base: string) => link(base)],
  ['Node', bundle],
])('on %s', (runtime, make) => {
  let base: string
  let host: ReturnType<typeof hostOf>
  let chosen = ''
  const record = () =>
    recordingApp(base, (method) => {
      if (method === 'host/askUser') return { selected: chosen }
      if (method === 'host/chat') return { text: 'They built a boat.' }
      return {}
    })
  let app: ReturnType<typeof record>

  beforeAll(async () => {
    base = realpathSync(mkdtempSync(join(tmpdir(), 'extension-samples-')))
    await make(base)
    app = record()
    host = hostOf(base, app.app, { env, local: { tools: [bash, { ...bash, name: 'write' }], commands: [] } })
    await host.start()
  }, 60_000)
  afterAll(async () => {
    await host.stop()
    rmSync(base, { recursive: true, force: true })
  })

  const call = async (name: string, args: Record<string, unknown>) => {
    const outcome = await callTool(host, name, args, { id: 'c', signal: never })
    return outcome?.content[0]?.text
  }
  const command = (owner: string, name: string, args: string) =>
    host.find(owner)?.request('command/execute', { name, args })

  test('all of them start, and all their registrations are accepted', () => {
    expect(
      host.list().map(({ manifest, status }) => `${manifest.name} ${status?.state} ${status?.reason}`),
    ).toEqual(
      [...samples.filter((name) => runtime === 'Bun' || name !== 'words-python')].map(
        (name) => `${name.replace('-python', '')} running `,
      ),
    )
    expect(app.logged.filter((line) => !line.startsWith('debug'))).toEqual([])
  })

  test('hello greets in the requested language, and waves', async () => {
    expect(await call('greet', { name: 'Ada', language: 'tr' })).toBe('Merhaba, Ada!')
    expect(await call('greet', { name: 'Ada', language: 'de' })).toContain('[error:INVALID_ARGS]')
    await command('hello', 'wave', '')
    expect(app.told).toContainEqual(['notify', { message: 'You wave at the world.', level: 'info' }])
  })

  test('guard allows, refuses, and asks', async () => {
    expect(await call('bash', { command: 'ls' })).toBe('ran ls')
    expect(await call('bash', { command: 'rm -rf ~' })).toContain('is destructive')
    expect(await call('write', { path: '../../etc/passwd' })).toContain('outside of the project')
    expect(await call('write', { path: 'src/a.ts' })).toContain('ran')
    chosen = 'Refuse'
    expect(await call('bash', { command: 'git push --force' })).toContain('The user refused')
    chosen = 'Run it'
    expect(await call('bash', { command: 'git push --force' })).toBe('ran git push --force')
  })

  test('guard keeps keys from the model', async () => {
    expect(await call('bash', { command: `echo sk-${'a'.repeat(30)}` })).toBe('ran echo [key removed]')
  })

  test('notes are kept in the session and in a file, shown, and added to the prompt', async () => {
    expect(await call('take_note', { text: 'The tests need Docker' })).toBe('Noted.')
    await command('notes', 'note', 'Deploy on Fridays')
    expect(
      app.asked.filter(([method]) => method === 'host/appendSessionEntry').map(([, params]) => params),
    ).toEqual([
      { kind: 'ext:notes:note', data: { text: 'The tests need Docker' } },
      { kind: 'ext:notes:note', data: { text: 'Deploy on Fridays' } },
    ])
    expect(app.told.findLast(([method]) => method === 'setWidget')?.[1]).toMatchObject({
      content: '• The tests need Docker\n• Deploy on Fridays',
    })
    expect(await collectInjections(host, 'hi', never, () => {})).toContain('- Deploy on Fridays')
    expect(JSON.parse(readFileSync(join(base, 'notes', 'notes.json'), 'utf8'))[base]).toHaveLength(2)
    await command('notes', 'notes', 'clear')
    expect(app.told.findLast(([method]) => method === 'showOverlay')?.[1]).toMatchObject({
      content: 'No notes yet.',
    })
    await host.find('notes')?.request('shortcut/handle', { key: 'alt+n' })
    expect(app.told.at(-1)).toEqual(['setInputText', { text: '/note ' }])
  })

  test('parrot repeats the prompt word by word', async () => {
    const deltas: string[] = []
    const live = host.find(host.registry.provider('parrot') ?? '')
    if (!live) throw new Error('parrot has no provider')
    const message = await streamAnswer(
      live,
      {
        model: { id: 'grey', api: 'parrot' },
        messages: [{ content: 'good morning to you' }],
        options: { maxTokens: 3 },
      },
      { signal: never, onDelta: ({ delta }) => void deltas.push(delta) },
    )
    expect(deltas).toEqual(['good ', 'morning ', 'to '])
    expect(message).toMatchObject({
      content: [{ text: 'good morning to ' }],
      model: 'grey',
      provider: 'parrot',
      stopReason: 'length',
    })
  })

  test('shortener keeps the beginning and the latest turns, and summarises the rest', async () => {
    const turn = (text: string) => [
      { type: 'user', data: { content: text } },
      { type: 'assistant', data: { content: [{ id: 'c', name: 'read', arguments: {} }], model: 'm' } },
      { type: 'tool_result', data: { toolCallId: 'c', content: [{ text: 'ok' }] } },
    ]
    const messages = ['one', 'two', 'three', 'four'].flatMap(turn)
    const shorter = await host.compaction.compact(messages, never)
    expect(shorter.map(({ type }) => type).join(' ')).toBe(
      'user user user assistant tool_result user assistant tool_result',
    )
    expect(shorter[1]?.data).toMatchObject({ content: expect.stringContaining('They built a boat.') })
    expect(await host.compaction.compact(messages.slice(0, 5), never)).toHaveLength(5)
  })

  if (runtime === 'Bun')
    test('words counts, without a kit', async () => {
      expect(await call('count_words', { text: 'one two  three' })).toBe('3 words')
      expect(await call('count_words', { path: 'nothing.txt' })).toStartWith(
        '[error:FILE_NOT_FOUND] no file nothing.txt\nhint: ',
      )
      host.dispatch('EventTurnEnd', {})
      await host.eventsHeard()
      expect(app.acted).toContainEqual({ type: 'setStatus', key: 'turns', text: '1 turns' })
      await command('words', 'turns', '')
      expect(app.told).toContainEqual(['notify', { message: '1 turns', level: '' }])
      await expect(host.find('words')?.request('shortcut/handle', { key: 'x' })).rejects.toThrow(
        'method not found',
      )
    })
})

test('in a real agent, a sample is the model, and notes are in the session file', async () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'extension-agent-')))
  const configDir = join(base, 'config')
  mkdirSync(join(configDir, 'extensions'), { recursive: true })
  link(join(configDir, 'extensions'))
  writeFileSync(join(configDir, 'models.yaml'), 'models:\n- { id: grey, provider: birds, api: parrot }\n')
  const piglet = openPiglet({ cwd: base, configDir, env, model: 'grey' })
  try {
    await piglet.start()
    expect(await piglet.run('good morning')).toMatchObject({ end: 'done', text: 'good morning' })
    await piglet.run('/note parrots repeat')
    const stored = readdirSync(join(configDir, 'sessions')).filter((name) => name.endsWith('.jsonl'))
    const lines = readFileSync(join(configDir, 'sessions', stored[0] ?? ''), 'utf8')
      .trim()
      .split('\n')
    expect(
      lines.map((line) => JSON.parse(line)).findLast(({ type }) => type === 'ext:notes:note'),
    ).toMatchObject({
      data: { text: 'parrots repeat' },
    })
    expect(
      await piglet.host
        .find('hello')
        ?.request('tool/execute', { callId: '', name: 'greet', args: { name: 'you' } }),
    ).toMatchObject({
      content: [{ text: 'Hello, you!' }],
    })
  } finally {
    await piglet.stop()
    rmSync(base, { recursive: true, force: true })
  }
})

test.each(rotatingRows(samples))(`%s passes every rule of the protocol (${rotationTitle})`, async (name) => {
  const results = await checkExtension(join(import.meta.dir, name), { env })
  expect(results.filter(({ failure }) => failure !== undefined).flatMap(formatResult)).toEqual([])
  expect(results.filter(({ status }) => status === 'passed').length).toBeGreaterThan(35)
})

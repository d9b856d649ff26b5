import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startExtension } from '../../src/extensions/start-extension.ts'
import { until } from '../support/until.ts'
import { type ExtensionDirs, extensionDirs, nodeExtension, recordingSide, startOptions } from './live.ts'

let dirs: ExtensionDirs
beforeEach(() => {
  dirs = extensionDirs()
})
afterEach(() => dirs[Symbol.dispose]())

const hello = `function on(method, params, id) {
  if (method === 'initialize') {
    say({ method: 'register/tool', params: { name: 'hello', description: 'says hello', parameters: {} } })
    say({ method: 'register/command', params: { name: 'hi', description: 'hi' } })
    answer(id, { name: 'hello', version: '1' })
  }
  if (method === 'tool/execute') answer(id, { content: [{ type: 'text', text: 'hello ' + params.args.who }] })
  if (method === 'command/execute') { say({ method: 'notify', params: { message: 'ran ' + params.args } }); answer(id, {}) }
}`

const python = `import json, os
r, w = os.fdopen(3), os.fdopen(4, 'w')
def say(m):
    w.write(json.dumps(m) + '\\n'); w.flush()
for line in r:
    m = json.loads(line)
    if m.get('method') == 'initialize':
        say({'method': 'register/tool', 'params': {'name': 'hello'}})
        say({'method': 'register/command', 'params': {'name': 'hi'}})
        say({'id': m['id'], 'result': {'name': 'py', 'version': '1'}})
    elif m.get('method') == 'tool/execute':
        say({'id': m['id'], 'result': {'content': [{'Type': 'text', 'Text': 'hello ' + m['params']['args']['who']}]}})
    elif m.get('method') == 'command/execute':
        say({'method': 'notify', 'params': {'message': 'ran ' + m['params']['args']}})
        say({'id': m['id'], 'result': None})
`

describe('an extension is started, registers, runs a tool and a command, and stops', () => {
  test.each([
    ['over descriptors 3 and 4', { 'index.js': nodeExtension(hello, 'fd') }],
    ['over standard input and output', { 'index.js': nodeExtension(hello, 'stdio') }],
    ['in Python, with the capital keys of Go', { 'main.py': python }],
  ])('%s', async (_name, files) => {
    const { side, told } = recordingSide()
    const options = startOptions(dirs.base)
    const live = await startExtension(dirs.add('hello', files), side, options)
    expect(live.registrations['register/tool'].map(({ name }) => name)).toEqual(['hello'])
    expect(live.registrations['register/command'].map(({ name }) => name)).toEqual(['hi'])
    const { content } = await live.request('tool/execute', {
      callId: 'c1',
      name: 'hello',
      args: { who: 'you' },
    })
    expect(content).toMatchObject([{ type: 'text', text: 'hello you' }])
    await live.request('command/execute', { name: 'hi', args: 'a  b' })
    expect(told).toEqual([['notify', { message: 'ran a  b', level: '' }]])
    await live.stop()
    await live.stop()
    expect(live.isRunning()).toBe(false)
    expect(live.request('tool/execute', { name: 'hello' })).rejects.toThrow('extension hello closed')
  })
})

test('it may send requests before it has answered initialize', async () => {
  const { side, asked } = recordingSide((method) =>
    method === 'host/toolDefs' ? { tools: [{ name: 'read' }] } : {},
  )
  const source = `async function on(method, params, id) {
    if (method !== 'initialize') return
    const { result } = await ask('host/toolDefs')
    say({ method: 'register/promptSection', params: { title: 'tools', content: result.tools[0].name } })
    answer(id, {})
  }`
  const live = await startExtension(
    dirs.add('early', { 'index.js': nodeExtension(source) }),
    side,
    startOptions(dirs.base),
  )
  expect(asked).toEqual([['host/toolDefs', {}]])
  expect(live.registrations['register/promptSection']).toMatchObject([{ title: 'tools', content: 'read' }])
  await live.stop()
})

test('bad registrations are ignored with a message that names the file and the rule, and the others count', async () => {
  const source = `function on(method, params, id) {
    if (method !== 'initialize') return
    say({ method: 'register/tool', params: { name: '' } })
    say({ method: 'register/command', params: 'x' })
    say({ method: 'register/tool', params: { name: 'good' } })
    answer(id, {})
    say({ method: 'register/tool', params: { name: 'late' } })
    say({ method: 'notify', params: { message: 'end' } })
  }`
  const { side, told } = recordingSide()
  const options = startOptions(dirs.base)
  const live = await startExtension(dirs.add('bad', { 'index.js': nodeExtension(source) }), side, options)
  await until(() => told.length !== 0)
  expect(live.registrations['register/tool'].map(({ name }) => name)).toEqual(['good'])
  const warnings = options.logged.filter((line) => line.startsWith('warn'))
  expect(warnings[0]).toBe(
    `warn: bad: ${join(dirs.base, 'bad')}: register/tool ignored: name: must not be empty`,
  )
  expect(warnings[1]).toContain('register/command ignored: params: ')
  expect(warnings[2]).toContain('register/tool ignored: it came after the answer to initialize')
  await live.stop()
})

describe('requests that cannot be served are answered with the code that says why', () => {
  const source = `async function on(method, params, id) {
    if (method !== 'initialize') return
    answer(id, {})
    const questions = [['host/nothing', {}], ['register/tool', { name: 'x' }], ['host/askUser', { prompt: 'a', choices: [] }], ['host/listTools'], ['host/listTools', null], ['host/setConversationMessages', 7], ['tool/execute', {}]]
    const answers = []
    for (const [name, params] of questions) answers.push((await ask(name, params)).error?.code ?? 'ok')
    say({ method: 'showMessage', params: { text: answers.join(' ') } })
  }`
  test('unknown, malformed, not for the host', async () => {
    const { side, told } = recordingSide(() => ({ tools: [] }))
    const live = await startExtension(
      dirs.add('odd', { 'index.js': nodeExtension(source) }),
      side,
      startOptions(dirs.base),
    )
    await until(() => told.length !== 0)
    expect(told).toEqual([['showMessage', { text: '-32601 -32601 -32602 -32602 ok -32600 -32601' }]])
    await live.stop()
  })
})

describe('an extension that cannot be started is reported', () => {
  test.each([
    [
      'its runtime does not exist',
      {},
      { runtime: 'nowhere', entry: '' },
      'manifest.yaml: runtime nowhere is not one of bun, node, deno, python',
    ],
    ['its entry does not exist', {}, { entry: 'gone.js' }, 'entry gone.js does not exist'],
    ['it has no entry', {}, { entry: '' }, 'entry is required for runtime node'],
    [
      'it ends at once',
      { 'index.js': 'console.error("no such module"); process.exit(3)' },
      {},
      'extension broken crashed (exit code 3) (it printed: no such module)',
    ],
    [
      'it answers with an error',
      {
        'index.js': nodeExtension(
          `function on(method, params, id) { say({ id, error: { code: -32603, message: 'no config' } }) }`,
        ),
      },
      {},
      'initialize broken: no config',
    ],
  ] as const)('%s', async (_name, files, manifest, message) => {
    const made = dirs.add('broken', files, manifest)
    expect(startExtension(made, recordingSide().side, startOptions(dirs.base))).rejects.toThrow(message)
  })

  test('it never answers', async () => {
    const silent = dirs.add('silent', { 'index.js': 'setInterval(() => {}, 1000)' })
    const options = startOptions(dirs.base, { handshakeMs: 300 })
    expect(startExtension(silent, recordingSide().side, options)).rejects.toThrow(
      'initialize silent: initialize: no answer within 300 ms',
    )
  })
})

test('its environment has what programs need and what it declared, but no keys', async () => {
  const source = `function on(method, params, id) {
    if (method !== 'initialize') return
    require('node:fs').writeFileSync('env.json', JSON.stringify({ env: process.env, cwd: process.cwd(), params }))
    answer(id, {})
  }`
  const env: Record<string, string | undefined> = {
    ...process.env,
    OPENAI_API_KEY: 'k',
    GITHUB_TOKEN: 't',
    PIGLET_TOKEN: 'p',
    SOME_TOOL: 's',
  }
  const manifest = dirs.add(
    'env',
    { 'index.js': nodeExtension(source) },
    { permissions: '[env:GITHUB_TOKEN]' },
  )
  const live = await startExtension(manifest, recordingSide().side, startOptions(dirs.base, { env }))
  const seen = JSON.parse(readFileSync(join(manifest.dir, 'env.json'), 'utf8'))
  expect(seen.env).toMatchObject({
    PATH: env.PATH,
    GITHUB_TOKEN: 't',
    PIGLET_FD: '1',
    PIGLET_SESSION_ID: 'session-1',
  })
  expect(['OPENAI_API_KEY', 'PIGLET_TOKEN', 'SOME_TOOL'].filter((name) => name in seen.env)).toEqual([])
  expect([seen.cwd, seen.params]).toEqual([
    manifest.dir,
    { protocolVersion: '5', cwd: dirs.base, configDir: join(dirs.base, 'config') },
  ])
  await live.stop()
})

test('a line of more than 4 MiB is an error of that message, and the next one is read', async () => {
  const source = `async function on(method, params, id) {
    if (method === 'initialize') return answer(id, {})
    if (params.name === 'long') return answer(id, { content: [{ type: 'text', text: 'x'.repeat(5 * 1024 * 1024) }] })
    const { error } = await ask('host/publish', { topic: 't', data: 'y'.repeat(5 * 1024 * 1024) })
    answer(id, { content: [{ type: 'text', text: error.message }] })
  }`
  const { side, asked } = recordingSide()
  const live = await startExtension(
    dirs.add('long', { 'index.js': nodeExtension(source) }),
    side,
    startOptions(dirs.base),
  )
  expect(live.request('tool/execute', { name: 'long' })).rejects.toThrow('message too long')
  const { content } = await live.request('tool/execute', { name: 'short' })
  expect([content[0]?.text, asked]).toEqual(['message too long: a line must be below 4194304 bytes', []])
  await live.stop()
})

test('open requests fail when an extension dies, with the reason', async () => {
  const source = `function on(method, params, id) {
    if (method === 'initialize') return answer(id, {})
    console.error('about to die')
    process.kill(process.pid, 'SIGKILL')
  }`
  const live = await startExtension(
    dirs.add('dies', { 'index.js': nodeExtension(source) }),
    recordingSide().side,
    startOptions(dirs.base),
  )
  expect(live.request('tool/execute', { name: 'x' })).rejects.toThrow(
    'extension dies crashed (killed by SIGKILL)',
  )
  expect(await live.exited).toEqual({ reason: 'killed by SIGKILL', lastLines: ['about to die'] })
})

test('stopping does not wait for processes that hold its pipes, and they end with it', async () => {
  const source = `const { spawn } = require('node:child_process')
  const grandchild = spawn('sleep', ['1000'], { stdio: ['inherit', 'inherit', 'inherit', 3, 4] })
  fs.writeFileSync('pid', String(grandchild.pid))
  process.on('SIGTERM', () => {})
  setInterval(() => {}, 1000)
  function on(method, params, id) { if (method === 'initialize') answer(id, {}) }
  input.removeAllListeners('end')`
  const manifest = dirs.add('holds', { 'index.js': nodeExtension(source) })
  const live = await startExtension(manifest, recordingSide().side, startOptions(dirs.base))
  await live.stop()
  const pid = Number(readFileSync(join(manifest.dir, 'pid'), 'utf8'))
  await until(
    () => !existsSync(`/proc/${pid}/cmdline`) || readFileSync(`/proc/${pid}/cmdline`, 'utf8') === '',
  )
  expect((await live.exited).reason).toBe('killed by SIGKILL')
})

test('requests to an extension that does not read are refused once too much waits for it', async () => {
  const source = `function on(method, params, id) { if (method !== 'initialize') return; answer(id, {}); input.pause(); setInterval(() => {}, 1000) }`
  const live = await startExtension(
    dirs.add('deaf', { 'index.js': nodeExtension(source) }),
    recordingSide().side,
    startOptions(dirs.base),
  )
  const args = { text: 'z'.repeat(3 * 1024 * 1024) }
  const answers = Array.from({ length: 10 }, () =>
    live.request('tool/execute', { name: 'x', args }, { deadlineMs: 500 }),
  )
  const reasons = (await Promise.allSettled(answers)).map((answer) =>
    answer.status === 'rejected' ? String(answer.reason.message) : '',
  )
  expect(reasons.filter((reason) => reason.includes('is not reading')).length).toBeGreaterThan(0)
  expect(reasons.every((reason) => /is not reading|no answer within/.test(reason))).toBe(true)
  await live.stop()
})

test('listed permissions are the only ones', async () => {
  const source = `async function on(method, params, id) {
    if (method !== 'initialize') return
    say({ method: 'register/tool', params: { name: 'tool' } })
    say({ method: 'register/command', params: { name: 'command' } })
    answer(id, {})
    const title = await ask('host/setSessionTitle', { title: 't' })
    const key = await ask('host/auth.getKey', { provider: 'openai' })
    const other = await ask('host/auth.getKey', { provider: 'google' })
    say({ method: 'showMessage', params: { text: JSON.stringify([title, key, other].map(({ error }) => error?.message ?? 'ok')) } })
  }`
  const { side, told } = recordingSide(() => ({}))
  const options = startOptions(dirs.base)
  const manifest = dirs.add(
    'few',
    { 'index.js': nodeExtension(source) },
    { permissions: '["register:tools", "auth:openai"]' },
  )
  const live = await startExtension(manifest, side, options)
  await until(() => told.length !== 0)
  const [title, key, other] = JSON.parse(String((told[0]?.[1] as { text?: string } | undefined)?.text))
  expect([
    live.registrations['register/tool'].length,
    live.registrations['register/command'].length,
    key,
  ]).toEqual([1, 0, 'ok'])
  expect(title).toContain(
    'host/setSessionTitle refused: few lists permissions in its manifest.yaml, and session:write',
  )
  expect(other).toContain('auth:google')
  expect(options.logged.join('\n')).toContain('register:commands')
  await live.stop()
})

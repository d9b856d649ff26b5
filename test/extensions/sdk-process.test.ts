// Extensions made with the kit as real processes: on Node and on Bun, over both channels.
import { describe, expect, test } from 'bun:test'
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { startExtension } from '../../src/extensions/start-extension.ts'
import { builtFile } from '../support/built-file.ts'
import { extensionDirs, recordingSide, startOptions } from './live.ts'

const env = () => ({
  ...process.env,
  PATH: `${join(import.meta.dir, '../../node_modules/.bin')}${delimiter}${process.env.PATH}`,
})
const script = (body: string) =>
  `import { createExtension, defineExtension, piglet } from '${builtFile('extension-sdk.js')}'\n${body}\n`

const everything = `
import { spawnSync } from 'node:child_process'
const extension = createExtension({ name: 'sample', version: '1.0' })
extension.tool('echo', { description: 'Echoes', execute: (args) => JSON.stringify(args) })
extension.tool('big', { description: 'Says much', execute: () => 'x'.repeat(3_000_000) })
extension.tool('env', { description: '', execute: () => String(process.env.PIGLET_FD) })
extension.tool('wait', { description: '', execute: (args, { signal }) => new Promise((resolve, reject) => signal.addEventListener('abort', () => reject(new Error('stopped')))) })
extension.tool('child', { description: '', execute: () => String(spawnSync('sh', ['-c', ': <&3 || : >&4']).status) })
extension.command('print', { description: '', handler: (args, { host }) => { console.log('printed ' + args); host.notify('heard ' + args) } })
extension.run()
`

describe.each(['node', 'bun'])('on %s', (runtime) => {
  describe.each(['fd', 'stdio'])('over %s', (transport) => {
    const start = async (dirs: ReturnType<typeof extensionDirs>, body = everything) => {
      const manifest = dirs.add('sample', { 'main.mjs': script(body) }, { runtime, transport })
      const { side, told } = recordingSide()
      const options = startOptions(dirs.base, { env: env() })
      return { live: await startExtension(manifest, side, options), told, options }
    }
    const call = (name: string, args = {}) => ({ callId: '1', name, args })

    test('it completes the handshake and answers, and what it prints is not a message', async () => {
      using dirs = extensionDirs()
      const { live, told, options } = await start(dirs)
      expect(live.registrations['register/tool'].map(({ name }) => name)).toEqual([
        'echo',
        'big',
        'env',
        'wait',
        'child',
      ])
      expect(await live.request('tool/execute', call('echo', { a: 'ä\n' }))).toMatchObject({
        content: [{ type: 'text', text: '{"a":"ä\\n"}' }],
      })
      await live.request('command/execute', { name: 'print', args: 'this' })
      expect(told).toEqual([['notify', { message: 'heard this', level: 'info' }]])
      expect(await live.request('tool/execute', call('env'))).toMatchObject({
        content: [{ text: 'undefined' }],
      })
      await live.stop()
      expect((await live.exited).reason).toBe('exit code 0')
      expect(options.logged.join('\n')).toContain('printed this')
    })

    test('many requests run both ways at once, and a request can be cancelled', async () => {
      using dirs = extensionDirs()
      const { live } = await start(dirs)
      const many = Array.from({ length: 200 }, (_none, at) =>
        live.request('tool/execute', call('echo', { at, text: 'x'.repeat(5000) })),
      )
      const big = await Promise.all([1, 2, 3].map(() => live.request('tool/execute', call('big'))))
      expect(big.map(({ content }) => content[0]?.text?.length)).toEqual([3_000_000, 3_000_000, 3_000_000])
      expect((await Promise.all(many)).map(({ content }) => JSON.parse(content[0]?.text ?? '').at)).toEqual([
        ...Array(200).keys(),
      ])
      const controller = new AbortController()
      const waiting = live.request('tool/execute', call('wait'), { signal: controller.signal })
      controller.abort(new Error('enough'))
      await expect(waiting).rejects.toThrow('enough')
      expect(live.load().waiting).toBe(0)
      await live.stop()
    })

    test('a line that is too long fails its call, and the extension goes on', async () => {
      using dirs = extensionDirs()
      const { live } = await start(dirs)
      await expect(
        live.request('tool/execute', call('echo', { text: 'x'.repeat(5_000_000) })),
      ).rejects.toThrow('a line must be below')
      expect(await live.request('tool/execute', call('echo'))).toMatchObject({ content: [{ text: '{}' }] })
      await live.stop()
    })

    test('programs it starts do not hold its channel', async () => {
      using dirs = extensionDirs()
      const { live } = await start(dirs)
      expect(await live.request('tool/execute', call('child'))).not.toMatchObject({
        content: [{ text: '0' }],
      })
      await live.stop()
    })
  })

  test('it ends when its input ends, at a shutdown notice, and at a signal', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'extension-end-'))
    const entry = join(dir, 'main.mjs')
    writeFileSync(entry, script(`${everything}\nsetInterval(() => {}, 1000)`))
    const program = runtime === 'node' ? 'node' : process.execPath
    const run = (input: string, keepOpen: boolean) =>
      new Promise<{ code: number | null; output: string }>((resolve) => {
        const child = spawn(program, [entry], {
          env: { PATH: process.env.PATH },
          stdio: ['pipe', 'pipe', 'inherit'],
        })
        let output = ''
        child.stdout.on('data', (chunk) => {
          output += chunk
        })
        child.once('close', (code) => resolve({ code, output }))
        child.stdin.write(input)
        if (!keepOpen) child.stdin.end()
      })
    expect(await run('', false)).toEqual({ code: 0, output: '' })
    expect(await run('{"jsonrpc":"2.0","method":"shutdown"}\n', true)).toEqual({ code: 0, output: '' })
    const asked = await run('{"jsonrpc":"2.0","id":9,"method":"shutdown"}\n', true)
    expect({ ...asked, output: JSON.parse(asked.output) }).toEqual({
      code: 0,
      output: { jsonrpc: '2.0', id: 9, result: null },
    })
    // The same over descriptors, also when they are plain pipes.
    const piped = (input: string) =>
      spawnSync(
        'sh',
        [
          '-c',
          `(printf '%s' '${input}'; sleep 0.3) | "$0" "$1" 3<&0 0</dev/null 4>&1 >/dev/null`,
          program,
          entry,
        ],
        {
          env: { PATH: process.env.PATH, PIGLET_FD: '1' },
          encoding: 'utf8',
          timeout: 20_000,
        },
      )
    expect(piped('')).toMatchObject({ status: 0, stdout: '' })
    expect(JSON.parse(piped('{"jsonrpc":"2.0","id":9,"method":"shutdown"}\n').stdout)).toEqual({
      jsonrpc: '2.0',
      id: 9,
      result: null,
    })
    rmSync(dir, { recursive: true, force: true })
  })

  test('PIGLET_FD is ignored when the descriptors are not open', () => {
    const dir = mkdtempSync(join(tmpdir(), 'extension-sign-'))
    const entry = join(dir, 'main.mjs')
    writeFileSync(entry, script(everything))
    const { stdout } = spawnSync(runtime === 'node' ? 'node' : process.execPath, [entry], {
      env: { PATH: process.env.PATH, PIGLET_FD: '1' },
      input: '{"id":1,"method":"shutdown"}\n',
      encoding: 'utf8',
    })
    expect(stdout).toBe('{"jsonrpc":"2.0","id":1,"result":null}\n')
    rmSync(dir, { recursive: true, force: true })
  })

  test('an extension of the older kit runs as it is', async () => {
    using dirs = extensionDirs()
    const manifest = dirs.add(
      'older',
      {
        'main.mjs': script(`
piglet.setInfo('older', '0.1.0')
piglet.registerTool({ name: 'hello_world', description: 'Greets', promptHint: 'p',
  parameters: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  execute: async (args) => ({ text: 'Hello, ' + args.name + ' in ' + piglet.getCwd() }) })
piglet.registerCommand({ name: 'wave', description: 'Waves', handler: async (args) => { piglet.notify('wave ' + args); piglet.showMessage('m'); piglet.log('info', 'l') } })
piglet.registerPromptSection({ title: 'T', content: 'C', order: 3 })`),
      },
      { runtime },
    )
    const { side, told } = recordingSide()
    const live = await startExtension(manifest, side, startOptions(dirs.base, { env: env() }))
    expect(live.registrations).toMatchObject({
      'register/tool': [{ name: 'hello_world', promptHint: 'p' }],
      'register/command': [{ name: 'wave' }],
      'register/promptSection': [{ title: 'T', content: 'C', order: 3 }],
    })
    const { content } = await live.request('tool/execute', {
      callId: '',
      name: 'hello_world',
      args: { name: 'Ada' },
    })
    expect(content).toEqual([{ type: 'text', text: `Hello, Ada in ${dirs.base}` }] as never)
    await live.request('command/execute', { name: 'wave', args: 'x' })
    expect(told.map(([method]) => method)).toEqual(['notify', 'showMessage', 'log'])
    await live.stop()
  })
})

test('a runtime that is not installed is named', async () => {
  using dirs = extensionDirs()
  const manifest = dirs.add('sample', { 'main.mjs': '' }, { runtime: 'deno' })
  const starting = startExtension(
    manifest,
    recordingSide().side,
    startOptions(dirs.base, { env: { PATH: dirs.base } }),
  )
  await expect(starting).rejects.toThrow('runtime deno: deno cannot be started')
})

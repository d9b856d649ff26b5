import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExtensionHost } from '../../src/extensions/extension-host.ts'
import { supervisorEvents, supervisorStates, supervisorTable } from '../../src/extensions/supervisor-table.ts'
import { callTool } from '../../src/extensions/tool-calls.ts'
import { watchExtension } from '../../src/extensions/watcher.ts'
import { until } from '../support/until.ts'
import { hostOf, recordingApp } from './app.ts'
import { type ExtensionDirs, extensionDirs, nodeExtension } from './live.ts'

let dirs: ExtensionDirs
let host: ExtensionHost | undefined
beforeEach(() => {
  dirs = extensionDirs()
})
afterEach(async () => {
  await host?.stop()
  dirs[Symbol.dispose]()
})

const call = { id: 'c', signal: new AbortController().signal }
const quick = { restsMs: [1, 2, 4, 8, 16], probeMs: 50, drainMs: 5000, graceMs: 1000 }

/** An extension with one tool, `work`, with this body. */
const worker = (body: string, more = '') =>
  nodeExtension(`${more}
function on(method, params, id) {
  if (method === 'initialize') { say({ method: 'register/tool', params: { name: 'work' } }); return answer(id, {}) }
  if (method === 'tool/execute') { ${body} }
  else if (id !== undefined) say({ id, error: { code: -32601, message: 'method not found' } })
}`)
const says = (text: string) => `answer(id, { content: [{ type: 'text', text: '${text}' }] })`
const work = async (args = {}) =>
  (await callTool(host as ExtensionHost, 'work', args, call))?.content[0]?.text
const stateOf = (name: string) =>
  (host as ExtensionHost).list().find(({ manifest }) => manifest.name === name)?.status

test('every state handles every event, and nothing runs after a stop', () => {
  for (const state of supervisorStates) {
    expect(Object.keys(supervisorTable[state]).sort()).toEqual(Object.keys(supervisorEvents).sort())
    expect(supervisorTable[state].stop.state).toBe('stopped')
  }
})

test('a killed extension is restarted, and its name leads to the new process', async () => {
  dirs.add('w', {
    'index.js': worker(`answer(id, { content: [{ type: 'text', text: String(process.pid) }] })`),
  })
  const { app, announced } = recordingApp(dirs.base)
  host = hostOf(dirs.base, app, { times: quick })
  await host.start()
  const first = Number(await work())
  process.kill(first, 'SIGKILL')
  await until(() => stateOf('w')?.state === 'resting' || (stateOf('w')?.restarts ?? 0) > 0)
  await until(() => stateOf('w')?.state === 'running')
  expect(Number(await work())).not.toBe(first)
  expect(announced[0]).toStartWith('warn: w crashed, restarting')
})

test('while it does not run a call says so, and then works again', async () => {
  dirs.add('w', { 'index.js': worker(`if (params.args.die) process.exit(3); ${says('well')}`) })
  host = hostOf(dirs.base, recordingApp(dirs.base).app, { times: { ...quick, restsMs: [200] } })
  await host.start()
  expect(await work({ die: true })).toBe('ext w tool work: extension w crashed (exit code 3)')
  expect(await work()).toBe('extension w is not running: it ended (exit code 3)')
  await until(() => stateOf('w')?.state === 'running')
  expect(await work()).toBe('well')
})

test('an extension that keeps dying is degraded after five restarts, with the reason and its last lines, and is tried from time to time', async () => {
  const source = worker(
    says('x'),
    `setTimeout(() => { console.error('out of cheese'); process.exit(9) }, 20)`,
  )
  const manifest = dirs.add('w', { 'index.js': source })
  const { app, announced } = recordingApp(dirs.base)
  host = hostOf(dirs.base, app, { times: { ...quick, probeMs: 100 } })
  await host.start()
  await until(() => stateOf('w')?.state === 'degraded')
  expect(stateOf('w')).toMatchObject({
    reason: 'it ended (exit code 9)',
    lastLines: ['out of cheese'],
    restarts: 5,
  })
  expect(announced.filter((line) => line.includes('restarting')).length).toBe(5)
  writeFileSync(join(manifest.dir, 'index.js'), worker(says('well')))
  await until(() => stateOf('w')?.state === 'running')
  expect(await work()).toBe('well')
})

test('an extension that no longer answers is ended and restarted', async () => {
  dirs.add('w', { 'index.js': worker(`if (params.args.hang) for (;;) {} ; ${says('well')}`) })
  const { app } = recordingApp(dirs.base)
  host = hostOf(dirs.base, app, { times: { ...quick, graceMs: 300 } })
  await host.start()
  const live = host.find('w')
  expect(
    live?.request('tool/execute', { name: 'work', args: { hang: true } }, { deadlineMs: 50 }),
  ).rejects.toThrow('no answer within 50 ms')
  await until(() => (stateOf('w')?.restarts ?? 0) === 1 && stateOf('w')?.state === 'running')
  expect(await work()).toBe('well')
})

test('an extension that hangs without open requests is detected', async () => {
  const stuck = worker(says('well'), 'setTimeout(() => { for (;;) {} }, 100)')
  dirs.add('w', { 'index.js': stuck })
  const { app, announced } = recordingApp(dirs.base)
  host = hostOf(dirs.base, app, { times: { ...quick, graceMs: 100, pingMs: 50 } })
  await host.start()
  await until(() => (stateOf('w')?.restarts ?? 0) > 0)
  expect(announced[0]).toBe('warn: w no longer answers')
})

test('an extension that is late but alive stays', async () => {
  dirs.add('w', { 'index.js': worker(`if (!params.args.slow) ${says('well')}`) })
  host = hostOf(dirs.base, recordingApp(dirs.base).app, { times: quick })
  await host.start()
  const live = host.find('w')
  expect(
    live?.request('tool/execute', { name: 'work', args: { slow: true } }, { deadlineMs: 20 }),
  ).rejects.toThrow('no answer')
  await Bun.sleep(50)
  expect([await work(), host.find('w') === live]).toEqual(['well', true])
})

describe('a reload', () => {
  test('replaces the old process, with new registrations and the current manifest', async () => {
    const manifest = dirs.add('w', { 'index.js': worker(says('old')), 'newer.js': worker(says('new')) })
    host = hostOf(dirs.base, recordingApp(dirs.base).app, { times: quick })
    await host.start()
    writeFileSync(
      join(manifest.dir, 'manifest.yaml'),
      'name: w\nversion: "2"\nruntime: node\nentry: newer.js\n',
    )
    await host.reload('w')
    expect([await work(), host.list()[0]?.manifest.version]).toEqual(['new', '2'])
  })

  test.each([
    ['does not start', 'process.exit(4)', 'extension w crashed (exit code 4)'],
    ['does not parse', 'this is no program', 'crashed (exit code 1)'],
    ['never answers', 'setInterval(() => {}, 1000)', ''],
  ])('keeps the last good one when the new one %s', async (_name, source, reason) => {
    const manifest = dirs.add('w', { 'index.js': worker(says('old')) })
    const { app, announced } = recordingApp(dirs.base)
    host = hostOf(dirs.base, app, { times: quick })
    await host.start()
    writeFileSync(join(manifest.dir, 'index.js'), source)
    const reloading = host.reload('w')
    if (reason === '') return expect(await work()).toBe('old')
    await reloading
    expect([await work(), stateOf('w')?.state]).toEqual(['old', 'running'])
    expect(announced.at(-1)).toContain(reason)
  })

  test('no request is lost, however many are under way', async () => {
    const manifest = dirs.add('w', { 'index.js': worker(`setTimeout(() => { ${says('done')} }, 5)`) })
    host = hostOf(dirs.base, recordingApp(dirs.base).app, { times: quick })
    await host.start()
    let isOver = false
    const outcomes = new Map<string, number>()
    const caller = async () => {
      for (let calls = 0; !isOver && calls < 5_000; calls += 1) {
        const text = String(await work())
        outcomes.set(text, (outcomes.get(text) ?? 0) + 1)
      }
    }
    const callers = Array.from({ length: 20 }, caller)
    try {
      for (let n = 0; n < 3; n += 1) {
        writeFileSync(
          join(manifest.dir, 'index.js'),
          `// ${n}\n${worker(`setTimeout(() => { ${says('done')} }, 5)`)}`,
        )
        await host.reload('w')
      }
    } finally {
      isOver = true
    }
    await Promise.all(callers)
    expect([...outcomes.keys()]).toEqual(['done'])
  })
})

describe('changed files are noticed', () => {
  const times = { quietMs: 20, pollMs: 20 }
  const closing: { close(): void }[] = []
  afterEach(() => {
    for (const watcher of closing.splice(0)) watcher.close()
  })
  const replace = (path: string) => {
    writeFileSync(`${path}.new`, '// moved')
    renameSync(`${path}.new`, path)
  }

  test.each([
    ['the entry', 'sub/index.js', (path: string) => writeFileSync(path, '// changed')],
    ['the entry, by a rename', 'sub/index.js', replace],
    ['the manifest', 'manifest.yaml', (path: string) => writeFileSync(path, 'name: w\nruntime: bun\n')],
    ['a file it named', 'lib/deep/a.js', (path: string) => writeFileSync(path, 'more')],
    ['the entry, gone', 'sub/index.js', (path: string) => rmSync(path)],
  ])('%s', async (_name, file, change) => {
    const manifest = dirs.add('w', { 'a.js': '' }, { entry: 'sub/index.js', watch: '[lib]' })
    for (const path of ['sub/index.js', 'lib/deep/a.js']) {
      await Bun.$`mkdir -p ${join(manifest.dir, path, '..')}`.quiet()
      writeFileSync(join(manifest.dir, path), '')
    }
    let changes = 0
    closing.push(watchExtension(manifest, () => (changes += 1), times))
    change(join(manifest.dir, file))
    await until(() => changes > 0)
    expect(changes).toBe(1)
  })

  test('a write without a change, or to another file, causes no reload', async () => {
    const manifest = dirs.add('w', { 'index.js': 'same' })
    let changes = 0
    const watcher = watchExtension(manifest, () => (changes += 1), times)
    writeFileSync(join(manifest.dir, 'index.js'), 'same')
    writeFileSync(join(manifest.dir, 'other.js'), 'other')
    await Bun.sleep(150)
    watcher.close()
    expect(changes).toBe(0)
  })

  test('and the host restarts the extension', async () => {
    const manifest = dirs.add('w', { 'index.js': worker(says('old')) })
    host = hostOf(dirs.base, recordingApp(dirs.base).app, { times: quick, watch: true })
    await host.start()
    expect(await work()).toBe('old')
    writeFileSync(join(manifest.dir, 'index.js'), worker(says('new')))
    let text: unknown
    await until(() => {
      work().then((said) => {
        text = said
      })
      return text === 'new'
    })
    expect(text).toBe('new')
  })
})

test('fifty extensions run side by side', async () => {
  for (let n = 0; n < 50; n += 1)
    dirs.add(
      `e${n}`,
      {
        'run.sh': `#!/bin/sh
read -r line <&3
echo '{"method":"register/tool","params":{"name":"t${n}"}}' >&4
echo '{"id":1,"result":{}}' >&4
while read -r line <&3; do
  id=$(printf '%s' "$line" | sed 's/.*"id":\\([0-9]*\\).*/\\1/')
  echo "{\\"id\\":$id,\\"result\\":{\\"content\\":[{\\"type\\":\\"text\\",\\"text\\":\\"${n}\\"}]}}" >&4
done
`,
      },
      { runtime: 'run.sh', entry: '' },
    )
  host = hostOf(dirs.base, recordingApp(dirs.base).app, { times: quick })
  await host.start()
  expect(host.list().filter(({ status }) => status?.state === 'running').length).toBe(50)
  const said = await Promise.all(
    Array.from({ length: 50 }, (_, n) => callTool(host as ExtensionHost, `t${n}`, {}, call)),
  )
  expect(said.map((outcome) => outcome?.content[0]?.text)).toEqual(
    Array.from({ length: 50 }, (_, n) => `${n}`),
  )
}, 60_000)

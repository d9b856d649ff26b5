// Extensions that die, hang, lie and flood: every request is answered or fails clearly, and everything else
// goes on.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { ExtensionHost } from '../../src/extensions/extension-host.ts'
import { collectInjections, streamAnswer, transformInput } from '../../src/extensions/prompt-chain.ts'
import type { LocalOffer } from '../../src/extensions/registry.ts'
import { callTool } from '../../src/extensions/tool-calls.ts'
import { hostOf, recordingApp } from './app.ts'
import { type ExtensionDirs, extensionDirs, nodeExtension } from './live.ts'

let dirs: ExtensionDirs
let host: ExtensionHost
let recorded: ReturnType<typeof recordingApp>
beforeEach(() => {
  dirs = extensionDirs()
  recorded = recordingApp(dirs.base)
})
afterEach(async () => {
  await host.stop()
  dirs[Symbol.dispose]()
})

const signal = new AbortController().signal
const call = { id: 'c', signal }
const local: LocalOffer = {
  tools: [
    {
      name: 'echo',
      description: '',
      parameters: {},
      execute: async () => ({ content: [{ type: 'text', text: 'echo' }], isError: false }),
    },
  ],
  commands: [],
}

const everything = [
  ['register/tool', { name: 'tool' }],
  ['register/command', { name: 'command' }],
  ['register/shortcut', { key: 'ctrl+g' }],
  ['register/compactor', { name: 'compactor' }],
  ['register/provider', { api: 'api' }],
  ['register/interceptor', { name: 'guard' }],
  ['register/messageHook', { name: 'hook' }],
  ['register/inputTransformer', { name: 'transformer' }],
  ['register/eventHandler', { name: 'ears' }],
]

/** An extension that handles everything well, except for one method. */
const except = (method: string, body: string) =>
  nodeExtension(`
const well = {
  'tool/execute': { content: [{ type: 'text', text: 'well' }] }, 'command/execute': {}, 'shortcut/handle': {}, 'compact/execute': { messages: [{ type: 'user', data: {} }] },
  'provider/stream': { message: { content: [], model: 'm' } }, 'interceptor/before': { allow: true }, 'interceptor/after': {}, 'messageHook/onMessage': { injection: 'more' },
  'inputTransformer/transform': { output: 'text' }, 'event/dispatch': {} }
function on(method, params, id) {
  if (method === 'initialize') {
    for (const [name, fields] of ${JSON.stringify(everything)}) say({ method: name, params: fields })
    return answer(id, {})
  }
  if (method === ${JSON.stringify(method)}) { ${body} }
  else if (id !== undefined) well[method] ? answer(id, well[method]) : say({ id, error: { code: -32601, message: 'method not found' } })
}`)

async function start(method: string, body: string, restMs = 60_000): Promise<void> {
  dirs.add('x', { 'index.js': except(method, body) })
  host = hostOf(dirs.base, recorded.app, {
    local,
    times: { restsMs: [restMs], probeMs: 60_000, graceMs: 500 },
  })
  await host.start()
}

const live = () => {
  const found = host.find('x')
  if (!found) throw new Error('x does not run')
  return found
}
const textOf = async (outcome: ReturnType<typeof callTool>) => (await outcome)?.content[0]?.text ?? ''
const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'it worked',
    (error: Error) => error.message,
  )
const problems: string[] = []

/** What the caller of each kind of request gets when the extension is killed during the request. */
const kinds: Record<string, [act: () => Promise<unknown>, expected: string | RegExp]> = {
  'tool/execute': [
    () => textOf(callTool(host, 'tool', {}, call)),
    /^ext x tool tool: extension x crashed \(killed by SIGKILL\)$/,
  ],
  'command/execute': [
    () => failureOf(live().request('command/execute', { name: 'command', args: '' })),
    /crashed/,
  ],
  'shortcut/handle': [() => failureOf(live().request('shortcut/handle', { key: 'ctrl+g' })), /crashed/],
  'compact/execute': [() => failureOf(host.compaction.compact([], signal)), /crashed/],
  'provider/stream': [
    () =>
      failureOf(streamAnswer(live(), { model: { id: 'm' }, messages: [] }, { signal, onDelta: () => {} })),
    /^extension x crashed/,
  ],
  // An interceptor that dies refuses the call before it, and changes nothing after it.
  'interceptor/before': [
    () => textOf(callTool(host, 'echo', {}, call)),
    /^interceptor guard before: extension x crashed/,
  ],
  'interceptor/after': [() => textOf(callTool(host, 'echo', {}, call)), 'echo'],
  'messageHook/onMessage': [
    () => collectInjections(host, 'hi', signal, (problem) => problems.push(problem)),
    '',
  ],
  'inputTransformer/transform': [() => failureOf(transformInput(host, 'hi', signal)), /crashed/],
  'event/dispatch': [
    async () => {
      host.dispatch('EventTurnStart', {})
      await host.eventsHeard()
      return recorded.logged.find((line) => line.includes('EventTurnStart')) ?? ''
    },
    /^warn: EventTurnStart: extension x crashed/,
  ],
}

describe('an extension is killed in the middle of', () => {
  test.each(Object.entries(kinds))('%s', async (method, [act, expected]) => {
    await start(method, `process.kill(process.pid, 'SIGKILL')`)
    const said = await act()
    if (typeof expected === 'string') expect(said).toBe(expected)
    else expect(said).toMatch(expected)
    // The bus, the registry and the other tools still work.
    expect([...host.registry.tools().keys()]).toEqual(['echo', 'tool'])
  })
})

describe('an extension that never answers', () => {
  test.each(['tool/execute', 'interceptor/before'])(
    '%s can be cancelled, and the caller continues',
    async (method) => {
      await start(method, '')
      const controller = new AbortController()
      const answer = textOf(
        callTool(
          host,
          method === 'tool/execute' ? 'tool' : 'echo',
          {},
          { id: 'c', signal: controller.signal },
        ),
      )
      await Bun.sleep(20)
      controller.abort(new Error('enough'))
      expect(await answer).toContain('enough')
      expect(host.find('x')?.isRunning()).toBe(true)
    },
  )
})

test('an answer that is repeated, late, or without a request changes nothing', async () => {
  await start(
    'tool/execute',
    `answer(999, {}); answer(id, { content: [{ type: 'text', text: 'first' }] }); answer(id, { content: [{ type: 'text', text: 'second' }] })`,
  )
  expect(await textOf(callTool(host, 'tool', {}, call))).toBe('first')
  expect(await textOf(callTool(host, 'tool', {}, call))).toBe('first')
})

test.each([
  ['text', `put('garbage\\n{"half":\\n'); answer(id, { content: [{ type: 'text', text: 'well' }] })`],
  [
    'bytes that are not text',
    `fs.writeSync(4, Buffer.from([0xff, 0xfe, 0x0a])); answer(id, { content: [{ type: 'text', text: 'well' }] })`,
  ],
  [
    'lines in pieces',
    `for (const letter of JSON.stringify({ id, result: { content: [{ type: 'text', text: 'well' }] } })) put(letter); put('\\n')`,
  ],
  ['an answer of another shape', `answer(id, { content: 'well' })`],
  ['an answer without a result', `say({ id })`],
])('an extension that writes %s', async (name, body) => {
  await start('tool/execute', body)
  const said = await textOf(callTool(host, 'tool', {}, call))
  if (name.startsWith('an answer')) expect(said).toContain('x gave an invalid answer to tool/execute')
  else expect(said).toBe('well')
})

test('a flood of notices and requests is served bit by bit, and other extensions are served meanwhile', async () => {
  const flood = `for (let n = 0; n < 5000; n += 1) say({ method: 'notify', params: { message: 'n' + n } })
    Promise.all(Array.from({ length: 2000 }, () => ask('host/toolDefs'))).then((all) => answer(id, { content: [{ type: 'text', text: all.filter((one) => one.result).length + ' answers' }] }))`
  dirs.add('other', { 'index.js': except('nothing', '').replaceAll('"tool"', '"other"') })
  await start('tool/execute', flood)
  const [flooded, other] = await Promise.all([
    textOf(callTool(host, 'tool', {}, call)),
    textOf(callTool(host, 'other', {}, call)),
  ])
  expect([flooded, other, recorded.told.filter(([method]) => method === 'notify').length]).toEqual([
    '2000 answers',
    'well',
    5000,
  ])
})

test('an extension that closes its channel but keeps running is killed', async () => {
  await start('tool/execute', `fs.closeSync(4); setInterval(() => {}, 1000)`)
  expect(await textOf(callTool(host, 'tool', {}, call))).toMatch(/extension x (crashed|closed)/)
})

test('a program that is stopped while requests are under way answers all of them', async () => {
  await start('tool/execute', '')
  const answers = Array.from({ length: 20 }, () => textOf(callTool(host, 'tool', {}, call)))
  await Bun.sleep(20)
  await host.stop()
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['ext x tool tool: extension x closed']))
})

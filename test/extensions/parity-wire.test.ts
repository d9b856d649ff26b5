// The rules that the tests of the reference program state for the wire, by number, checked against real
// processes. The other rules are tested beside their files: actions in action.test.ts, the shapes of params
// and results in table-shapes.test.ts, lines in table.test.ts, requests and answers in
// peer.test.ts, manifests and runtimes in manifest.test.ts.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { discoverExtensions } from '../../src/extensions/discover.ts'
import type { ExtensionHost } from '../../src/extensions/extension-host.ts'
import { noRegistrations, startExtension } from '../../src/extensions/start-extension.ts'
import { callTool } from '../../src/extensions/tool-calls.ts'
import { methods } from '../../src/protocol/extension/table.ts'
import { hostOf, recordingApp } from './app.ts'
import { type ExtensionDirs, extensionDirs, nodeExtension, recordingSide, startOptions } from './live.ts'
import { type Registered, scripted } from './scripted.ts'

let dirs: ExtensionDirs
let host: ExtensionHost | undefined
beforeEach(() => {
  dirs = extensionDirs()
})
afterEach(async () => {
  await host?.stop()
  host = undefined
  dirs[Symbol.dispose]()
})

const call = { id: 'c1', signal: new AbortController().signal }
const text = (said: string) => ({ type: 'text', text: said })
const image = { type: 'image', data: 'AA==', mime: 'image/png' }

async function started(
  registrations: Registered,
  handlers = {},
  app = recordingApp(dirs.base).app,
): Promise<ExtensionHost> {
  dirs.add('x', { 'index.js': scripted(registrations, handlers) })
  host = hostOf(dirs.base, app)
  await host.start()
  return host
}

describe('content, from an extension to the program and to another extension', () => {
  test.each([
    ['11, 16 text', [text('a')], [text('a')]],
    ['12, 17 an image', [image], [image]],
    ['13, 18 mixed, in order', [text('a'), image, text('b')], [text('a'), image, text('b')]],
    ['14, 19 nothing at all', null, []],
    ['15 an unknown kind is text', [{ type: 'video', text: 'a' }], [text('a')]],
    [
      'with the capital keys of Go',
      [{ Type: 'text', Text: 'a', Data: '', Mime: '' }],
      [{ type: 'text', text: 'a', data: '', mime: '' }],
    ],
  ])('%s', async (_name, sent, seen) => {
    const running = await started(
      [
        ['register/tool', { name: 't' }],
        ['register/tool', { name: 'relay' }],
      ],
      {
        'tool/execute': `if (params.name === 't') return answer(id, { content: ${JSON.stringify(sent)} })
          const { result } = await ask('host/executeTool', { name: 't', args: {} })
          answer(id, { content: [{ type: 'text', text: JSON.stringify(result.content) }] })`,
      },
    )
    expect((await callTool(running, 't', {}, call))?.content as unknown).toEqual(seen)
    expect(JSON.parse((await callTool(running, 'relay', {}, call))?.content[0]?.text ?? '')).toEqual(seen)
  })
})

describe('coded errors', () => {
  test.each([
    [
      '107 the code stands before the text',
      { content: [text('gone')], errorCode: 'TIMEOUT' },
      [text('[error:TIMEOUT] gone')],
    ],
    [
      '107 and the hint behind it',
      { content: [text('gone'), text('more')], errorCode: 'TIMEOUT', errorHint: 'wait' },
      [text('[error:TIMEOUT] gone\nhint: wait'), text('more')],
    ],
    [
      '108 once only',
      { content: [text('[error:IO_ERROR] gone')], errorCode: 'TIMEOUT', errorHint: 'wait' },
      [text('[error:IO_ERROR] gone')],
    ],
    ['109 without a code nothing changes', { content: [text('gone')], errorHint: 'wait' }, [text('gone')]],
    ['110 an image in front stays as it is', { content: [image], errorCode: 'TIMEOUT' }, [image]],
  ])('%s', async (_name, sent, seen) => {
    const running = await started([['register/tool', { name: 't' }]], {
      'tool/execute': `answer(id, ${JSON.stringify(sent)})`,
    })
    const outcome = await callTool(running, 't', {}, call)
    expect(outcome?.content as unknown).toEqual(seen)
    expect(outcome?.isError).toBe('errorCode' in sent)
  })

  test('36 an error that a tool reports stays an error, with or without a code', async () => {
    const running = await started([['register/tool', { name: 't' }]], {
      'tool/execute': `answer(id, { content: null, isError: true })`,
    })
    expect(await callTool(running, 't', {}, call)).toMatchObject({ isError: true, content: [] })
  })
})

test.each([
  ['22 without a filter all are heard', null, ['EventTurnEnd', 'EventToolEnd']],
  ['23 with an empty one as well', [], ['EventTurnEnd', 'EventToolEnd']],
  ['20, 21, 24 one that is listed by its name is', ['EventTurnEnd'], ['EventTurnEnd']],
  ['25 others are not', ['EventAgentEnd'], []],
] as const)('events: %s', async (_name, filter, heard) => {
  const { app, told } = recordingApp(dirs.base)
  const handlers = {
    'event/dispatch': `say({ method: 'showMessage', params: { text: params.type } }); answer(id, { action: null })`,
  }
  const running = await started([['register/eventHandler', { name: 'h', events: filter }]], handlers, app)
  running.dispatch('EventTurnEnd', { Assistant: null, ToolResults: null })
  running.dispatch('EventToolEnd', { ToolCallID: 'c', ToolName: 't', Result: null, IsError: false })
  await running.eventsHeard()
  expect(told.map(([, params]) => (params as { text: string }).text)).toEqual([...heard])
})

test('73–76 every method has the name it has always had', () => {
  const list = (prefix: string, names: string) => names.split(' ').map((name) => `${prefix}${name}`)
  const known = [
    'initialize shutdown $/cancelRequest tool/execute command/execute shortcut/handle compact/execute provider/stream provider/delta',
    'interceptor/before interceptor/after messageHook/onMessage inputTransformer/transform event/dispatch eventBus/event',
    'notify showMessage log setWidget showOverlay closeOverlay sendMessage setInputText steer abortWithMarker abort',
  ].flatMap((line) => list('', line))
  const registers = list(
    'register/',
    'tool command promptSection interceptor eventHandler shortcut messageHook inputTransformer compactor provider',
  )
  const services = [
    'listTools executeTool toolDefs commands shortcuts promptSections activateTool setToolFilter config.get config.readExtension auth.getKey',
    'chat agent.run availableModels switchModel syncModels writeModels runBackground cancelBackground isBackgroundRunning extInfos',
    'extensionsDir undoSnapshots undoRestore toggleStepMode requestQuit abort hasCompactor triggerCompact waitForIdle',
    'conversationMessages setConversationMessages llmSnapshot lastAssistantText sessions loadSession forkSession setSessionTitle',
    'sessionTitle sessionStats appendSessionEntry appendCustomMessage setLabel branchSession branchSessionWithSummary resetSessionLeaf',
    'sessionEntryInfos sessionFullTree showPicker askUser publish subscribe',
  ].flatMap((line) => list('host/', line))
  expect(Object.keys(methods).sort()).toEqual([...known, ...registers, ...services].sort())
})

test('77–84 each kind of registration is added to its list, with defaults filled in; 89 the lists start empty', async () => {
  expect(Object.values(noRegistrations()).every((list) => list.length === 0)).toBe(true)
  const all: Registered = [
    ['register/tool', { name: 'n', description: 'd', parameters: { type: 'object' } }],
    ['register/command', { name: 'n', description: 'd' }],
    ['register/promptSection', { title: 'n', content: 'c' }],
    ['register/interceptor', { name: 'n' }],
    ['register/eventHandler', { name: 'n', events: null }],
    ['register/shortcut', { key: 'ctrl+g' }],
    ['register/messageHook', { name: 'n', priority: 3 }],
    ['register/inputTransformer', { name: 'n' }],
    ['register/compactor', { name: 'n' }],
    ['register/provider', { api: 'n' }],
  ]
  const live = await startExtension(
    dirs.add('x', { 'i.js': scripted(all) }),
    recordingSide().side,
    startOptions(dirs.base),
  )
  expect(live.registrations).toMatchObject({
    'register/tool': [{ name: 'n', description: 'd', parameters: { type: 'object' }, deferred: false }],
    'register/command': [{ name: 'n', immediate: false }],
    'register/promptSection': [{ title: 'n', content: 'c', order: 0, tokenHint: 0 }],
    'register/interceptor': [{ name: 'n', priority: 0 }],
    'register/eventHandler': [{ name: 'n', events: [] }],
    'register/shortcut': [{ key: 'ctrl+g', description: '' }],
    'register/messageHook': [{ name: 'n', priority: 3 }],
    'register/inputTransformer': [{ name: 'n', priority: 0 }],
    'register/compactor': [{ name: 'n', threshold: 0 }],
    'register/provider': [{ api: 'n' }],
  })
  await live.stop()
})

test('86, 87 unknown notices and broken registrations of every kind change nothing', async () => {
  const broken = Object.keys(noRegistrations()).flatMap(
    (name): Registered => [
      [name, null],
      [name, 'x'],
      [name, { name: '', key: '', title: '', api: '' }],
      [name, { name: 7, key: 7, title: 7, api: 7 }],
    ],
  )
  const options = startOptions(dirs.base)
  const source = scripted([['whatever/this', { a: 1 }], ...broken, ['register/tool', { name: 'good' }]])
  const live = await startExtension(dirs.add('x', { 'i.js': source }), recordingSide().side, options)
  const left = Object.entries(live.registrations).flatMap(([name, list]) => list.map(() => name))
  expect(left).toEqual(['register/tool'])
  expect(options.logged.filter((line) => line.includes(`${join(dirs.base, 'x')}: register/`)).length).toBe(
    broken.length,
  )
  await live.stop()
})

test('88 everything an extension prints is in the log, line by line, on both streams', async () => {
  const source = `console.error('on error'); process.stderr.write('in '); process.stderr.write('pieces\\n'); console.log('on output')
    ${scripted([])}`
  const options = startOptions(dirs.base)
  const live = await startExtension(dirs.add('x', { 'i.js': source }), recordingSide().side, options)
  await live.stop()
  expect(options.logged.sort()).toEqual(['debug: in pieces', 'debug: on error', 'debug: on output'])
})

test('101 a missing directory has no extensions and causes no problem', () => {
  const nowhere = join(dirs.base, 'nowhere')
  expect(discoverExtensions({ userDir: nowhere, projectDir: nowhere, disabled: [] })).toEqual({
    extensions: [],
    problems: [],
  })
})

describe('what a program in Go writes', () => {
  test('its own ids, escaped characters, null for missing values, answers in any order', async () => {
    const source = nodeExtension(`const held = []
async function on(method, params, id) {
  if (method === 'initialize') {
    put('{"jsonrpc":"2.0","method":"register/tool","params":{"name":"t","description":"a \\\\u003c b \\\\u0026 c","parameters":null}}\\n')
    put('\\n{"jsonrpc":"2.0","id":null,"method":"log","params":{"level":"INFO","message":"m"}}\\n')
    return put('{"jsonrpc":"2.0","id":' + id + ',"result":null}\\n')
  }
  if (method !== 'tool/execute') return
  held.push([id, params.args.n])
  if (held.length === 3) for (const [i, n] of held.reverse()) answer(i, { content: [{ Type: 'text', Text: String(n) }], isError: null })
}`)
    const { side, told } = recordingSide()
    const live = await startExtension(dirs.add('go', { 'i.js': source }), side, startOptions(dirs.base))
    expect(live.registrations['register/tool'][0]).toMatchObject({ name: 't', description: 'a < b & c' })
    expect(told).toEqual([['log', { level: 'INFO', message: 'm' }]])
    const answers = await Promise.all(
      [1, 2, 3].map((n) => live.request('tool/execute', { callId: 'c', name: 't', args: { n } })),
    )
    expect(answers.map(({ content, isError }) => [content[0]?.text, isError])).toEqual([
      ['1', false],
      ['2', false],
      ['3', false],
    ])
    await live.stop()
  })
})

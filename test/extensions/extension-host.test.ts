import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExtensionHost } from '../../src/extensions/extension-host.ts'
import { collectInjections, streamAnswer, transformInput } from '../../src/extensions/prompt-chain.ts'
import type { LocalOffer } from '../../src/extensions/registry.ts'
import { callTool } from '../../src/extensions/tool-calls.ts'
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

const signal = new AbortController().signal
const call = { id: 'c1', signal }
const textOf = (outcome: { content: { text?: string | null | undefined }[] } | undefined) =>
  outcome?.content[0]?.text

/** An extension that registers these and handles requests with these bodies (`params`, `id` in scope). */
function extension(registrations: [string, object][], handlers: Record<string, string>): string {
  return nodeExtension(`
const heard = []
const handlers = { ${Object.entries(handlers)
    .map(([method, body]) => `${JSON.stringify(method)}: async (params, id) => { ${body} }`)
    .join(', ')} }
async function on(method, params, id) {
  if (method === 'initialize') {
    for (const [name, fields] of ${JSON.stringify(registrations)}) say({ method: name, params: fields })
    return answer(id, {})
  }
  if (handlers[method]) await handlers[method](params, id)
  else if (id !== undefined) say({ id, error: { code: -32601, message: 'method not found: ' + method } })
}`)
}

const echo: LocalOffer = {
  tools: [
    {
      name: 'echo',
      description: 'says it again',
      parameters: {},
      execute: async (args) => ({
        content: [{ type: 'text', text: String(args.text) }],
        isError: false,
        details: { length: String(args.text).length },
      }),
    },
  ],
  commands: [],
}

describe('tools', () => {
  test('an extension replaces a tool, and when it goes the tool is back', async () => {
    dirs.add('over', {
      'index.js': extension([['register/tool', { name: 'echo' }]], {
        'tool/execute': `answer(id, { content: [{ type: 'text', text: 'mine' }] })`,
      }),
    })
    host = hostOf(dirs.base, recordingApp(dirs.base).app, { local: echo })
    await host.start()
    expect(textOf(await callTool(host, 'echo', { text: 'a' }, call))).toBe('mine')
    host.registry.remove('over')
    expect(textOf(await callTool(host, 'echo', { text: 'a' }, call))).toBe('a')
    expect(await callTool(host, 'nothing', {}, call)).toBeUndefined()
  })

  test('the error of a tool has its code and its hint', async () => {
    const answer = `answer(id, params.name === 'coded' ? { content: [{ Type: 'text', Text: 'gone' }], errorCode: 'FILE_NOT_FOUND', errorHint: 'look' } : params.name === 'flagged' ? { content: null, isError: true } : (() => { throw 1 })())`
    const tools: [string, object][] = ['coded', 'flagged'].map((name) => ['register/tool', { name }])
    dirs.add('err', { 'index.js': extension(tools, { 'tool/execute': answer }) })
    host = hostOf(dirs.base, recordingApp(dirs.base).app)
    await host.start()
    expect(await callTool(host, 'coded', {}, call)).toMatchObject({
      isError: true,
      errorCode: 'FILE_NOT_FOUND',
      content: [{ text: '[error:FILE_NOT_FOUND] gone\nhint: look' }],
    })
    expect(await callTool(host, 'flagged', {}, call)).toMatchObject({ isError: true, content: [] })
  })

  test('an extension that lists permissions replaces other tools only with tools:override', async () => {
    const source = extension(
      [
        ['register/tool', { name: 'echo' }],
        ['register/tool', { name: 'new' }],
      ],
      {},
    )
    dirs.add('polite', { 'index.js': source }, { permissions: '["register:tools"]' })
    const { app, logged } = recordingApp(dirs.base)
    host = hostOf(dirs.base, app, { local: echo })
    await host.start()
    expect([host.registry.tools().get('echo')?.owner, host.registry.tools().get('new')?.owner]).toEqual([
      'builtin',
      'polite',
    ])
    expect(logged.join('\n')).toContain(
      'tool echo belongs to builtin already, and permissions do not list tools:override',
    )
  })
})

describe('interceptors', () => {
  const guard = (
    name: string,
    priority: number,
    before: string,
    after = 'answer(id, { details: params.details })',
  ) =>
    extension([['register/interceptor', { name, priority }]], {
      'interceptor/before': before,
      'interceptor/after': after,
    })

  test('higher priorities are asked first; each may change the arguments, and then the outcome', async () => {
    const add = (letter: string) =>
      `answer(id, { allow: true, args: { text: params.args.text + '${letter}' } })`
    const after = (letter: string) =>
      `params.details.content[0].text += '${letter}' + params.details.length; answer(id, { details: params.details })`
    dirs.add('low', { 'index.js': guard('low', 10, add('l'), after('L')) })
    dirs.add('high', { 'index.js': guard('high', 2000, add('h'), after('H')) })
    host = hostOf(dirs.base, recordingApp(dirs.base).app, { local: echo })
    await host.start()
    const outcome = await callTool(host, 'echo', { text: '.' }, call)
    expect([textOf(outcome), outcome?.details]).toEqual(['.hlH3L3', { length: 3 }])
  })

  test('an interceptor that refuses ends the call, with its own text or a default one, and without an error', async () => {
    dirs.add('no', {
      'index.js': guard(
        'no',
        1,
        `answer(id, params.args.text === 'a' ? { allow: false, preview: 'not this' } : null)`,
      ),
    })
    host = hostOf(dirs.base, recordingApp(dirs.base).app, { local: echo })
    await host.start()
    expect(await callTool(host, 'echo', { text: 'a' }, call)).toMatchObject({
      isError: false,
      content: [{ text: 'not this' }],
    })
    expect(textOf(await callTool(host, 'echo', { text: 'b' }, call))).toBe('blocked by interceptor: no')
  })

  test('an interceptor that fails or is dead refuses the call, and the error says so', async () => {
    dirs.add('frail', {
      'index.js': guard(
        'frail',
        1,
        `if (params.args.text === 'die') process.exit(1); say({ id, error: { code: 1, message: 'unsure' } })`,
      ),
    })
    host = hostOf(dirs.base, recordingApp(dirs.base).app, {
      local: echo,
      times: { restsMs: [60_000], probeMs: 60_000 },
    })
    await host.start()
    expect(await callTool(host, 'echo', { text: 'a' }, call)).toMatchObject({
      isError: true,
      content: [{ text: 'interceptor frail before: unsure' }],
    })
    expect(textOf(await callTool(host, 'echo', { text: 'die' }, call))).toContain(
      'extension frail crashed (exit code 1)',
    )
    expect(textOf(await callTool(host, 'echo', { text: 'a' }, call))).toContain(
      'interceptor frail before: extension frail is not running: it ended (exit code 1)',
    )
  })

  test('an interceptor without an after hook is not asked after the call', async () => {
    const source = extension([['register/interceptor', { name: 'early', hooks: ['before'] }]], {
      'interceptor/before': 'answer(id, { allow: true })',
      'interceptor/after': `answer(id, { details: 'changed' })`,
    })
    dirs.add('early', { 'index.js': source })
    host = hostOf(dirs.base, recordingApp(dirs.base).app, { local: echo })
    await host.start()
    expect(textOf(await callTool(host, 'echo', { text: 'same' }, call))).toBe('same')
  })
})

describe('the path of a prompt', () => {
  test('transformers change it in order, lowest priority first, each extension once', async () => {
    const source = (letter: string) =>
      `answer(id, { output: params.input + '${letter}', handled: params.input.includes('stop') })`
    const two: [string, object][] = [
      ['register/inputTransformer', { name: 'x', priority: 5 }],
      ['register/inputTransformer', { name: 'y', priority: 50 }],
    ]
    dirs.add('late', {
      'index.js': extension([['register/inputTransformer', { name: 'z', priority: 9 }]], {
        'inputTransformer/transform': source('z'),
      }),
    })
    dirs.add('soon', { 'index.js': extension(two, { 'inputTransformer/transform': source('a') }) })
    host = hostOf(dirs.base, recordingApp(dirs.base).app)
    await host.start()
    expect(await transformInput(host, '.', signal)).toEqual({ text: '.az', handled: false })
    expect(await transformInput(host, 'stop', signal)).toEqual({ text: 'stopa', handled: true })
  })

  test('message hooks add to it; one that fails adds nothing, and the others do', async () => {
    const hook = (name: string, priority: number, body: string) =>
      dirs.add(name, {
        'index.js': extension([['register/messageHook', { name, priority }]], {
          'messageHook/onMessage': body,
        }),
      })
    hook('b', 1, `answer(id, { injection: 'about ' + params.message })`)
    hook('a', 2, `answer(id, { injection: 'and more' })`)
    hook('c', 3, `say({ id, error: { code: 1, message: 'no' } })`)
    hook('d', 4, 'answer(id, null)')
    const problems: string[] = []
    host = hostOf(dirs.base, recordingApp(dirs.base).app)
    await host.start()
    expect(await collectInjections(host, 'cats', signal, (message) => problems.push(message))).toBe(
      'about cats\n\nand more',
    )
    expect(problems).toEqual(['message hook of c: no'])
  })
})

describe('events', () => {
  test('an extension hears an event once, in order, however many handlers it has, and its action is done', async () => {
    const source = extension(
      [
        ['register/eventHandler', { name: 'all' }],
        ['register/eventHandler', { name: 'ends', events: ['EventAgentEnd'] }],
      ],
      {
        'event/dispatch': `heard.push(params.type); answer(id, params.type === 'EventAgentEnd' ? { action: { type: 'setStatus', payload: { key: 'k', text: heard.join(' ') } } } : { action: null })`,
      },
    )
    const deaf = extension([['register/eventHandler', { name: 'one', events: ['EventTurnStart'] }]], {
      'event/dispatch': 'process.exit(1)',
    })
    dirs.add('ears', { 'index.js': source })
    dirs.add('other', { 'index.js': deaf })
    const { app, acted } = recordingApp(dirs.base)
    host = hostOf(dirs.base, app)
    await host.start()
    host.dispatch('EventAgentStart', {})
    host.dispatch('EventStreamDelta', { Kind: 'text', Index: 0, Delta: 'a' })
    host.dispatch('EventStreamDelta', { Kind: 'text', Index: 0, Delta: 'b' })
    host.dispatch('EventAgentEnd', { Messages: [] })
    await host.eventsHeard()
    expect(acted).toEqual([
      { type: 'setStatus', key: 'k', text: 'EventAgentStart EventStreamDelta EventAgentEnd' },
    ])
  })

  test('the bus delivers an event to all subscribers, the publisher included', async () => {
    const source = (name: string) =>
      extension([['register/command', { name }]], {
        'command/execute': `if (params.args === 'go') { await ask('host/publish', { topic: 't', data: { from: '${name}' } }); return answer(id, {}) }
          await ask('host/subscribe', { topic: 't' }); answer(id, {})`,
        'eventBus/event': `say({ method: 'showMessage', params: { text: '${name} heard ' + params.data.from } })`,
      })
    dirs.add('one', { 'index.js': source('one') })
    dirs.add('two', { 'index.js': source('two') })
    const { app, told } = recordingApp(dirs.base)
    host = hostOf(dirs.base, app)
    await host.start()
    for (const name of ['one', 'two']) await host.find(name)?.request('command/execute', { name, args: '' })
    await host.find('one')?.request('command/execute', { name: 'one', args: 'go' })
    await until(() => told.length >= 2)
    expect(told.map(([, params]) => (params as { text: string }).text).sort()).toEqual([
      'one heard one',
      'two heard one',
    ])
    await host.find('two')?.stop()
    host.bus.publish('t', { from: 'host' })
    await until(() => told.length >= 3)
    expect(told.length).toBe(3)
  })
})

test('an extension answers in place of a model: pieces first, then the final message', async () => {
  const source = extension([['register/provider', { api: 'parrot' }]], {
    'provider/stream': `
      if (params.system === 'fail') return answer(id, { error: 'no parrot' })
      if (params.system === 'wait') return
      for (const delta of ['po', 'lly']) say({ method: 'provider/delta', params: { requestId: params.requestId, type: 'text_delta', delta } })
      answer(id, { message: { content: [{ text: 'polly' }], model: 'p', provider: 'parrot', usage: { inputTokens: 1 }, stopReason: 'stop' } })`,
  })
  dirs.add('parrot', { 'index.js': source })
  host = hostOf(dirs.base, recordingApp(dirs.base).app)
  await host.start()
  expect([host.registry.provider('parrot'), host.registry.provider('openai')]).toEqual(['parrot', undefined])
  const live = host.find('parrot')
  if (!live) throw new Error('parrot does not run')
  const pieces: string[] = []
  const request = { model: { id: 'p' }, system: '', messages: [] }
  const message = await streamAnswer(live, request, { signal, onDelta: ({ delta }) => pieces.push(delta) })
  expect([pieces, message.content, message.usage.inputTokens]).toEqual([
    ['po', 'lly'],
    [{ text: 'polly' }],
    1,
  ])
  expect(streamAnswer(live, { ...request, system: 'fail' }, { signal, onDelta: () => {} })).rejects.toThrow(
    'no parrot',
  )
  const controller = new AbortController()
  const waiting = streamAnswer(
    live,
    { ...request, system: 'wait' },
    { signal: controller.signal, onDelta: () => {} },
  )
  controller.abort(new Error('enough'))
  expect(waiting).rejects.toThrow('enough')
})

test('the registered compactor shortens a conversation; after three failures in a row it rests for a while', async () => {
  dirs.add('short', {
    'index.js': extension([['register/compactor', { name: 'short', threshold: 500 }]], {
      'compact/execute': `params.messages.length > 2 ? answer(id, { messages: params.messages.slice(-1) }) : say({ id, error: { code: 1, message: 'cannot' } })`,
    }),
  })
  let now = 0
  host = hostOf(dirs.base, recordingApp(dirs.base).app, { clock: () => new Date(now) })
  await host.start()
  const { compaction } = host
  const messages = [1, 2, 3].map((data) => ({ type: 'user', data }))
  expect([compaction.isPresent(), compaction.threshold(9)]).toEqual([true, 500])
  expect(await compaction.compact(messages, signal)).toEqual([{ type: 'user', data: 3 }])
  for (let n = 0; n < 3; n += 1) {
    expect(compaction.isResting()).toBe(false)
    expect(compaction.compact([], signal)).rejects.toThrow('cannot')
    await Bun.sleep(20)
  }
  expect(compaction.isResting()).toBe(true)
  now = 6 * 60 * 1000
  expect(compaction.isResting()).toBe(false)
})

describe('the list of extensions', () => {
  test('extensions are found by name; bad ones are reported, and the others run', async () => {
    dirs.add('b', { 'index.js': extension([], {}) })
    const elsewhere = extensionDirs()
    const linked = elsewhere.add('a', { 'index.js': extension([['register/command', { name: 'a' }]], {}) })
    symlinkSync(linked.dir, join(dirs.base, 'zz-link'))
    dirs.add('b2', { 'index.js': '' }, { name: 'b' })
    dirs.add('off', { 'index.js': 'process.exit(1)' })
    mkdirSync(join(dirs.base, 'empty'))
    mkdirSync(join(dirs.base, 'bad'))
    writeFileSync(join(dirs.base, 'bad', 'manifest.yaml'), 'version: 1\n')
    writeFileSync(join(dirs.base, 'file'), '')
    dirs.add('dies', { 'index.js': 'process.exit(7)' })
    const { app, logged, announced } = recordingApp(dirs.base)
    host = hostOf(dirs.base, app, {
      places: { userDir: dirs.base, projectDir: undefined, disabled: ['off'] },
    })
    await host.start()
    expect(
      host
        .list()
        .map(({ manifest, status }) => `${manifest.name} ${status?.state}`)
        .sort(),
    ).toEqual(['a running', 'b running', 'dies degraded'])
    expect(host.problems().map((problem) => problem.replace(dirs.base, ''))).toEqual([
      `/b2: the name b is taken by ${dirs.base}/b, which is used instead.`,
      '/bad/manifest.yaml: name is required.',
    ])
    expect(logged.length).toBeGreaterThan(1)
    expect(announced.join('\n')).toContain(
      'dies could not be started: initialize dies: extension dies crashed (exit code 7)',
    )
    elsewhere[Symbol.dispose]()
  })

  test('an extension may ask for all extensions and their registrations', async () => {
    const source = extension(
      [
        [
          'register/tool',
          {
            name: 'mine',
            description: 'd',
            parameters: { type: 'object' },
            deferred: true,
            backgroundSafe: true,
          },
        ],
        ['register/command', { name: 'show', description: 'c' }],
        ['register/shortcut', { key: 'ctrl+g', description: 'k' }],
        ['register/promptSection', { title: 'T', content: 'x', tokenHint: 3 }],
        ['register/compactor', { name: 'comp' }],
      ],
      {
        'command/execute': `const names = ['host/listTools', 'host/toolDefs', 'host/commands', 'host/shortcuts', 'host/promptSections', 'host/extInfos', 'host/extensionsDir', 'host/hasCompactor']
          const all = {}
          for (const name of names) all[name] = (await ask(name, name === 'host/listTools' ? { filter: 'background_safe' } : undefined)).result
          all.run = (await ask('host/executeTool', { name: 'echo', args: { text: 'hi' } })).result
          all.unknown = (await ask('host/executeTool', { name: 'none' })).error
          fs.writeFileSync('all.json', JSON.stringify(all)); answer(id, {})`,
      },
    )
    const manifest = dirs.add('asks', { 'index.js': source })
    host = hostOf(dirs.base, recordingApp(dirs.base).app, { local: echo })
    await host.start()
    await host.find('asks')?.request('command/execute', { name: 'show', args: '' })
    expect(JSON.parse(readFileSync(join(manifest.dir, 'all.json'), 'utf8'))).toEqual({
      'host/listTools': {
        tools: [{ name: 'mine', description: 'd', parameters: { type: 'object' }, deferred: true }],
      },
      'host/toolDefs': {
        tools: [
          { name: 'echo', description: 'says it again' },
          { name: 'mine', description: 'd' },
        ],
      },
      'host/commands': { commands: [{ name: 'show', description: 'c' }] },
      'host/shortcuts': { shortcuts: { 'ctrl+g': { description: 'k' } } },
      'host/promptSections': { sections: [{ title: 'T', tokenHint: 3 }] },
      'host/extInfos': {
        extensions: [
          { name: 'builtin', kind: 'builtin', tools: ['echo'], commands: [] },
          {
            name: 'asks',
            kind: 'external',
            version: '1.0',
            runtime: 'node',
            tools: ['mine'],
            commands: ['show'],
            shortcuts: ['ctrl+g'],
            promptSections: ['T'],
            compactor: 'comp',
          },
        ],
      },
      'host/extensionsDir': { path: dirs.base },
      'host/hasCompactor': { present: true },
      run: { content: [{ type: 'text', text: 'hi' }] },
      unknown: { code: -32604, message: 'unknown tool: none' },
    })
  })
})

// The answers of an extension made with the kit, by the rules of the protocol.
import { describe, expect, test } from 'bun:test'
import { toolErrorCodes } from '../../src/protocol/extension/content.ts'
import {
  actions,
  createExtension,
  defineExtension,
  defineTool,
  type Extension,
  ToolError,
} from '../../src/sdk/extension.ts'
import { until } from '../support/until.ts'
import { inMemoryHost } from './in-memory-host.ts'

const plain = () => createExtension({ name: 'sample', version: '1.2.3' })
const rejection = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    ({ code, message }) => ({ code, message }),
  )

describe('the handshake', () => {
  test('everything is registered in the order of the protocol, and then the answer has name and version', async () => {
    const extension = defineExtension({
      name: 'sample',
      version: '1.2.3',
      providers: { mine: async function* () {} },
      compactor: { compact: (messages) => messages, threshold: 50_000 },
      inputTransformer: () => undefined,
      messageHook: () => undefined,
      shortcuts: { 'ctrl+k': { description: 'K', handler: () => undefined } },
      events: { EventTurnEnd: () => undefined, EventAgentEnd: () => undefined },
      interceptors: { guard: { priority: 2000, before: () => true } },
      promptSections: { Rules: { content: 'Be kind.', order: 5 } },
      commands: { wave: { description: 'Waves', handler: () => {} } },
      tools: {
        greet: defineTool({ description: 'Greets', promptHint: 'hint', deferred: true, execute: () => 'hi' }),
      },
    })
    const host = inMemoryHost(extension)
    expect(await host.initialize()).toEqual({ name: 'sample', version: '1.2.3' })
    expect(host.heard).toEqual([
      [
        'register/tool',
        {
          name: 'greet',
          description: 'Greets',
          parameters: { type: 'object', properties: {} },
          promptHint: 'hint',
          deferred: true,
        },
      ],
      ['register/command', { name: 'wave', description: 'Waves' }],
      ['register/promptSection', { title: 'Rules', content: 'Be kind.', order: 5 }],
      ['register/interceptor', { name: 'guard', priority: 2000, hooks: ['before'] }],
      [
        'register/eventHandler',
        { name: 'EventTurnEnd+EventAgentEnd', priority: 0, events: ['EventTurnEnd', 'EventAgentEnd'] },
      ],
      ['register/shortcut', { key: 'ctrl+k', description: 'K' }],
      ['register/messageHook', { name: 'sample', priority: 0 }],
      ['register/inputTransformer', { name: 'sample', priority: 0 }],
      ['register/compactor', { name: 'compactor', threshold: 50_000 }],
      ['register/provider', { api: 'mine' }],
    ])
    expect([extension.cwd, extension.configDir]).toEqual(['/project', '/config/ext'])
  })

  test('onInit knows its directories, may ask the host, and may register before the answer', async () => {
    const extension = plain()
    extension.onInit(async ({ cwd, host }) => {
      const [first] = await host.toolDefs()
      extension.tool(`like-${first?.name}`, { description: cwd, execute: () => 'x' })
    })
    const host = inMemoryHost(extension, () => ({ tools: [{ name: 'read' }] }))
    await host.initialize()
    expect(host.heard.map(([method]) => method)).toEqual(['host/toolDefs', 'register/tool'])
    expect(host.heard[1]?.[1]).toMatchObject({ name: 'like-read', description: '/project' })
  })

  test('an onInit that fails is an error, not a half-started extension', async () => {
    const extension = plain().onInit(() => Promise.reject(new Error('no database')))
    expect(await rejection(inMemoryHost(extension).initialize())).toEqual({
      code: -32603,
      message: 'no database',
    })
  })

  test.each<[string, (extension: Extension) => unknown]>([
    ['tool', (extension) => extension.tool('late', { description: '', execute: () => '' })],
    ['command', (extension) => extension.command('late', { description: '', handler: () => {} })],
    ['prompt section', (extension) => extension.promptSection('late', { content: '' })],
    ['listener', (extension) => extension.onEvent('all', () => undefined)],
    ['compactor', (extension) => extension.compactor({ compact: (messages) => messages })],
    ['provider', (extension) => extension.provider('late', async function* () {})],
  ])(
    'a %s that is offered after the handshake is an error, because no host would hear of it',
    async (_kind, late) => {
      const extension = plain()
      await inMemoryHost(extension).initialize()
      expect(() => late(extension)).toThrow('comes too late')
    },
  )

  test.each<[string, (extension: Extension) => unknown, string]>([
    [
      'an empty name',
      (extension) => extension.tool('', { description: '', execute: () => '' }),
      'a tool requires a name',
    ],
    [
      'an empty name of an interceptor',
      (extension) => extension.interceptor('', { before: () => undefined } as never),
      'an interceptor requires a name',
    ],
    [
      'no function',
      (extension) => extension.command('x', { description: '' } as never),
      'command x requires a function',
    ],
    [
      'a name twice',
      (extension) => extension.promptSection('A', { content: '' }).promptSection('A', { content: '' }),
      'prompt section A is already defined',
    ],
    [
      'a key without ctrl or alt',
      (extension) => extension.shortcut('shift+k', { description: '', handler: () => undefined }),
      'is not a valid key',
    ],
    [
      'an interceptor that does nothing',
      (extension) => extension.interceptor('x', {}),
      'requires a function',
    ],
  ])('%s is refused at once', (_what, offer, message) => {
    expect(() => offer(plain())).toThrow(message)
  })
})

describe('tools', () => {
  const tooled = () =>
    inMemoryHost(
      plain()
        .tool('greet', {
          description: 'Greets',
          parameters: {
            type: 'object',
            properties: { name: { type: 'string' }, times: { type: 'integer' } },
            required: ['name'],
          },
          execute: ({ name, times = 1 }, { callId }) =>
            `${callId}: ${Array(times).fill(name.toUpperCase()).join(' ')}`,
        })
        .tool('fail', { description: '', execute: () => Promise.reject(new Error('broken')) })
        .tool('image', {
          description: '',
          execute: () => ({ content: [{ type: 'image', data: 'AAAA', mime: 'image/png' }] }),
        })
        .tool('legacy', { description: '', execute: () => ({ text: 'as ever', isError: true }) })
        .tool('silent', { description: '', execute: () => undefined }),
    )
  const call = (host: ReturnType<typeof tooled>, name: string, args: unknown = {}) =>
    host.request('tool/execute', { callId: 'c1', name, args })

  test('a tool gets its arguments, and may answer with a plain text', async () => {
    const host = tooled()
    expect(await call(host, 'greet', { name: 'ada', times: 2 })).toEqual({
      content: [{ type: 'text', text: 'c1: ADA ADA' }],
    })
    expect(await call(host, 'image')).toEqual({
      content: [{ type: 'image', data: 'AAAA', mime: 'image/png' }],
    })
    expect(await call(host, 'legacy')).toEqual({
      content: [{ type: 'text', text: 'as ever' }],
      isError: true,
    })
    expect(await call(host, 'silent')).toEqual({ content: [] })
  })

  test('an unknown tool is an invalid parameter', async () => {
    expect(await rejection(call(tooled(), 'nobody'))).toEqual({
      code: -32602,
      message: 'unknown tool: nobody',
    })
  })

  test('an exception in a tool is an error of the call', async () => {
    expect(await rejection(call(tooled(), 'fail'))).toEqual({ code: -32603, message: 'broken' })
  })

  test.each([
    [{}, 'greet: arguments.name is missing'],
    [{ name: 5 }, 'greet: arguments.name must be string'],
    [{ name: 'a', times: 1.5 }, 'greet: arguments.times must be integer'],
  ])('arguments %j that its types do not allow do not reach it', async (args, text) => {
    const answer = await call(tooled(), 'greet', args)
    expect(answer).toMatchObject({
      content: [{ type: 'text', text }],
      isError: true,
      errorCode: 'INVALID_ARGS',
    })
  })

  test.each([...toolErrorCodes])(
    'an error with the code %s says so, with a hint when there is one',
    async (code) => {
      const host = inMemoryHost(
        plain()
          .tool('thrown', {
            description: '',
            execute: () => Promise.reject(new ToolError(code, 'went wrong', 'try again')),
          })
          .tool('returned', { description: '', execute: () => new ToolError(code, 'went wrong') }),
      )
      const text = { content: [{ type: 'text', text: 'went wrong' }], isError: true, errorCode: code }
      expect(await host.request('tool/execute', { callId: '', name: 'thrown', args: {} })).toEqual({
        ...text,
        errorHint: 'try again',
      })
      expect(await host.request('tool/execute', { callId: '', name: 'returned', args: {} })).toEqual(text)
    },
  )

  test('a cancelled call aborts its signal and its requests to the host, and is still answered', async () => {
    const seen: string[] = []
    const extension = plain().tool('slow', {
      description: '',
      async execute(_args, { signal, host }) {
        signal.addEventListener('abort', () => seen.push('aborted'))
        await host.chat({ messages: [{ role: 'user', content: 'think' }] })
      },
    })
    const host = inMemoryHost(
      extension,
      (_method, _params, signal) =>
        new Promise(() => signal.addEventListener('abort', () => seen.push('chat taken back'))),
    )
    await host.initialize()
    const controller = new AbortController()
    const asked = rejection(
      host.request('tool/execute', { callId: '', name: 'slow', args: {} }, { signal: controller.signal }),
    )
    await until(() => host.heard.some(([method]) => method === 'host/chat'))
    controller.abort()
    await asked
    await until(() => host.lines.some((line) => line.includes('"error"')))
    expect(seen).toEqual(['aborted', 'chat taken back'])
    expect(host.lines.some((line) => line.includes('$/cancelRequest'))).toBe(true)
  })

  test('an answer that is too long for a line becomes an error', async () => {
    const host = inMemoryHost(plain().tool('long', { description: '', execute: () => 'x'.repeat(5_000_000) }))
    expect(
      (await rejection(host.request('tool/execute', { callId: '', name: 'long', args: {} })))?.message,
    ).toContain('a line must be below')
  })
})

describe('unknown commands, keys and methods', () => {
  test('a command gets the text after its name; an unknown command is an invalid parameter', async () => {
    const heard: string[] = []
    const host = inMemoryHost(
      plain().command('wave', { description: '', handler: (args, { cwd }) => heard.push(args, cwd) }),
    )
    await host.initialize()
    expect(await host.request('command/execute', { name: 'wave', args: 'at  her' })).toEqual({})
    expect(heard).toEqual(['at  her', '/project'])
    expect(await rejection(host.request('command/execute', { name: 'x', args: '' }))).toMatchObject({
      code: -32602,
    })
  })

  test('a key may answer with an action', async () => {
    const host = inMemoryHost(
      plain().shortcut('ctrl+shift+k', { description: '', handler: () => actions.setStatus('k', 'pressed') }),
    )
    expect(await host.request('shortcut/handle', { key: 'ctrl+shift+k' })).toEqual({
      action: { type: 'setStatus', payload: { key: 'k', text: 'pressed' } },
    })
    expect(await rejection(host.request('shortcut/handle', { key: 'ctrl+x' }))).toMatchObject({
      code: -32602,
    })
  })

  test.each(['nothing/known', 'register/tool', 'toString', '__proto__'])(
    '%s is an unknown method',
    async (method) => {
      expect(await rejection(inMemoryHost(plain()).request(method, {}))).toEqual({
        code: -32601,
        message: `method not found: ${method}`,
      })
    },
  )

  test('invalid parameters are named', async () => {
    const { code, message } =
      (await rejection(inMemoryHost(plain()).request('tool/execute', { name: 5 }))) ?? {}
    expect([code, message]).toEqual([-32602, expect.stringContaining('invalid params: name')])
  })
})

describe('interceptors', () => {
  const guarded = () => {
    const asked: string[] = []
    const extension = plain()
      .interceptor('low', { priority: 1, before: ({ args }) => void asked.push(`low ${args.path}`) })
      .interceptor('rewrite', { priority: 500, before: ({ args }) => ({ args: { ...args, path: 'safe' } }) })
      .interceptor('guard', {
        priority: 2000,
        before: ({ toolName }) => toolName !== 'bash',
        preview: ({ toolName }) => `${toolName} is not allowed here`,
      })
      .interceptor('own-words', { before: () => ({ allow: false, preview: 'not today' }) })
      .interceptor('after-only', {
        after: ({ content }) => ({
          content: content.map((block) => ({ type: 'text', text: `${'text' in block ? block.text : ''}!` })),
        }),
      })
      .interceptor('details', { after: ({ details }) => ({ details: { was: details } }) })
      .interceptor('broken', { before: () => Promise.reject(new Error('no opinion')) })
    return { asked, host: inMemoryHost(extension) }
  }
  const before = (name: string, toolName = 'write', args = { path: 'a' }) =>
    guarded().host.request('interceptor/before', { name, toolName, args })
  const after = (name: string, details: unknown) =>
    guarded().host.request('interceptor/after', { name, toolName: 'read', details })

  test('only the named interceptor runs, and without objection it returns the arguments', async () => {
    const { host, asked } = guarded()
    expect(
      await host.request('interceptor/before', { name: 'low', toolName: 'write', args: { path: 'a' } }),
    ).toEqual({
      allow: true,
      args: { path: 'a' },
    })
    expect(asked).toEqual(['low a'])
  })

  test('arguments can be changed', async () => {
    expect(await before('rewrite')).toEqual({ allow: true, args: { path: 'safe' } })
  })

  test('a refusal is an answer with a preview, not an error', async () => {
    expect(await before('guard', 'bash')).toEqual({ allow: false, preview: 'bash is not allowed here' })
    expect(await before('own-words')).toEqual({ allow: false, preview: 'not today' })
  })

  test('a failing or unknown interceptor does not count as consent', async () => {
    expect(await rejection(before('broken'))).toEqual({ code: -32603, message: 'no opinion' })
    expect(await rejection(before('nobody'))).toEqual({
      code: -32602,
      message: 'unknown interceptor: nobody',
    })
  })

  test('without a name all are asked, highest priority first, each with the result of the one before', async () => {
    const { host, asked } = guarded()
    await rejection(host.request('interceptor/before', { name: '', toolName: 'write', args: { path: 'a' } }))
    expect(asked).toEqual(['low safe'])
  })

  test.each([
    [
      'blocks',
      { content: [{ type: 'text', text: 'a' }], added: 1 },
      { content: [{ type: 'text', text: 'a!' }], added: 1 },
    ],
    [
      'blocks with capital keys',
      { content: [{ Type: 'text', Text: 'a' }] },
      { content: [{ type: 'text', text: 'a!' }] },
    ],
    ['a text', 'a', { content: [{ type: 'text', text: 'a!' }] }],
    ['nothing', null, { content: [] }],
  ])('the result of a tool can be changed when it was given as %s', async (_form, details, changed) => {
    expect(await after('after-only', details)).toEqual({ details: changed })
  })

  test('details can be replaced, and stay unchanged without an answer', async () => {
    expect(await after('details', { a: 1 })).toEqual({ details: { was: { a: 1 } } })
    expect(await after('guard', { a: 1 })).toEqual({ details: { a: 1 } })
  })

  test('an interceptor with one hook is registered for that one only, and allows a call if a host asks for the other', async () => {
    const { host } = guarded()
    await host.initialize()
    const hooks = Object.fromEntries(
      host.heard.map(([, params]) => [
        (params as { name: string }).name,
        (params as { hooks: string[] }).hooks,
      ]),
    )
    expect(hooks).toMatchObject({ guard: ['before'], 'after-only': ['after'] })
    expect(await host.request('interceptor/before', { name: 'after-only', toolName: 'x', args: {} })).toEqual(
      { allow: true, args: {} },
    )
  })
})

describe('prompts and input', () => {
  test('all message hooks of the extension run, lowest priority first, and their additions are joined', async () => {
    const extension = plain()
      .messageHook((message) => `second ${message}`, { priority: 10 })
      .messageHook(() => undefined, { priority: 5 })
      .messageHook(() => 'first', { priority: -1, name: 'early' })
    const host = inMemoryHost(extension)
    await host.initialize()
    expect(host.heard).toEqual([['register/messageHook', { name: 'early+sample+sample', priority: -1 }]])
    expect(await host.request('messageHook/onMessage', { message: 'hi' })).toEqual({
      injection: 'first\nsecond hi',
    })
  })

  test('input goes through all transformers until one has handled it', async () => {
    const extension = plain()
      .inputTransformer((input) => `${input} b`, { priority: 2 })
      .inputTransformer((input) => (input === 'stop' ? { handled: true } : undefined), { priority: 1 })
    const host = inMemoryHost(extension)
    expect(await host.request('inputTransformer/transform', { input: 'a' })).toEqual({
      output: 'a b',
      handled: false,
    })
    expect(await host.request('inputTransformer/transform', { input: 'stop' })).toEqual({
      output: 'stop',
      handled: true,
    })
  })

  test('a compactor gets messages without null lists, and its answer is the conversation', async () => {
    const extension = plain().compactor({
      compact: (messages) =>
        messages.filter((entry) => entry.type !== 'assistant' || entry.data.content.length > 0),
    })
    const host = inMemoryHost(extension)
    const user = { type: 'user', data: { content: 'hi', custom: 1 } }
    const answer = await host.request('compact/execute', {
      messages: [
        user,
        { type: 'assistant', data: { content: null, model: 'm' } },
        { type: 'other', data: 7 },
      ],
    })
    expect(answer).toMatchObject({ messages: [user, { type: 'other', data: 7 }] })
  })
})

describe('the end', () => {
  test('a running handler is notified of the shutdown and has a moment to finish', async () => {
    const log: string[] = []
    const extension = plain()
      .tool('work', {
        description: '',
        execute: (_args, { signal }) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () => setTimeout(() => resolve(`${log.push('cleaned up')}`), 10))
          }),
      })
      .onShutdown(() => void log.push('closed'))
    const host = inMemoryHost(extension)
    void rejection(host.request('tool/execute', { callId: '', name: 'work', args: {} }))
    await Bun.sleep(5)
    await host.end()
    expect(log.sort()).toEqual(['cleaned up', 'closed'])
  })

  test('a handler that never ends does not hold up the shutdown', async () => {
    const host = inMemoryHost(
      plain().tool('forever', { description: '', execute: () => new Promise<string>(() => {}) }),
    )
    void rejection(host.request('tool/execute', { callId: '', name: 'forever', args: {} }))
    await Bun.sleep(5)
    await host.end()
    expect(host.waiting()).toBe(1)
  })
})

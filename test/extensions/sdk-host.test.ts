// The kit for extensions: requests to the host, events, and answers in place of a model.
import { describe, expect, test } from 'bun:test'
import { safeParse } from 'valibot'
import { type EventName, extensionEvents } from '../../src/protocol/extension/events.ts'
import { methods } from '../../src/protocol/extension/table.ts'
import { clientName, gives, takes } from '../../src/sdk/extension/host.ts'
import {
  actions,
  createExtension,
  HostError,
  isAssistant,
  isToolResult,
  isUser,
  textOf,
} from '../../src/sdk/extension.ts'
import { until } from '../support/until.ts'
import { inMemoryHost } from './in-memory-host.ts'

const plain = () => createExtension({ name: 'sample', version: '1.2.3' })
const rejection = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error) => error,
  )
const requests = Object.entries(methods).filter(
  ([name, method]) => name.startsWith('host/') && 'result' in method,
)
type Entries = { entries?: Record<string, unknown>; wrapped?: { entries?: Record<string, unknown> } }
const fieldsOf = (schema: unknown) =>
  Object.keys((schema as Entries).entries ?? (schema as Entries).wrapped?.entries ?? {})

describe('the host', () => {
  test('every request of the protocol is a function of the same name', () => {
    const { host } = plain()
    for (const [name] of requests) expect(host[clientName(name) as 'chat']).toBeInstanceOf(Function)
    expect([clientName('host/config.readExtension'), clientName('host/agent.run')]).toEqual([
      'configReadExtension',
      'agentRun',
    ])
  })

  test('a request with one parameter takes it directly, and one with one result returns it directly', () => {
    const single = (side: 'params' | 'result') =>
      requests.filter(([, method]) => fieldsOf((method as never)[side]).length === 1)
    expect(single('params').map(([name]) => name)).toEqual(
      Object.keys(takes).filter((name) => name.startsWith('host/')),
    )
    for (const [name, method] of single('result'))
      expect([name, fieldsOf((method as never as { result: unknown }).result)]).toEqual([
        name,
        [gives[name as never]],
      ])
    expect(Object.keys(gives).sort()).toEqual(
      single('result')
        .map(([name]) => name)
        .sort(),
    )
  })

  test('each sends valid params and returns the result of the host', async () => {
    const extension = plain()
    const wrong: string[] = []
    const host = inMemoryHost(extension, (method, params) => {
      if (!safeParse(methods[method as 'host/chat'].params, params).success) wrong.push(method)
      return {}
    })
    const values: Record<string, unknown> = { keys: ['a'], names: ['a'], overrides: {}, messages: null }
    const objects: Record<string, unknown> = {
      'host/executeTool': { name: 'read', args: {} },
      'host/chat': { messages: [] },
      'host/agent.run': { task: 'x' },
      'host/switchModel': { modelId: 'a/b' },
      'host/appendSessionEntry': { kind: 'ext:x', data: 1 },
      'host/appendCustomMessage': { role: 'user', content: 'x' },
      'host/setLabel': { targetId: 'a', label: 'b' },
      'host/branchSessionWithSummary': { entryId: 'a', summary: 'b' },
      'host/showPicker': { title: 'x', items: [] },
      'host/askUser': { prompt: 'x', choices: ['a'] },
      'host/publish': { topic: 'x', data: 1 },
    }
    for (const [name] of requests) {
      const field = takes[name as keyof typeof takes]
      const call = extension.host[clientName(name) as 'setSessionTitle'] as (
        value?: unknown,
        more?: unknown,
      ) => Promise<unknown>
      if (name === 'host/subscribe') await extension.host.subscribe('x', () => {})
      else if (field !== undefined) await call(field in values ? values[field] : 'x')
      else await (objects[name] === undefined ? call() : call(objects[name]))
    }
    expect(wrong).toEqual([])
    expect(host.heard.map(([method]) => method)).toEqual(requests.map(([name]) => name))
  })

  test('results have defaults: a list that is null is empty', async () => {
    const extension = plain()
    inMemoryHost(extension, (method) => (method === 'host/sessionStats' ? { turnCount: 3 } : { tools: null }))
    expect(await extension.host.listTools('all')).toEqual([])
    expect(await extension.host.sessionStats()).toMatchObject({ turnCount: 3, totalCost: 0, model: '' })
  })

  test('a picker returns the choice, or null when the user dismisses it', async () => {
    const extension = plain()
    const chosen = ['b', '']
    inMemoryHost(extension, () => ({ selected: chosen.shift() }))
    const pick = () => extension.host.showPicker({ title: 'Which?', items: [{ id: 'b', label: 'B' }] })
    expect([await pick(), await pick()]).toEqual(['b', null])
  })

  test('a question to the user returns the choice, or that it was dismissed', async () => {
    const extension = plain()
    const chosen = [{ selected: 'yes' }, { selected: '', cancelled: true }]
    inMemoryHost(extension, () => chosen.shift())
    const ask = () => extension.host.askUser({ prompt: 'Really?', choices: ['yes', 'no'] })
    expect([await ask(), await ask()]).toEqual([
      { selected: 'yes', cancelled: false },
      { selected: '', cancelled: true },
    ])
  })

  test('a question that cannot be answered is not asked', async () => {
    const extension = plain()
    const host = inMemoryHost(extension)
    expect(await rejection(extension.host.askUser({ prompt: 'Really?', choices: [] }))).toMatchObject({
      code: -32602,
    })
    expect(await rejection(extension.host.activateTool(''))).toMatchObject({
      code: -32602,
      message: 'host/activateTool: name: must not be empty',
    })
    expect(host.heard).toEqual([])
  })

  test('an error of the host has its code, and says which call it was', async () => {
    const extension = plain()
    inMemoryHost(extension, () => Promise.reject(new HostError(-32604, 'unknown tool: x')))
    const error = await rejection(extension.host.executeTool({ name: 'x' }))
    expect(error).toBeInstanceOf(HostError)
    expect(error).toMatchObject({ code: -32604, message: 'host/executeTool: unknown tool: x' })
  })

  test('a call can be cancelled, and has a time limit', async () => {
    const extension = plain()
    const taken: string[] = []
    inMemoryHost(
      extension,
      (method, _params, signal) =>
        new Promise(() => signal.addEventListener('abort', () => taken.push(method))),
    )
    const controller = new AbortController()
    const waiting = rejection(extension.host.waitForIdle({ signal: controller.signal }))
    controller.abort(new Error('enough'))
    expect((await waiting).message).toBe('enough')
    expect((await rejection(extension.host.sessionTitle({ timeoutMs: 10 }))).message).toBe(
      'host/sessionTitle: no answer within 10 ms',
    )
    await Bun.sleep(1)
    expect(taken).toEqual(['host/waitForIdle', 'host/sessionTitle'])
  })

  test('before it runs there is no host to ask', async () => {
    expect((await rejection(plain().host.sessionTitle())).message).toContain('call run() first')
  })

  test('notices are sent unchanged', async () => {
    const extension = plain()
    const host = inMemoryHost(extension)
    const {
      notify,
      log,
      showMessage,
      setWidget,
      showOverlay,
      closeOverlay,
      sendMessage,
      setInputText,
      steer,
      abortWithMarker,
      tell,
    } = extension.host
    const said = await Promise.all([
      notify('a'),
      notify('b', 'error'),
      log('debug', 'c'),
      showMessage('d'),
      setWidget({ key: 'k', placement: 'below-status', content: 'e' }),
      showOverlay({ key: 'k', content: 'f' }),
      closeOverlay('k'),
      sendMessage('g'),
      setInputText('h'),
      steer('i'),
      abortWithMarker('j'),
      tell('abort', {}),
      showMessage('x'.repeat(5_000_000)),
    ])
    await Bun.sleep(1)
    expect<boolean[]>(said).toEqual([...Array(12).fill(true), false])
    expect(host.heard).toEqual([
      ['notify', { message: 'a', level: 'info' }],
      ['notify', { message: 'b', level: 'error' }],
      ['log', { level: 'debug', message: 'c' }],
      ['showMessage', { text: 'd' }],
      ['setWidget', { key: 'k', placement: 'below-status', content: 'e' }],
      ['showOverlay', { key: 'k', content: 'f' }],
      ['closeOverlay', { key: 'k' }],
      ['sendMessage', { content: 'g' }],
      ['setInputText', { text: 'h' }],
      ['steer', { content: 'i' }],
      ['abortWithMarker', { reason: 'j' }],
      ['abort', {}],
    ])
  })

  test('the conversation from a message on', async () => {
    const extension = plain()
    inMemoryHost(extension, () => ({
      messages: [
        { content: 'hi' },
        { content: [{ text: 'Hello' }, { thinking: 'hm' }, { id: 'c', name: 'read' }], model: 'm' },
        { toolCallId: 'c', content: [{ text: 'done' }, { data: 'AA', mimeType: 'image/png' }] },
      ],
    }))
    const [user, assistant, result] = await extension.host.messagesFrom(-1)
    if (!user || !assistant || !result) throw new Error('all three')
    expect([isUser(user), isAssistant(assistant), isToolResult(result)]).toEqual([true, true, true])
    expect([user, assistant, result].map(textOf)).toEqual(['hi', 'Hello', 'done'])
    expect(await extension.host.messagesFrom(2)).toHaveLength(1)
  })
})

describe('topics', () => {
  test('all listeners hear an event, a failing one does not spoil it, and one that has left does not hear it', async () => {
    const extension = plain()
    const heard: unknown[] = []
    const host = inMemoryHost(extension, () => ({ subscriptionId: 7 }))
    const publish = async (data: unknown) => {
      await host.tell('eventBus/event', { topic: 'news', subscriptionId: 7, data })
      await Bun.sleep(1)
    }
    await extension.host.subscribe('news', () => {
      throw new Error('cannot read')
    })
    const stop = await extension.host.subscribe('news', (data, topic) => heard.push(`${topic}: ${data}`))
    await publish('one')
    stop()
    await publish('two')
    expect(heard).toEqual(['news: one'])
    expect(host.heard.filter(([method]) => method === 'host/subscribe')).toHaveLength(1)
    expect(host.heard).toContainEqual(['log', { level: 'error', message: 'listener of news: cannot read' }])
  })

  test('an event that arrives together with the answer is not lost', async () => {
    const extension = plain()
    const heard: unknown[] = []
    const connection = extension.connect((line) => {
      const { id } = JSON.parse(line)
      connection.receive(JSON.stringify({ id, result: { subscriptionId: 1 } }))
      connection.receive(
        JSON.stringify({
          method: 'eventBus/event',
          params: { topic: 't', subscriptionId: 1, data: 'first' },
        }),
      )
    })
    await extension.host.subscribe('t', (data) => heard.push(data))
    await Bun.sleep(1)
    expect(heard).toEqual(['first'])
  })

  test('a subscription that is refused can be tried again', async () => {
    const extension = plain()
    const answers = [() => Promise.reject(new HostError(-32603, 'no')), () => ({ subscriptionId: 1 })]
    inMemoryHost(extension, () => answers.shift()?.())
    expect((await rejection(extension.host.subscribe('t', () => {}))).message).toBe('host/subscribe: no')
    expect(await extension.host.subscribe('t', () => {})).toBeInstanceOf(Function)
  })
})

describe('events', () => {
  const assistant = { content: [{ text: 'hi' }], model: 'm', provider: 'p', usage: null, stopReason: 'stop' }
  const samples: Record<EventName, [sent: object, read: object]> = {
    EventAgentStart: [{}, {}],
    EventSessionLoad: [{ MessageCount: 3 }, { MessageCount: 3 }],
    EventAgentInit: [{ ToolCount: 7 }, { ToolCount: 7 }],
    EventPromptBuild: [{ System: 's' }, { System: 's' }],
    EventMessagePre: [{ Content: 'c' }, { Content: 'c' }],
    EventTurnStart: [{}, {}],
    EventStreamDelta: [
      { Kind: 'text', Delta: 'd' },
      { Kind: 'text', Index: 0, Delta: 'd' },
    ],
    EventStreamDone: [{ Message: assistant }, { Message: { model: 'm', usage: {} } }],
    EventToolStart: [
      { ToolCallID: '1', ToolName: 'read', Args: null },
      { ToolName: 'read', Args: {} },
    ],
    EventToolUpdate: [{ ToolCallID: '1', ToolName: 'bash', Partial: 'p' }, { Partial: 'p' }],
    EventToolEnd: [
      { ToolCallID: '1', ToolName: 'edit', Result: { added: 1 }, IsError: null },
      { Result: { added: 1 }, IsError: false },
    ],
    EventStepWait: [
      { ToolCallID: '1', ToolName: 'bash', Args: { command: 'ls' } },
      { Args: { command: 'ls' } },
    ],
    EventTurnEnd: [
      { Assistant: null, ToolResults: null },
      { Assistant: null, ToolResults: [] },
    ],
    EventTurnUsage: [
      { turn: 1, usage: { inputTokens: 5 } },
      { turn: 1, breakdown: {} },
    ],
    EventRetry: [{ Attempt: 1, Max: 3, DelayMs: 500, Error: 'e' }, { DelayMs: 500 }],
    EventMaxTurns: [{ Count: 30, Max: 30 }, { Max: 30 }],
    EventCompact: [{ Before: 9, After: 2, TokensAtCompact: 1000 }, { After: 2 }],
    EventAgentEnd: [
      { Messages: [{ content: 'hi' }, assistant] },
      { Messages: [{ content: 'hi' }, { model: 'm' }] },
    ],
  }

  test.each(Object.entries(samples))('%s is read into its fields', async (type, [sent, read]) => {
    let heard: unknown
    const host = inMemoryHost(
      plain().onEvent(type as EventName, ({ data }) => {
        heard = data
        return undefined
      }),
    )
    expect(await host.request('event/dispatch', { type, data: sent })).toEqual({ action: null })
    expect(heard).toMatchObject(read)
    expect(Object.keys(samples)).toEqual(Object.keys(extensionEvents))
  })

  test('a malformed event is an error that names the field', async () => {
    const host = inMemoryHost(plain().onEvent('EventSessionLoad', () => undefined))
    const error = await rejection(
      host.request('event/dispatch', { type: 'EventSessionLoad', data: { MessageCount: 'many' } }),
    )
    expect(error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('EventSessionLoad: MessageCount'),
    })
  })

  test('each handler of an event hears it once, lowest priority first; the first action is the answer', async () => {
    const heard: string[] = []
    const extension = plain()
      .onEvent('all', ({ type }) => void heard.push(`all ${type}`), { priority: 9 })
      .onEvent(['EventTurnEnd', 'EventAgentEnd'], () => actions.notify(`second of ${heard.push('two')}`), {
        priority: 2,
      })
      .onEvent('EventTurnEnd', () => actions.notify(`first of ${heard.push('one')}`, 'warn'), { priority: 1 })
      .onEvent('EventTurnStart', () => void heard.push('nobody'))
    const host = inMemoryHost(extension)
    expect(await host.request('event/dispatch', { type: 'EventTurnEnd', data: {} })).toEqual({
      action: { type: 'notify', payload: { message: 'first of 1', level: 'warn' } },
    })
    expect(heard).toEqual(['one', 'two', 'all EventTurnEnd'])
    expect(await host.request('event/dispatch', { type: 'EventOfTomorrow', data: { A: 1 } })).toEqual({
      action: null,
    })
    expect(heard.at(-1)).toBe('all EventOfTomorrow')
  })

  test('an extension registers once, however many events it listens to', async () => {
    const host = inMemoryHost(
      plain()
        .onEvent('EventTurnEnd', () => undefined)
        .onEvent('all', () => undefined, { priority: -3, name: 'watch' }),
    )
    await host.initialize()
    expect(host.heard).toEqual([
      ['register/eventHandler', { name: 'watch+sample', priority: -3, events: [] }],
    ])
  })
})

describe('providers', () => {
  const request = {
    requestId: 5,
    model: { id: 'm1', api: 'mine', provider: 'me' },
    messages: [{ content: 'hi' }],
    system: 's',
  }

  test('pieces are sent on the way and make up the message', async () => {
    const extension = plain().provider('mine', async function* ({ messages, tools, system }) {
      yield { thinking: 'let me' }
      yield { thinking: ' see' }
      yield `${system} `
      yield { text: `${messages.length} ${tools.length}` }
      yield { toolCall: { id: 'c1', name: 'read', arguments: { path: 'a' } } }
      return { usage: { inputTokens: 10, outputTokens: 2 } }
    })
    const host = inMemoryHost(extension)
    const { message } = (await host.request('provider/stream', request)) as {
      message: Record<string, unknown>
    }
    expect(message).toEqual({
      content: [
        { thinking: 'let me see' },
        { text: 's 1 0' },
        { id: 'c1', name: 'read', arguments: { path: 'a' } },
      ],
      model: 'm1',
      provider: 'me',
      stopReason: 'toolUse',
      timestamp: expect.any(String),
      usage: { inputTokens: 10, outputTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 0, cost: 0 },
    })
    expect(host.heard.map(([, params]) => params)).toEqual([
      { requestId: 5, index: 0, type: 'thinking_delta', delta: 'let me' },
      { requestId: 5, index: 0, type: 'thinking_delta', delta: ' see' },
      { requestId: 5, index: 1, type: 'text_delta', delta: 's ' },
      { requestId: 5, index: 1, type: 'text_delta', delta: '1 0' },
      {
        requestId: 5,
        index: 2,
        type: 'toolcall_end',
        tool: { id: 'c1', name: 'read', arguments: '{"path":"a"}' },
      },
    ])
  })

  test('a cancelled stream stops, and can clean up', async () => {
    let cleaned = false
    const extension = plain().provider('mine', async function* () {
      try {
        for (let n = 0; n < 10_000; n += 1) {
          yield 'more '
          await Bun.sleep(1)
        }
      } finally {
        cleaned = true
      }
    })
    const host = inMemoryHost(extension)
    const controller = new AbortController()
    const answer = rejection(host.request('provider/stream', request, { signal: controller.signal }))
    await until(() => host.heard.length >= 3)
    controller.abort()
    await answer
    await until(() => cleaned)
    const told = host.heard.length
    await Bun.sleep(10)
    expect(host.heard).toHaveLength(told)
  })

  test('a failure is an error, and so is an API without a provider', async () => {
    const extension = plain().provider('mine', async function* () {
      yield 'a'
      throw new Error('overloaded')
    })
    const host = inMemoryHost(extension)
    expect((await rejection(host.request('provider/stream', request))).message).toBe('overloaded')
    expect(
      await rejection(host.request('provider/stream', { ...request, model: { id: 'x', api: 'other' } })),
    ).toMatchObject({
      code: -32602,
    })
  })
})

// The rules for hosts, by the numbers of the list for implementers, checked against piglet with real
// extensions.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { usualTimes } from '../../src/extensions/supervisor.ts'
import type { Piglet } from '../../src/piglet/piglet.ts'
import { deadlines } from '../../src/protocol/extension/method.ts'
import { methods } from '../../src/protocol/extension/table.ts'
import { until } from '../support/until.ts'
import { ask, asker, type Stage, stage } from './piglet-stage.ts'
import { scripted } from './scripted.ts'

let on: Stage
beforeEach(async () => {
  on = await stage()
})
afterEach(async () => {
  await on[Symbol.asyncDispose]()
})

const shown = (piglet: Piglet) => piglet.view().messages.map(({ text }) => text)
const infos = (prefix: string) =>
  on.logged.filter((line) => line.startsWith(`info: ${prefix}`)).map((line) => line.slice(6 + prefix.length))

test('3 everything is served during the handshake: there is always a program, and there are always models', async () => {
  const questions = Object.entries(methods)
    .filter(([name, method]) => name.startsWith('host/') && 'result' in method)
    .map(([name]) => name)
    .filter(
      (name) =>
        ![
          'host/showPicker',
          'host/askUser',
          'host/requestQuit',
          'host/forkSession',
          'host/resetSessionLeaf',
        ].includes(name),
    )
  const init = `const all = {}
    for (const name of ${JSON.stringify(questions)}) all[name] = await ask(name, { provider: 'openai', name: 'none', keys: [], modelId: 'test/m2', task: 't', prompt: 'p', path: '/none', topic: 't', kind: 'ext:early:x', role: 'user', content: 'c', targetId: 'none', entryId: 'none', title: 'T' })
    fs.writeFileSync('all.json', JSON.stringify(all)); say({ method: 'showMessage', params: { text: 'early' } })`
  on.write('config/extensions/early/manifest.yaml', 'name: early\nruntime: node\nentry: i.cjs\n')
  const source = on.write('config/extensions/early/i.cjs', scripted([], {}, init))
  const piglet = await on.open({ dialogs: async () => 'Always' })
  const all: Record<string, { result?: unknown; error?: { code: number; message: string } }> = JSON.parse(
    readFileSync(join(source, '../all.json'), 'utf8'),
  )
  const failed = Object.entries(all).flatMap(([name, { error }]) =>
    error ? [`${name} ${error.code} ${error.message}`] : [],
  )
  expect(failed).toEqual([
    'host/executeTool -32604 unknown tool: none',
    'host/activateTool -32604 unknown tool: none',
    'host/undoRestore -32604 no snapshot for path: /none',
    'host/triggerCompact -32603 no compactor registered',
    'host/loadSession -32603 session not found: /none',
    'host/setLabel -32603 entry none not found',
    'host/branchSession -32603 entry none not found',
    'host/branchSessionWithSummary -32603 entry none not found',
  ])
  expect(Object.keys(all).length).toBe(questions.length)
  expect(shown(piglet)).toContain('early')
})

test('6 one call for each extension, however many handlers it has; interceptors one by one, by name', async () => {
  const twice = (method: string) => ['a', 'b'].map((name): [string, object] => [method, { name }])
  on.extension(
    'x',
    ['eventHandler', 'messageHook', 'inputTransformer', 'interceptor'].flatMap((kind) =>
      twice(`register/${kind}`),
    ),
    {
      'event/dispatch': `if (params.type === 'EventAgentStart') say({ method: 'log', params: { level: 'info', message: 'call event' } }); answer(id, null)`,
      'messageHook/onMessage': `say({ method: 'log', params: { level: 'info', message: 'call hook' } }); answer(id, {})`,
      'inputTransformer/transform': `say({ method: 'log', params: { level: 'info', message: 'call transform' } }); answer(id, { output: params.input })`,
      'interceptor/before': `say({ method: 'log', params: { level: 'info', message: 'call before ' + params.name } }); answer(id, { allow: true })`,
      'interceptor/after': `say({ method: 'log', params: { level: 'info', message: 'call after ' + params.name } }); answer(id, { details: params.details })`,
    },
  )
  const piglet = await on.open()
  on.model.say({ calls: [{ name: 'ls' }] }, 'done')
  await piglet.run('go')
  await piglet.settled()
  const calls = ['after a', 'after b', 'before a', 'before b', 'event', 'hook', 'transform']
  expect(infos('call ').sort()).toEqual(calls)
})

test('7 handlers are ordered by priority, then by the name of the extension, then by registration', async () => {
  const kinds: [kind: string, method: string][] = [
    ['interceptor', 'interceptor/before'],
    ['messageHook', 'messageHook/onMessage'],
    ['inputTransformer', 'inputTransformer/transform'],
  ]
  const add = (name: string, entries: [name: string, priority: number][]) =>
    on.extension(
      name,
      kinds.flatMap(([kind]) =>
        entries.map(([one, priority]): [string, object] => [
          `register/${kind}`,
          { name: one, priority, hooks: ['before'] },
        ]),
      ),
      Object.fromEntries(
        kinds.map(([kind, method]) => [
          method,
          `say({ method: 'log', params: { level: 'info', message: '${kind} ${name}' + (params.name ?? '') } }); answer(id, { allow: true, output: params.input ?? '' })`,
        ]),
      ),
    )
  add('zeta', [['1', 5]])
  add('beta', [
    ['2', 0],
    ['1', 0],
    ['3', 9],
  ])
  add('alfa', [['1', 0]])
  const piglet = await on.open()
  on.model.say({ calls: [{ name: 'ls' }] }, 'done')
  await piglet.run('go')
  expect(infos('interceptor ')).toEqual(['beta3', 'zeta1', 'alfa1', 'beta2', 'beta1'])
  expect(infos('messageHook ')).toEqual(['alfa', 'beta', 'zeta'])
  expect(infos('inputTransformer ')).toEqual(['alfa', 'beta', 'zeta'])
})

describe('11 messages have the fields that programs in Go need and those that extensions expect', () => {
  const seen = `fs.appendFileSync('../../../seen.jsonl', JSON.stringify(params) + '\\n')`
  const superset = [
    { role: 'user', content: 'go', timestamp: expect.any(String) },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: 'see' },
        { type: 'tool_use', id: 'c1', name: 'ls', arguments: {} },
      ],
      model: 'm1',
      provider: 'test',
      stopReason: 'toolUse',
      usage: { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0, cost: 0.00002 },
    },
    {
      role: 'tool_result',
      toolCallId: 'c1',
      tool_call_id: 'c1',
      toolName: 'ls',
      tool_name: 'ls',
      content: [{ type: 'text', text: '(empty)' }],
      isError: false,
      is_error: false,
    },
  ]
  const firstThree = (of: unknown, field: string) =>
    ((of as Record<string, object[]>)[field] ?? []).slice(0, 3)
  const lines = (): Record<string, unknown>[] =>
    readFileSync(join(on.base, 'seen.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))

  test('in events, in the conversation, for a compactor and for a provider', async () => {
    asker(on)
    on.extension(
      'ears',
      [
        [
          'register/eventHandler',
          { name: 'e', events: ['EventStreamDone', 'EventTurnEnd', 'EventTurnUsage', 'EventAgentEnd'] },
        ],
        ['register/compactor', { name: 'c' }],
        ['register/provider', { api: 'parrot' }],
      ],
      {
        'event/dispatch': `${seen}; answer(id, { action: null })`,
        'compact/execute': `${seen}; answer(id, { messages: null })`,
        'provider/stream': `${seen}; answer(id, { message: { content: [{ text: 'polly' }] } })`,
      },
    )
    on.write(
      'config/models.yaml',
      `- { id: m1, provider: test, baseUrl: "${on.model.url}", cost: { input: 1, output: 2 } }\n- { id: pol, provider: x, api: parrot }\n`,
    )
    const piglet = await on.open()
    on.model.say({ thinking: 'hm', text: 'see', calls: [{ name: 'ls', id: 'c1' }] }, 'done')
    await piglet.run('go')
    await ask(piglet, 'host/appendCustomMessage', { role: 'assistant', content: 'by hand' })
    await piglet.host.eventsHeard()
    const [streamed, turn, used, , , , ended] = lines()
    expect(streamed).toMatchObject({ type: 'EventStreamDone', data: { Message: superset[1] } })
    expect(turn).toMatchObject({
      type: 'EventTurnEnd',
      data: { Assistant: superset[1], ToolResults: [superset[2]] },
    })
    expect(used).toMatchObject({
      type: 'EventTurnUsage',
      data: { turn: 1, usage: { inputTokens: 10, outputTokens: 5 }, breakdown: {} },
    })
    expect([ended?.type, firstThree(ended?.data, 'Messages')]).toMatchObject(['EventAgentEnd', superset])
    expect(firstThree(await ask(piglet, 'host/conversationMessages'), 'messages')).toMatchObject(superset)
    // An empty answer changes nothing.
    expect(await ask(piglet, 'host/triggerCompact')).toEqual({ before: 5, after: 5 })
    const types = ['user', 'assistant', 'tool_result']
    expect(firstThree(lines().at(-1), 'messages')).toMatchObject(
      superset.map((data, at) => ({ type: types[at], data })),
    )
    await ask(piglet, 'host/switchModel', { modelId: 'x/pol' })
    expect(await piglet.run('and you?')).toMatchObject({ text: 'polly' })
    const asked = lines().find((line) => 'requestId' in line) as {
      messages: Record<string, unknown>[]
      tools: object[]
    }
    expect(firstThree(asked, 'messages')).toMatchObject(superset)
    const authors = asked.messages
      .filter(({ role }) => role === 'assistant')
      .map(({ model, provider }) => [model, provider])
    expect(authors).toEqual([
      ['m1', 'test'],
      ['m1', 'test'],
      ['custom', 'custom'],
    ])
    expect(Object.keys(asked.tools[0] ?? {}).sort()).toEqual(['description', 'name', 'parameters'])
    expect(piglet.services.current.conversation().messages().at(-1)).toMatchObject({
      model: 'pol',
      provider: 'x',
      content: [{ type: 'text', text: 'polly' }],
    })
  })
})

describe('12 an interceptor may change the outcome of a call', () => {
  test.each([
    [
      'by the blocks it was shown',
      `{ ...params.details, content: [{ type: 'text', text: 'changed' }] }`,
      'changed',
    ],
    ['by a text in their place', `{ content: 'changed' }`, 'changed'],
    ['by a text for everything', `'changed'`, 'changed'],
    ['by an output', `{ output: 'changed' }`, 'changed'],
    ['and when it says nothing, all stays', 'undefined', 'a.txt'],
    ['and when it says null, too', 'null', 'a.txt'],
    ['and invalid content is ignored', `{ content: 7 }`, 'a.txt'],
  ])('%s', async (_name, details, expected) => {
    on.write('a.txt', '')
    on.extension('filter', [['register/interceptor', { name: 'f' }]], {
      'interceptor/before': 'answer(id, { allow: true, args: null })',
      'interceptor/after': `answer(id, { details: ${details} })`,
    })
    const piglet = await on.open()
    on.model.say({ calls: [{ name: 'ls' }] }, 'done')
    await piglet.run('go')
    expect(on.model.asked[1]?.body.messages.at(-1)?.content).toBe(expected)
  })
})

test('13 a message too long for a line fails its call, and an event that is too long is dropped', async () => {
  on.extension(
    'x',
    [
      ['register/tool', { name: 't' }],
      ['register/eventHandler', { name: 'e', events: ['EventToolEnd', 'EventTurnEnd'] }],
    ],
    {
      'tool/execute': `answer(id, { content: [{ type: 'text', text: 'short' }] })`,
      'event/dispatch': `say({ method: 'log', params: { level: 'info', message: 'heard ' + params.type } }); answer(id, {})`,
    },
  )
  const piglet = await on.open()
  on.model.say(
    { calls: [{ name: 't', args: { text: 'x'.repeat(4 * 1024 * 1024) } }] },
    { calls: [{ name: 't' }] },
    'done',
  )
  expect(await piglet.run('go')).toMatchObject({ end: 'done' })
  await piglet.settled()
  expect(String(on.model.asked[1]?.body.messages.at(-1)?.content)).toMatch(
    /^ext x tool t: message of \d+ bytes: a line must be below 4194304$/,
  )
  expect(on.model.asked[2]?.body.messages.at(-1)?.content).toBe('short')
  expect(infos('heard ')).toEqual(['EventToolEnd', 'EventToolEnd', 'EventTurnEnd', 'EventTurnEnd'])
  expect(on.logged.some((line) => line.startsWith('warn: EventTurnEnd: message of'))).toBe(true)
})

test('14, 16 the deadlines are those of the protocol', () => {
  expect(usualTimes).toMatchObject({ restsMs: [1000, 2000, 4000, 8000, 16_000], stableMs: 30_000 })
  expect([deadlines.start, methods.initialize.deadlineMs, methods['compact/execute'].deadlineMs]).toEqual([
    10_000, 10_000, 30_000,
  ])
  expect(
    [methods['host/chat'], methods['host/agent.run'], methods['host/executeTool']].map(
      ({ deadlineMs }) => deadlineMs,
    ),
  ).toEqual([300_000, 300_000, 300_000])
})

describe('events', () => {
  test('a slow extension hears everything that matters; pieces of a stream are merged, and the queue has a limit', async () => {
    on.extension('slow', [['register/eventHandler', { name: 'e' }]], {
      'event/dispatch': `globalThis.heard = [...(globalThis.heard ?? []), params.type + (params.data.Delta ?? params.data.Content ?? '')]
        const go = () => { if (!fs.existsSync('go')) return setTimeout(go, 5); fs.writeFileSync('heard.json', JSON.stringify(globalThis.heard)); answer(id, {}) }; go()`,
    })
    const piglet = await on.open()
    const dir = join(on.configDir, 'extensions/slow')
    const { host } = piglet
    host.dispatch('EventAgentStart', {})
    await until(() => host.find('slow')?.load().waiting === 1)
    for (let n = 0; n < 1000; n += 1)
      host.dispatch('EventStreamDelta', { Kind: 'text', Index: 0, Delta: `${n % 10}` })
    host.dispatch('EventStreamDelta', { Kind: 'thinking', Index: 0, Delta: 'hm' })
    for (let n = 0; n < 300; n += 1) host.dispatch('EventMessagePre', { Content: `${n}` })
    on.write('config/extensions/slow/go', '')
    await host.eventsHeard()
    const heard: string[] = JSON.parse(readFileSync(join(dir, 'heard.json'), 'utf8'))
    expect(heard.length).toBe(257)
    expect([heard[0], heard.at(-1)]).toEqual(['EventAgentStart', 'EventMessagePre299'])
    expect(heard.filter((one) => one.startsWith('EventStreamDelta'))).toEqual([])
    expect(on.logged.filter((line) => line.includes('dropped: 256 events wait')).length).toBe(46)
  })

  test('events are not kept for an extension that does not run; it hears later ones when it is back', async () => {
    on.extension(
      'away',
      [['register/eventHandler', { name: 'e', events: ['EventTurnStart', 'EventTurnEnd'] }]],
      {
        'event/dispatch': `if (params.type === 'EventTurnEnd') process.exit(1); say({ method: 'log', params: { level: 'info', message: 'heard ' + params.type } }); answer(id, {})`,
      },
    )
    const { host } = await on.open({ times: { restsMs: [200] } })
    host.dispatch('EventTurnEnd', { Assistant: null, ToolResults: null })
    await until(() => host.find('away') === undefined)
    host.dispatch('EventTurnStart', {})
    await host.eventsHeard()
    host.dispatch('EventTurnStart', {})
    await host.eventsHeard()
    expect(infos('heard ')).toEqual([])
    await until(() => host.find('away') !== undefined)
    host.dispatch('EventTurnStart', {})
    await host.eventsHeard()
    await until(() => infos('heard ').length === 1)
  })

  test('actions are done in order, and an extension that fails or dies does not hold up others', async () => {
    on.extension(
      'acts',
      [['register/eventHandler', { name: 'e', events: ['EventAgentStart', 'EventAgentEnd'] }]],
      {
        'event/dispatch': `params.type === 'EventAgentStart' ? say({ id, error: { code: 1, message: 'no' } }) : answer(id, { action: { type: 'setStatus', payload: { Key: 'k', TEXT: 'done' } } })`,
      },
    )
    on.extension('dies', [['register/eventHandler', { name: 'e' }]], { 'event/dispatch': 'process.exit(3)' })
    const piglet = await on.open({ times: { restsMs: [60_000] } })
    expect(await piglet.run('go')).toMatchObject({ end: 'done' })
    await piglet.settled()
    expect(piglet.view().status.k).toBe('done')
    expect(on.logged).toContain('warn: EventAgentStart: no')
  })
})

describe('a compactor', () => {
  const compactor = (threshold: number, answer: string) =>
    on.extension('short', [['register/compactor', { name: 'short', threshold }]], {
      'compact/execute': answer,
    })
  const long = { text: 'long', usage: { prompt_tokens: 150, completion_tokens: 1 } }
  const runs = async (piglet: Piglet, count: number) => {
    for (let n = 0; n < count; n += 1) {
      on.model.say(long)
      await piglet.run(`q${n}`)
    }
  }
  const compacted = () => on.events.filter(([type]) => type === 'EventCompact').length
  const one = `answer(id, { messages: params.messages.slice(-1) })`

  test('without a threshold uses that of the settings, and without either is not asked', async () => {
    compactor(0, one)
    await runs(await on.open(), 4)
    expect(compacted()).toBe(0)
    on.write('config/config.yaml', 'defaultModel: test/m1\nagent: { compactAt: 150 }\n')
    await runs(await on.open(), 4)
    expect(compacted()).toBe(1)
  })

  test('is not asked below its threshold, nor for a short conversation', async () => {
    compactor(151, one)
    await runs(await on.open(), 4)
    expect(compacted()).toBe(0)
    compactor(150, one)
    await runs(await on.open(), 3)
    expect(compacted()).toBe(0)
  })

  test.each([
    ['nothing', `answer(id, { messages: [] })`],
    ['nothing that is a message', `answer(id, { messages: [{ type: 'odd', data: {} }] })`],
    ['an error', `say({ id, error: { code: 1, message: 'no' } })`],
  ])('that answers %s changes nothing', async (_name, answer) => {
    compactor(100, answer)
    const piglet = await on.open()
    await runs(piglet, 4)
    expect([compacted(), piglet.services.current.conversation().messages().length]).toEqual([0, 8])
    expect(readFileSync(piglet.services.current.session().path, 'utf8')).not.toContain('"compact"')
  })

  test('messages that arrive during a compaction are kept', async () => {
    compactor(
      100,
      `const go = () => fs.existsSync('go') ? answer(id, { messages: params.messages.slice(-1) }) : setTimeout(go, 5); go()`,
    )
    const piglet = await on.open()
    await runs(piglet, 3)
    on.model.say(
      {
        ...long,
        calls: [{ name: 'write', args: { path: join(on.configDir, 'extensions/short/go'), content: '' } }],
      },
      'end',
    )
    await piglet.run('last')
    const texts = piglet.services.current
      .conversation()
      .messages()
      .map(({ role }) => role)
    expect([compacted(), texts]).toEqual([1, ['tool_result', 'assistant']])
  })
})

describe('what an extension shows', () => {
  const shows = `say({ method: 'setWidget', params: { key: 'w', placement: 'above-input', content: 'here ' + process.pid } })
    say({ method: 'showOverlay', params: { key: 'o', content: 'over' } })`
  const add = () => {
    on.write('config/extensions/s/manifest.yaml', 'name: s\nruntime: node\nentry: i.cjs\n')
    on.write(
      'config/extensions/s/i.cjs',
      scripted(
        [
          ['register/command', { name: 'die' }],
          ['register/shortcut', { key: 'ctrl+g' }],
        ],
        {
          'command/execute': `say({ method: 'setWidget', params: { key: 'last', content: 'words' } }); process.exit(1)`,
          'shortcut/handle': `answer(id, { action: { type: 'setStatus', payload: { key: 'k', text: 'mine' } } })`,
        },
        shows,
      ),
    )
  }
  const places = ({ widgets, overlays, status }: ReturnType<Piglet['view']>) => [
    widgets.length,
    overlays.length,
    status.k,
  ]

  test('disappears when it dies, and is back when it is', async () => {
    add()
    asker(on)
    const piglet = await on.open({ times: { restsMs: [300] } })
    await piglet.pressKey('ctrl+g')
    piglet.app.act({ type: 'setStatus', key: 'other', text: 'stays' }, 'asker')
    expect(places(piglet.view())).toEqual([1, 1, 'mine'])
    await piglet.runCommand('die').catch(() => {})
    await until(() => piglet.view().overlays.length === 0)
    expect([...places(piglet.view()), piglet.view().status.other]).toEqual([0, 0, undefined, 'stays'])
    await until(() => piglet.host.find('s') !== undefined)
    expect(places(piglet.view())).toEqual([1, 1, undefined])
  })

  test('is that of the new process after a reload, and disappears when the program ends', async () => {
    add()
    const piglet = await on.open({ times: { drainMs: 50 } })
    await piglet.pressKey('ctrl+g')
    const old = piglet.host.find('s')
    await piglet.host.reload('s')
    await old?.exited
    await Bun.sleep(20)
    expect(places(piglet.view())).toEqual([1, 1, 'mine'])
    expect(piglet.view().widgets[0]?.content).toBe(`here ${piglet.host.find('s')?.pid}`)
    await piglet.stop()
    expect(places(piglet.view())).toEqual([0, 0, undefined])
  })
})

describe('an extension that does not run and will not soon', () => {
  const dying = (registrations: [string, object][]) => {
    on.write('config/extensions/d/manifest.yaml', 'name: d\nruntime: node\nentry: i.cjs\n')
    on.write(
      'config/extensions/d/i.cjs',
      scripted(registrations, {
        'tool/execute': `answer(id, { content: [{ type: 'text', text: 'mine' }] })`,
        'command/execute': `fs.writeFileSync('i.cjs', 'process.exit(1)'); process.exit(1)`,
        'interceptor/before': 'answer(id, { allow: true })',
      }),
    )
  }
  const until5 = async (piglet: Piglet) => {
    await piglet.runCommand('die').catch(() => {})
    await until(() => piglet.host.list()[0]?.status?.state === 'degraded')
  }

  test('no longer replaces other tools, and is tried again without repeating the error', async () => {
    dying([
      ['register/tool', { name: 'ls' }],
      ['register/command', { name: 'die' }],
      ['register/provider', { api: 'openai' }],
      ['register/promptSection', { title: 'D', content: 'd' }],
    ])
    const piglet = await on.open({ times: { restsMs: [1, 1], probeMs: 5 } })
    expect([piglet.host.registry.tools().get('ls')?.owner, piglet.host.registry.provider('openai')]).toEqual([
      'd',
      'd',
    ])
    await until5(piglet)
    const told = () =>
      piglet
        .view()
        .notifications.filter(({ level }) => level === 'error')
        .map(({ message }) => message)
    const before = told()
    await Bun.sleep(100)
    expect([piglet.host.registry.tools().get('ls')?.owner, piglet.host.registry.provider('openai')]).toEqual([
      'builtin',
      undefined,
    ])
    expect(piglet.host.registry.sections()).toEqual([])
    on.model.say({ calls: [{ name: 'ls' }] }, 'done')
    expect(await piglet.run('go')).toMatchObject({ end: 'done', text: 'done' })
    expect(on.model.asked[1]?.body.messages.at(-1)?.content).toBe('(empty)')
    expect(told()).toEqual(before)
    expect(before.length).toBe(1)
  })

  test('its interceptor still refuses every call', async () => {
    dying([
      ['register/interceptor', { name: 'guard' }],
      ['register/command', { name: 'die' }],
    ])
    const piglet = await on.open({ times: { restsMs: [1], probeMs: 60_000 } })
    await until5(piglet)
    on.model.say({ calls: [{ name: 'ls' }] }, 'done')
    await piglet.run('go')
    expect(String(on.model.asked[1]?.body.messages.at(-1)?.content)).toContain(
      'interceptor guard before: extension d is not running',
    )
  })
})

test('an extension may call its own tools through the host, many at once, and too many are refused', async () => {
  on.extension(
    'loop',
    [
      ['register/tool', { name: 'own' }],
      ['register/command', { name: 'many' }],
    ],
    {
      'tool/execute': `await ask('host/toolDefs'); answer(id, { content: [{ type: 'text', text: 'fine' }] })`,
      'command/execute': `const all = await Promise.all(Array.from({ length: Number(params.args) }, () => ask('host/executeTool', { name: 'own' })))
        const count = (text) => all.filter((one) => (one.error?.message ?? one.result.content[0].text).includes(text)).length
        say({ method: 'showMessage', params: { text: [count('fine'), count('256 such requests are under way')].join(' ') } }); answer(id, {})`,
    },
  )
  const piglet = await on.open()
  await piglet.runCommand('many', '200')
  await piglet.runCommand('many', '300')
  expect(shown(piglet)).toEqual(['200 0', '256 44'])
})

test('the subscriptions of a dead process end; the next process hears the topic only after subscribing again', async () => {
  asker(on)
  on.extension('sub', [['register/command', { name: 'listen' }]], {
    'command/execute': `await ask('host/subscribe', { topic: 't' }); answer(id, {})`,
    'eventBus/event': `say({ method: 'log', params: { level: 'info', message: 'topic ' + params.data + ' ' + typeof params.subscriptionId } }); if (params.data === 'die') process.exit(1)`,
  })
  const piglet = await on.open({ times: { restsMs: [1] } })
  await piglet.runCommand('listen')
  const first = piglet.host.find('sub')
  expect(await ask(piglet, 'host/publish', { topic: 't', data: 'die' })).toEqual({})
  await first?.exited
  await until(() => piglet.host.find('sub') !== undefined)
  await ask(piglet, 'host/publish', { topic: 't', data: 'nobody' })
  await piglet.runCommand('listen')
  await ask(piglet, 'host/publish', { topic: 't', data: 'again' })
  await ask(piglet, 'host/publish', { topic: 'T', data: 'another topic' })
  await piglet.runCommand('listen', '')
  expect(infos('topic ')).toEqual(['die number', 'again number'])
})

test('a command gets the text after its name as it was typed', async () => {
  on.extension('c', [['register/command', { name: 'echo' }]], {
    'command/execute': `say({ method: 'showMessage', params: { text: JSON.stringify(params.args) } }); answer(id, {})`,
  })
  const piglet = await on.open()
  for (const typed of ['/echo', '/echo a  b', '/echo one\n  two\tthree\n\nfour', '/echo {"a":  "b  c"}'])
    await piglet.submit(typed)
  expect(shown(piglet)).toEqual([
    '""',
    '"a  b"',
    JSON.stringify('one\n  two\tthree\n\nfour'),
    JSON.stringify('{"a":  "b  c"}'),
  ])
})

test('host/waitForIdle returns at once before the first run', async () => {
  asker(on)
  expect(await ask(await on.open(), 'host/waitForIdle', null)).toEqual({})
})

test('input whose transformation fails is not sent, and the user is told why', async () => {
  on.extension('t', [['register/inputTransformer', { name: 't' }]], {
    'inputTransformer/transform': `params.input === 'bad' ? say({ id, error: { code: 1, message: 'cannot' } }) : answer(id, { output: params.input + '!' })`,
  })
  const piglet = await on.open()
  await piglet.submit('bad')
  expect(await piglet.run('bad')).toMatchObject({ end: 'failed', error: 'cannot', turns: 0 })
  expect(piglet.view().notifications.map(({ message }) => message)).toEqual([
    'Not sent: cannot',
    'Not sent: cannot',
  ])
  expect(on.model.asked).toEqual([])
  await piglet.run('good')
  expect(on.model.asked[0]?.body.messages.at(-1)?.content).toBe('good!')
})

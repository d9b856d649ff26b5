import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../support/until.ts'
import { type Stage, stage } from './piglet-stage.ts'

let on: Stage
beforeEach(async () => {
  on = await stage()
})
afterEach(async () => {
  await on[Symbol.asyncDispose]()
})

const names = (type: string) => on.events.filter(([name]) => name === type).map(([, data]) => data)

describe('a run', () => {
  test('asks the model, runs its tools, emits all events in order, and stores every message', async () => {
    const piglet = await on.open()
    on.model.say(
      { text: 'let me see', calls: [{ name: 'write', args: { path: 'a.txt', content: 'one\ntwo\n' } }] },
      { thinking: 'hm', text: 'done' },
    )
    const outcome = await piglet.run('make a file')
    expect(outcome).toEqual({
      end: 'done',
      text: 'let me see\ndone',
      turns: 2,
      usage: { input: 20, output: 10 },
    })
    expect(readFileSync(join(on.cwd, 'a.txt'), 'utf8')).toBe('one\ntwo\n')
    expect(on.events.map(([type]) => type).filter((type, at, all) => type !== all[at - 1])).toEqual([
      'EventAgentStart',
      'EventAgentInit',
      'EventPromptBuild',
      'EventMessagePre',
      'EventTurnStart',
      'EventStreamDelta',
      'EventStreamDone',
      'EventToolStart',
      'EventToolEnd',
      'EventTurnEnd',
      'EventTurnUsage',
      'EventTurnStart',
      'EventStreamDelta',
      'EventStreamDone',
      'EventTurnEnd',
      'EventTurnUsage',
      'EventAgentEnd',
    ])
    expect(names('EventToolEnd')).toEqual([
      {
        ToolCallID: 'call-write-0',
        ToolName: 'write',
        Result: { added: 2, removed: 0, files: 1, hunks: 1 },
        IsError: false,
      },
    ])
    expect(
      piglet.services.current
        .conversation()
        .messages()
        .map(({ role }) => role),
    ).toEqual(['user', 'assistant', 'tool_result', 'assistant'])
    const [, second] = on.model.asked
    expect([second?.path, second?.authorization, second?.body.model]).toEqual([
      '/v1/chat/completions',
      'Bearer local',
      'm1',
    ])
    expect(second?.body.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool'])
    expect(second?.body.tools?.map((tool) => tool.function.name)).toEqual([
      'bash',
      'edit',
      'find',
      'grep',
      'ls',
      'read',
      'write',
    ])
    await piglet.run('again')
    expect(names('EventSessionLoad')).toEqual([{ MessageCount: 4 }])
  })

  test('a model that fails is asked again, and if it keeps failing the run fails', async () => {
    const piglet = await on.open()
    on.model.say({ status: 500 }, { status: 429, headers: { 'retry-after': '0' } }, 'there')
    expect(await piglet.run('hi')).toMatchObject({ end: 'done', text: 'there' })
    expect(names('EventRetry')).toEqual([
      { Attempt: 1, Max: 3, DelayMs: 1, Error: '500 no' },
      { Attempt: 2, Max: 3, DelayMs: 0, Error: '429 no' },
    ])
    on.model.say({ status: 500 }, { breaksOff: true, text: 'par' }, { status: 500, text: 'over' })
    expect(await piglet.run('hi')).toMatchObject({ end: 'failed', error: '500 over' })
    expect(names('EventTurnEnd').at(-1)).toEqual({ Assistant: null, ToolResults: null })
    on.model.say({ status: 401, text: 'bad key' })
    const before = on.model.asked.length
    expect(await piglet.run('hi')).toMatchObject({ end: 'failed', error: '401 bad key' })
    expect(on.model.asked.length).toBe(before + 1)
    expect(piglet.view().notifications.at(-1)).toEqual({
      level: 'error',
      message: '401 bad key',
      extension: '',
    })
  })

  test('unknown and disabled tools are errors for the model; too many turns end the run', async () => {
    on.write('config/config.yaml', 'defaultModel: m1\nagent: { maxTurns: 2 }\n')
    const piglet = await on.open()
    piglet.services.toolSet.setFilter(['read'])
    on.model.say(
      { calls: [{ name: 'bash', args: { command: 'echo hi' } }] },
      { calls: [{ name: 'nothing' }] },
    )
    expect(await piglet.run('go')).toMatchObject({ end: 'max-turns', turns: 2 })
    expect(names('EventMaxTurns')).toEqual([{ Count: 2, Max: 2 }])
    expect(on.model.asked[0]?.body.tools?.map((tool) => tool.function.name)).toEqual(['read'])
    const texts = piglet.services.current
      .conversation()
      .messages()
      .flatMap((message) => (message.role === 'tool_result' ? message.content : []))
    expect(texts).toEqual([
      { type: 'text', text: '[error:TOOL_DISABLED] bash is not available now' },
      { type: 'text', text: 'unknown tool: nothing' },
    ])
  })

  test('several tools run at once, and a broken one cancels the others', async () => {
    on.extension(
      'slow',
      ['one', 'two'].map((name) => ['register/tool', { name }]),
      {
        'tool/execute': `globalThis.seen = (globalThis.seen ?? []).concat(params.name)
        if (globalThis.seen.length === 2) for (const [n, i] of globalThis.waiting) answer(i, { content: [{ type: 'text', text: n }] }), answer(id, { content: [{ type: 'text', text: params.name }] })
        globalThis.waiting = [[params.name, id]]`,
        '$/cancelRequest': '',
      },
    )
    on.extension(
      'broken',
      [
        ['register/tool', { name: 'bad' }],
        ['register/tool', { name: 'waits' }],
      ],
      {
        'tool/execute': `if (params.name === 'bad') setTimeout(() => say({ id, error: { code: 1, message: 'broken' } }), 20)`,
      },
    )
    const piglet = await on.open()
    on.model.say(
      { calls: [{ name: 'one' }, { name: 'two' }] },
      { calls: [{ name: 'bad' }, { name: 'waits' }] },
    )
    expect(await piglet.run('go')).toMatchObject({ end: 'done' })
    const results = piglet.services.current
      .conversation()
      .messages()
      .flatMap((message) => (message.role === 'tool_result' ? [[message.isError, message.content[0]]] : []))
    expect(results).toEqual([
      [false, { type: 'text', text: 'one' }],
      [false, { type: 'text', text: 'two' }],
      [true, { type: 'text', text: 'ext broken tool bad: broken' }],
      [true, { type: 'text', text: 'ext broken tool waits: tool execution cancelled' }],
    ])
  })
})

describe('during a run', () => {
  test('prompts of the user join it; commands wait for its end, except immediate ones', async () => {
    on.extension(
      'cmd',
      [
        ['register/command', { name: 'later' }],
        ['register/command', { name: 'now', immediate: true }],
      ],
      {
        'command/execute': `say({ method: 'showMessage', params: { text: params.name + ':' + params.args } }); answer(id, {})`,
      },
    )
    const piglet = await on.open()
    const hold = Promise.withResolvers<void>()
    on.model.say({ calls: [{ name: 'ls' }], hold: hold.promise }, 'first', 'second')
    const run = piglet.run('go')
    await until(() => on.model.asked.length !== 0)
    await piglet.submit('and this')
    await piglet.submit('and that')
    await piglet.submit('/later  a\n b')
    await piglet.submit('/now')
    expect(piglet.view().messages.map(({ text }) => text)).toEqual(['now:'])
    hold.resolve()
    expect(await run).toMatchObject({ end: 'done', text: 'first' })
    await piglet.settled()
    expect(piglet.view().messages.map(({ text }) => text)).toEqual(['now:', 'later:a\n b'])
    expect(on.model.asked[1]?.body.messages.slice(-2).map(({ role, content }) => [role, content])).toEqual([
      ['tool', '(empty)'],
      ['user', 'and this\n\nand that'],
    ])
  })

  test('it can be aborted: the answer so far is kept, calls have a result, and the reason is noted', async () => {
    const piglet = await on.open()
    const never = new Promise<void>(() => {})
    on.model.say({ text: 'so far so good', hold: never })
    const first = piglet.run('go')
    await until(() =>
      on.events.some(([type, data]) => type === 'EventStreamDelta' && String(data.Delta).includes('od')),
    )
    piglet.app.notices.abortWithMarker({ reason: 'lunch' }, {} as never)
    expect(await first).toMatchObject({ end: 'aborted', error: 'lunch' })
    on.model.say({ calls: [{ name: 'bash', args: { command: 'sleep 30' } }] })
    const second = piglet.run('sleep')
    await until(() => on.events.some(([type]) => type === 'EventToolStart'))
    piglet.app.notices.abort({}, {} as never)
    expect(await second).toMatchObject({ end: 'aborted' })
    const said = piglet.services.current
      .conversation()
      .messages()
      .map((message) => [message.role, message.content])
    expect(said).toEqual([
      ['user', 'go'],
      ['assistant', [{ type: 'text', text: 'so far so good' }]],
      ['user', '[Request interrupted: lunch]'],
      ['user', 'sleep'],
      [
        'assistant',
        [{ type: 'tool_use', id: 'call-bash-0', name: 'bash', arguments: { command: 'sleep 30' } }],
      ],
      ['tool_result', [{ type: 'text', text: '[error:TOOL_INTERRUPTED] tool execution cancelled' }]],
    ])
    expect(names('EventAgentEnd').length).toBe(2)
  })

  test('in step mode the user is asked before every tool; without a user the run is aborted', async () => {
    const asked: string[] = []
    const answers = ['approve', 'skip', 'abort']
    const piglet = await on.open({
      dialogs: async (question) => {
        asked.push(question.kind === 'ask' ? question.prompt : '')
        return answers.shift()
      },
    })
    piglet.app.requests['host/toggleStepMode']({}, {} as never)
    on.model.say(
      {
        calls: [
          { name: 'ls', id: 'a' },
          { name: 'ls', id: 'b' },
        ],
      },
      { calls: [{ name: 'ls', id: 'c' }] },
    )
    expect(await piglet.run('go')).toMatchObject({ end: 'aborted' })
    expect(asked).toEqual(['Run ls with {}?', 'Run ls with {}?', 'Run ls with {}?'])
    expect(names('EventStepWait').length).toBe(3)
    const results = piglet.services.current
      .conversation()
      .messages()
      .flatMap((message) => (message.role === 'tool_result' ? [message.content[0]] : []))
    expect(results.map((part) => part?.type === 'text' && part.text)).toEqual([
      '(empty)',
      'Tool execution skipped by user',
      '[error:TOOL_INTERRUPTED] tool execution cancelled',
    ])
  })
})

describe('at the edges', () => {
  test('a steering text reaches the model before its next answer; other tools of the turn are cancelled', async () => {
    on.extension(
      'pair',
      [
        ['register/tool', { name: 'quick' }],
        ['register/tool', { name: 'endless' }],
      ],
      {
        'tool/execute': `if (params.name === 'quick') setTimeout(() => { say({ method: 'steer', params: { content: 'stop that' } }); answer(id, { content: [{ type: 'text', text: 'q' }] }) }, 10)`,
      },
    )
    const piglet = await on.open()
    on.model.say({ calls: [{ name: 'endless' }, { name: 'quick' }] }, 'done')
    expect(await piglet.run('go')).toMatchObject({ end: 'done', turns: 2 })
    expect(on.model.asked[1]?.body.messages.slice(-3).map(({ content }) => content)).toEqual([
      'ext pair tool endless: tool execution cancelled',
      'q',
      'stop that',
    ])
  })

  test('the output of a program that a tool runs is published on the bus', async () => {
    on.extension('ear', [['register/command', { name: 'listen' }]], {
      'command/execute': `await ask('host/subscribe', { topic: 'bash.tail' }); answer(id, {})`,
      'eventBus/event': `say({ method: 'showMessage', params: { text: JSON.stringify(params.data) } })`,
    })
    const piglet = await on.open()
    await piglet.runCommand('listen')
    on.model.say({ calls: [{ name: 'bash', args: { command: 'echo one' } }] })
    await piglet.run('go')
    await until(() => piglet.view().messages.length !== 0)
    expect(JSON.parse(piglet.view().messages[0]?.text ?? '')).toEqual({
      ToolCallID: 'call-bash-0',
      ToolName: 'bash',
      Partial: 'one',
    })
  })

  test('a provider that dies in the middle of an answer is asked again when it is back', async () => {
    on.extension('frail', [['register/provider', { api: 'openai' }]], {
      'provider/stream': `const seen = '../../seen'; if (!fs.existsSync(seen)) { fs.writeFileSync(seen, ''); process.kill(process.pid, 'SIGKILL') }
        answer(id, { message: { content: [{ text: 'alive' }] } })`,
    })
    const piglet = await on.open({
      times: { restsMs: [1] },
      retries: { attempts: 30, delayMs: 50, maxDelayMs: 50 },
    })
    expect(await piglet.run('go')).toMatchObject({ end: 'done', text: 'alive' })
    expect(String(names('EventRetry')[0]?.Error)).toContain('extension frail crashed')
    expect(on.model.asked).toEqual([])
  })

  test('a tool whose extension dies is an error for the model, and the run goes on', async () => {
    on.extension('dies', [['register/tool', { name: 'die' }]], {
      'tool/execute': `process.kill(process.pid, 'SIGKILL')`,
    })
    const piglet = await on.open({ times: { restsMs: [60_000] } })
    on.model.say({ calls: [{ name: 'die' }] }, 'well')
    expect(await piglet.run('go')).toMatchObject({ end: 'done', text: 'well' })
    expect(String(on.model.asked[1]?.body.messages.at(-1)?.content)).toBe(
      'ext dies tool die: extension dies crashed (killed by SIGKILL)',
    )
  })

  test('the queue has a limit, and stopping ends everything', async () => {
    const piglet = await on.open()
    on.model.say({ hold: new Promise(() => {}) })
    const run = piglet.run('go')
    await until(() => on.model.asked.length !== 0)
    for (let n = 0; n < 51; n += 1) await piglet.submit(`more ${n}`)
    expect(piglet.view().notifications.map(({ message }) => message)).toEqual([
      'Too much is waiting already: this was left out.',
    ])
    await piglet.stop()
    expect(await run).toMatchObject({ end: 'aborted', error: 'the program ends' })
    expect(on.model.asked.length).toBe(1)
    expect(piglet.agent.isRunning()).toBe(false)
  })

  test('without a model, or without a provider for it, a run says what is missing', async () => {
    on.write('config/config.yaml', '')
    const piglet = await on.open()
    expect(await piglet.run('go')).toMatchObject({ end: 'failed', error: 'no model configured' })
    const other = await on.open({ model: 'none' })
    expect(await other.run('go')).toMatchObject({ end: 'failed', error: 'unknown model: none' })
    on.write('config/models.yaml', '- { id: c, provider: x, api: strange }\n')
    expect(await (await on.open({ model: 'c' })).run('go')).toMatchObject({
      end: 'failed',
      error: expect.stringContaining('kind strange'),
    })
  })

  test('runs that are requested at once run one after the other', async () => {
    const piglet = await on.open()
    on.model.say('1', '2', '3')
    const outcomes = await Promise.all(['a', 'b', 'c'].map((text) => piglet.run(text)))
    expect(outcomes.map(({ text }) => text)).toEqual(['1', '2', '3'])
    expect(
      piglet.services.current
        .conversation()
        .messages()
        .map(({ role }) => role),
    ).toEqual(['user', 'assistant', 'user', 'assistant', 'user', 'assistant'])
    const controller = new AbortController()
    controller.abort(new Error('no'))
    expect(await piglet.run('d', controller.signal)).toMatchObject({ end: 'aborted' })
  })
})

test('a long conversation is shortened during the run, and on disk', async () => {
  on.extension('short', [['register/compactor', { name: 'short', threshold: 100 }]], {
    'compact/execute': `answer(id, { messages: [{ type: 'user', data: { content: 'in short' } }, { type: 'nonsense', data: 1 }] })`,
  })
  const piglet = await on.open()
  for (let n = 0; n < 3; n += 1) await piglet.run(`q${n}`)
  on.model.say({ text: 'long', usage: { prompt_tokens: 150, completion_tokens: 1 } })
  await piglet.run('q3')
  expect(names('EventCompact')).toEqual([{ Before: 8, After: 1, TokensAtCompact: 150 }])
  expect(piglet.services.current.conversation().messages()).toEqual([
    { role: 'user', content: 'in short', timestamp: '0001-01-01T00:00:00Z' },
  ])
  const again = await on.open({ session: piglet.services.current.session().meta().id })
  expect(
    again.services.current
      .conversation()
      .messages()
      .map(({ content }) => content),
  ).toEqual(['in short'])
})

test('hooks add to the first turn only; transformers may handle the input; a provider answers in place of a model', async () => {
  on.extension(
    'way',
    [
      ['register/messageHook', { name: 'h' }],
      ['register/inputTransformer', { name: 't' }],
      ['register/provider', { api: 'parrot' }],
      ['register/promptSection', { title: 'Late', content: 'l', order: 50 }],
      ['register/promptSection', { title: 'Soon', content: 's', order: 20 }],
    ],
    {
      'messageHook/onMessage': `answer(id, { injection: 'about ' + params.message })`,
      'inputTransformer/transform': `answer(id, { output: params.input + '!', handled: params.input === 'mine' })`,
      'provider/stream': `say({ method: 'provider/delta', params: { requestId: params.requestId, type: 'text_delta', delta: 'pol' } })
      answer(id, { message: { content: [{ text: JSON.stringify({ system: params.system.slice(-10), roles: params.messages.map((m) => m.role), model: params.model.id }) }], usage: { inputTokens: 1000000 } } })`,
    },
  )
  on.write('config/prompt.md', 'You are P.\n')
  on.write(
    'config/models.yaml',
    `models:\n- { id: m1, provider: test, baseUrl: "${on.model.url}" }\n- { id: pol, provider: x, api: parrot, cost: { input: 3 } }\n`,
  )
  const piglet = await on.open()
  expect(await piglet.run('mine')).toMatchObject({ end: 'done', turns: 0 })
  on.model.say({ calls: [{ name: 'ls' }] }, 'done')
  await piglet.run('cats')
  expect(on.model.asked.map(({ body }) => body.messages[0]?.content)).toEqual([
    'You are P.\n\n# Soon\n\ns\n\n# Late\n\nl\n\nabout cats!',
    'You are P.\n\n# Soon\n\ns\n\n# Late\n\nl',
  ])
  piglet.services.choice.switchTo('x/pol', false)
  const { text, usage } = await piglet.run('b')
  expect(JSON.parse(text)).toEqual({
    system: '\n\nabout b!',
    roles: ['user', 'assistant', 'tool_result', 'assistant', 'user'],
    model: 'pol',
  })
  expect(usage.input).toBe(1_000_000)
  expect(piglet.services.current.conversation().messages().at(-1)).toMatchObject({
    model: 'pol',
    provider: 'x',
    usage: { cost: 3 },
  })
  expect(names('EventStreamDelta').at(-1)).toEqual({ Kind: 'text', Index: 0, Delta: 'pol' })
})

test('an attached image goes to the model with the next prompt', async () => {
  const piglet = await on.open()
  piglet.app.act({ type: 'attachImage', data: 'aGk=', mimeType: 'image/png' }, 'x')
  await piglet.run('look')
  expect(on.model.asked[0]?.body.messages[1]?.content).toEqual([
    { type: 'text', text: 'look' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
  ])
  expect(piglet.view().image).toBeUndefined()
})

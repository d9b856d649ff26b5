// Asks the scripted model in the way agents do.
import { expect, test } from 'bun:test'
import type { Dialect } from './dialect.ts'
import { contents, prompts } from './script.ts'
import { startModel } from './server.ts'

const tools: Dialect = {
  read: (path) => ({ tool: 'read', args: { path } }),
  write: (path, content) => ({ tool: 'write', args: { path, content } }),
  edit: (path, before, after) => ({ tool: 'edit', args: { path, before, after } }),
  shell: (command) => ({ tool: 'shell', args: { command } }),
  delegate: (prompt) => ({ tool: 'delegate', args: { prompt } }),
  report: (answer) => ({ tool: 'report', args: { answer } }),
}

const write = { path: '/repo/greeting.txt', content: contents.greeting }
const post = (url: string, body: unknown) => fetch(url, { method: 'POST', body: JSON.stringify(body) })
const events = async (answer: Response) =>
  [...(await answer.text()).matchAll(/^data: (.*)$/gm)].map(([, data = '']) =>
    data === '[DONE]' ? data : JSON.parse(data),
  )

function chat(messages: unknown[], offered = ['write', 'read', 'edit', 'shell', 'delegate']): unknown {
  return {
    model: 'any',
    stream: true,
    messages,
    tools: offered.map((name) => ({ type: 'function', function: { name } })),
  }
}

const called = {
  role: 'assistant',
  content: '',
  tool_calls: [{ id: 'a', function: { name: 'write', arguments: '{}' } }],
}
const result = { role: 'tool', tool_call_id: 'a', content: 'done' }
const ask = (content: string) => ({ role: 'user', content })

/** The tool calls of a reply, or its text when there are none. */
async function answers(messages: unknown[], offered?: string[]): Promise<unknown> {
  await using model = startModel(tools, '/repo')
  const deltas = (
    await events(await post(`${model.url}/v1/chat/completions`, chat(messages, offered)))
  ).flatMap((event) => (event.choices ?? []).map((choice: { delta: unknown }) => choice.delta))
  const calls = deltas
    .flatMap((delta) => delta.tool_calls ?? [])
    .map((call) => [call.function.name, JSON.parse(call.function.arguments)])
  return calls.length > 0 ? calls : deltas[0].content
}

const cases: [rule: string, messages: unknown[], answer: unknown, offered?: string[]][] = [
  ['a prompt of the script starts its first round', [ask(`hm. ${prompts.create}`)], [['write', write]]],
  [
    'the prompt is found in a list of parts',
    [{ role: 'user', content: [{ type: 'text', text: prompts.create }] }],
    [['write', write]],
  ],
  ['when all rounds are done it says so', [ask(prompts.create), called, result], 'I wrote greeting.txt.'],
  [
    'the newest prompt counts, and rounds are counted from there',
    [ask(prompts.create), called, result, ask(prompts.edit), called, result],
    [['edit', { path: write.path, before: 'Good morning.', after: 'Good morning, dear reader.' }]],
  ],
  [
    'a subagent that can hand in its work does',
    [ask('Compose poem.txt'), called, result],
    [['report', expect.anything()]],
    ['report'],
  ],
  ['without tools it is an errand of the agent’s own', [ask(prompts.create)], 'A few words', []],
  ['what is not in the script is answered with a few words', [ask('What is the time?')], 'A few words'],
]

for (const [rule, messages, answer, offered] of cases) {
  test(rule, async () => {
    expect(await answers(messages, offered)).toEqual(answer)
  })
}

test('two files are two calls of one reply', async () => {
  expect(await answers([ask(prompts.twoFiles)])).toHaveLength(2)
})

test('a chat ends with its token usage', async () => {
  await using model = startModel(tools, '/repo')
  const sent = await events(await post(`${model.url}/v1/chat/completions`, chat([ask(prompts.create)])))
  expect(sent.slice(-2)).toMatchObject([
    { choices: [], usage: { prompt_tokens: 1000, completion_tokens: 30 } },
    '[DONE]',
  ])
})

test('Gemini is answered in parts, with the reason and the cost', async () => {
  await using model = startModel(tools, '/repo')
  const body = {
    contents: [{ role: 'user', parts: [{ text: prompts.create }] }],
    tools: [{ functionDeclarations: [{ name: 'write' }] }],
  }
  const sent = await events(
    await post(`${model.url}/v1beta/models/some-model:streamGenerateContent?alt=sse`, body),
  )
  expect(sent).toMatchObject([
    { candidates: [{ content: { parts: [{ text: 'On it.' }] } }] },
    {
      candidates: [
        { content: { parts: [{ functionCall: { name: 'write', args: write } }] }, finishReason: 'STOP' },
      ],
      usageMetadata: { promptTokenCount: 1000, cachedContentTokenCount: 200 },
      modelVersion: 'some-model',
    },
  ])
  expect(model.exchanges).toMatchObject([{ asked: { model: 'some-model', tools: ['write'] } }])
})

test('messages come as named events: blocks, the reason, and the cost', async () => {
  await using model = startModel(tools, '/repo')
  const body = {
    model: 'any',
    stream: true,
    messages: [
      { role: 'user', content: 'hm' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'read', input: {} }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'read' }] },
          { type: 'text', text: prompts.create },
        ],
      },
    ],
    tools: [{ name: 'write' }],
  }
  const answer = await post(`${model.url}/v1/messages?beta=true`, body)
  expect(await answer.clone().text()).toStartWith('event: message_start\ndata: ')
  const sent = await events(answer)
  expect(sent.map(({ type }) => type)).toEqual([
    'message_start',
    ...Array(2).fill(['content_block_start', 'content_block_delta', 'content_block_stop']).flat(),
    'message_delta',
    'message_stop',
  ])
  expect(sent[4].content_block).toMatchObject({ type: 'tool_use', name: 'write', input: {} })
  expect(JSON.parse(sent[5].delta.partial_json)).toEqual(write)
  expect(sent[7]).toMatchObject({
    delta: { stop_reason: 'tool_use' },
    usage: { input_tokens: 800, cache_read_input_tokens: 200, output_tokens: 30 },
  })
})

test('responses are items, and the last event has the cost', async () => {
  await using model = startModel(
    { ...tools, write: (_, input) => ({ tool: 'patch', args: { input } }) },
    '/repo',
  )
  const content = [{ type: 'input_text', text: prompts.create }]
  const body = {
    model: 'any',
    input: [{ type: 'message', role: 'user', content }],
    tools: [{ type: 'custom', name: 'patch' }],
  }
  const sent = await events(
    await fetch(`${model.url}/v1/responses`, {
      method: 'POST',
      headers: { 'content-encoding': 'zstd' },
      body: Bun.zstdCompressSync(JSON.stringify(body)),
    }),
  )
  expect(sent.at(-1)).toMatchObject({
    type: 'response.completed',
    response: {
      output: [{ type: 'message' }, { type: 'custom_tool_call', name: 'patch', input: contents.greeting }],
      usage: { input_tokens: 1000, input_tokens_details: { cached_tokens: 200 }, output_tokens: 30 },
    },
  })
})

test('no two replies cost the same', async () => {
  await using model = startModel(tools, '/repo')
  for (const _ of [1, 2]) await post(`${model.url}/v1/chat/completions`, chat([ask(prompts.create)]))
  const [first, second] = model.exchanges.map(({ replied }) => replied.cost)
  expect(first).not.toEqual(second)
})

test('requests without an answer are kept for the test', async () => {
  await using model = startModel(tools, '/repo')
  expect((await fetch(`${model.url}/telemetry`)).status).toBe(404)
  expect(model.unknown).toEqual(['GET /telemetry'])
})

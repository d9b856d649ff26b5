import { describe, expect, test } from 'bun:test'
import type { ChatMessage } from '../conversation/message.ts'
import { noUsage, toolResult } from '../conversation/message.ts'
import { findModel, isLocal, modelKey, modelOf, parseModels, wantedModel } from './model.ts'
import { openaiAnswer, openaiBody, openaiUrl, serverEvents } from './openai.ts'

const settings = (values: Record<string, string>) => ({
  get: (key: string) => values[key],
  text: (key: string) => values[key] ?? '',
  texts: () => [],
  flag: () => false,
  number: (_key: string, otherwise: number) => otherwise,
})

describe('finding a model', () => {
  const models = [
    ['openai', 'gpt-5'],
    ['openai', 'gpt-5-mini'],
    ['other', 'gpt-5'],
    ['x', 'claude-opus'],
  ].map(([provider = '', id = '']) =>
    modelOf({ id, provider, name: id === 'claude-opus' ? 'The Great One' : id }),
  )
  test('by key, by id, by the shortest id that begins with the query, by the shortest that contains it', () => {
    const found = ['OTHER/gpt-5', 'gpt-5', 'gpt', 'mini', 'great', 'none', '']
      .map((query) => findModel(models, query))
      .map((model) => model && modelKey(model))
    expect(found).toEqual([
      'other/gpt-5',
      'openai/gpt-5',
      'openai/gpt-5',
      'openai/gpt-5-mini',
      'x/claude-opus',
      undefined,
      undefined,
    ])
  })

  test('the environment comes before the settings, and the default model is the fallback for the small one', () => {
    expect(wantedModel('', { PIGLET_DEFAULT_MODEL: 'e' }, settings({ defaultModel: 'c' }))).toBe('e')
    expect(wantedModel('default', {}, settings({ defaultModel: 'c' }))).toBe('c')
    expect(wantedModel('small', { PIGLET_SMALL_MODEL: 's' }, settings({ smallModel: 'c' }))).toBe('s')
    expect(wantedModel('small', {}, settings({ defaultModel: 'c' }))).toBe('c')
    expect(wantedModel('mine', {}, settings({}))).toBe('mine')
  })

  test('a list is read with or without a heading; entries without an id or provider are left out; broken files are named', () => {
    const text =
      '- { id: a, provider: p, contextWindow: 5, cost: { input: 1, output: x }, headers: { H: v } }\n- { id: b }\n- 7\n'
    expect(parseModels(text, 'f')).toEqual(parseModels(`models:\n${text}`, 'f'))
    expect(parseModels(text, 'f')).toMatchObject([
      {
        id: 'a',
        name: 'a',
        api: 'openai',
        contextWindow: 5,
        cost: { input: 1, output: 0 },
        headers: { H: 'v' },
      },
    ])
    expect(() => parseModels('a: [', '/c/models.yaml')).toThrow('/c/models.yaml')
  })

  test('local models are known by their address or their provider', () => {
    const at = (baseUrl: string, provider = 'p') => isLocal(modelOf({ id: 'i', provider, baseUrl }))
    expect([
      at('http://localhost:1'),
      at('http://127.0.0.9'),
      at('http://[::1]:2'),
      at('', 'Ollama'),
      at('https://api.openai.com'),
      at(''),
    ]).toEqual([true, true, true, true, false, false])
  })
})

describe('chat completions', () => {
  test('the URL', () => {
    expect(['https://a', 'https://a/v1/', 'https://a/x/v4'].map(openaiUrl)).toEqual([
      'https://a/v1/chat/completions',
      'https://a/v1/chat/completions',
      'https://a/x/v4/chat/completions',
    ])
  })

  test('newer models have another name for the token limit', () => {
    const limit = (id: string, maxTokens: number) => {
      const { max_tokens: old, max_completion_tokens: newer } = openaiBody({
        model: modelOf({ id, provider: 'p', maxTokens: 7 }),
        system: '',
        messages: [],
        tools: [],
        maxTokens,
      }) as Record<string, number>
      return [old, newer]
    }
    expect([limit('gpt-4o', 0), limit('gpt-5-mini', 3), limit('o3', 0)]).toEqual([
      [7, undefined],
      [undefined, 3],
      [undefined, 7],
    ])
  })

  test('calls, results and images each have their place', () => {
    const messages: ChatMessage[] = [
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'c', name: 't', arguments: { a: 1 } }],
        model: 'm',
        provider: 'p',
        usage: noUsage,
        stopReason: 'toolUse',
        timestamp: '',
      },
      toolResult(
        { id: 'c', name: 't' },
        {
          content: [
            { type: 'text', text: 'r' },
            { type: 'image', data: 'aGk=', mime: 'image/gif' },
          ],
          isError: false,
        },
        '',
      ),
    ]
    const body = openaiBody({
      model: modelOf({ id: 'i', provider: 'p' }),
      system: 's',
      messages,
      tools: [{ name: 't', description: 'd' }],
      maxTokens: 0,
    })
    expect(body).toEqual({
      model: 'i',
      messages: [
        { role: 'system', content: 's' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c', type: 'function', function: { name: 't', arguments: '{"a":1}' } }],
        },
        { role: 'tool', tool_call_id: 'c', content: 'r' },
        { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/gif;base64,aGk=' } }] },
      ],
      stream: true,
      stream_options: { include_usage: true },
      tools: [
        { type: 'function', function: { name: 't', description: 'd', parameters: { type: 'object' } } },
      ],
    })
  })

  test('a provider without a key is not asked', async () => {
    const answer = openaiAnswer({
      findKey: async () => '',
      fetch: (() => {
        throw new Error('asked')
      }) as unknown as typeof fetch,
      clock: () => new Date(0),
    })
    const request = {
      model: modelOf({ id: 'i', provider: 'acme', baseUrl: 'https://acme.example' }),
      system: '',
      messages: [],
      tools: [],
      maxTokens: 0,
    }
    await expect(
      answer(request, { signal: new AbortController().signal, onPiece: () => {} }),
    ).rejects.toThrow('there is no key for acme')
  })
})

test('server-sent events are read whole, wherever the chunks were cut', async () => {
  const bytes = new TextEncoder().encode(
    ': hi\r\ndata: {"a":"ü"}\r\n\r\nevent: x\ndata: one\ndata:two\n\ndata: last',
  )
  for (const size of [1, 2, 3, 7, 100]) {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size))
        controller.close()
      },
    })
    const events: string[] = []
    for await (const event of serverEvents(body)) events.push(event)
    expect(events).toEqual(['{"a":"ü"}', 'one\ntwo', 'last'])
  }
})

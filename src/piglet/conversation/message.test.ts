import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import * as v from 'valibot'
import { conversationMessage } from '../../protocol/extension/content.ts'
import {
  type ChatMessage,
  isCall,
  newUserMessage,
  noUsage,
  parseChatMessage,
  parseCompactMessages,
  toCompactMessages,
  toolResult,
} from './message.ts'
import { lastAssistantText, newest, newestWithin, repair } from './repair.ts'

const at = '2026-01-01T00:00:00.000Z'
const text = fc.string({ unit: 'grapheme' })
const part = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text }),
  fc.record({ type: fc.constant('thinking' as const), thinking: fc.string({ minLength: 1 }) }),
  fc.record({
    type: fc.constant('tool_use' as const),
    id: fc.string({ minLength: 1 }),
    name: text,
    // Through JSON, which has no negative zero.
    arguments: fc
      .dictionary(fc.string(), fc.jsonValue())
      .map((value): Record<string, unknown> => JSON.parse(JSON.stringify(value))),
  }),
)
const message: fc.Arbitrary<ChatMessage> = fc.oneof(
  text.map((content): ChatMessage => ({ role: 'user', content, timestamp: at })),
  text.map((content) =>
    newUserMessage(content, [{ type: 'image', data: 'aGk=', mimeType: 'image/png' }], new Date(at)),
  ),
  fc.array(part).map(
    (content): ChatMessage => ({
      role: 'assistant',
      content,
      model: 'm',
      provider: 'p',
      usage: noUsage,
      stopReason: 'stop',
      timestamp: at,
    }),
  ),
  fc
    .tuple(fc.string({ minLength: 1 }), text, fc.boolean())
    .map(([id, said, isError]) =>
      toolResult({ id, name: 't' }, { content: [{ type: 'text', text: said }], isError }, at),
    ),
)

describe('messages', () => {
  test('are read as they were written, also without their roles', () => {
    fc.assert(
      fc.property(fc.array(message), (messages) => {
        const sent = JSON.parse(JSON.stringify(toCompactMessages(messages)))
        expect(parseCompactMessages(sent)).toEqual(messages)
        for (const one of messages)
          expect(v.safeParse(conversationMessage, JSON.parse(JSON.stringify(one))).success).toBe(true)
      }),
    )
  })

  test.each(['prototype', 'constructor', '__proto__', 'toString'])(
    'keep an argument that is called %s',
    (name) => {
      const given = JSON.parse(`{"${name}":{"a":1}}`)
      const [message] = parseCompactMessages([
        {
          type: 'assistant',
          data: { content: [{ type: 'tool_use', id: '1', name: 't', arguments: given }] },
        },
      ])
      expect(JSON.stringify(message)).toContain(`"arguments":{"${name}":{"a":1}}`)
    },
  )

  test('of unknown roles, and broken ones, are left out', () => {
    expect(
      parseCompactMessages([
        { type: 'system', data: {} },
        { type: 'user', data: 5 },
        { type: 'tool_result', data: {} },
        { type: 'constructor', data: {} },
      ]),
    ).toEqual([])
    expect(parseChatMessage('assistant', { content: null })).toMatchObject({
      content: [],
      model: 'unknown',
      provider: 'unknown',
    })
  })
})

describe('the conversation for a model', () => {
  test('has a result right after every call, and no result without a call', () => {
    fc.assert(
      fc.property(fc.array(message), (messages) => {
        const repaired = repair(messages)
        for (const [index, one] of repaired.entries()) {
          if (one.role !== 'assistant') continue
          const calls = one.content.filter(isCall)
          expect(
            repaired
              .slice(index + 1, index + 1 + calls.length)
              .map((result) => result.role === 'tool_result' && result.toolCallId),
          ).toEqual(calls.map(({ id }) => id))
        }
        const count = repaired.flatMap((one) =>
          one.role === 'assistant' ? one.content.filter(isCall) : [],
        ).length
        expect(repaired.filter(({ role }) => role === 'tool_result').length).toBe(count)
      }),
    )
  })

  test('when it is too long, is the first message and the newest, which never begin with a result', () => {
    const user = (content: string): ChatMessage => ({ role: 'user', content, timestamp: at })
    const result = toolResult({ id: 'c', name: 't' }, { content: [], isError: false }, at)
    const all = [user('a'), user('b'), result, user('c'), user('d')]
    expect(newest(all, 0)).toBe(all)
    expect(newest(all, 3)).toEqual([user('a'), user('c'), user('d')])
    expect(newest(all, 4)).toEqual([user('a'), user('c'), user('d')])
    expect(newestWithin(all, 10_000)).toEqual(all)
    expect(newestWithin(all, JSON.stringify(user('d')).length)).toEqual([user('d')])
    expect(newestWithin(all, 3)).toEqual([])
  })
})

test('the last text is the first of the last answer that has one', () => {
  const answer = (...content: { type: 'text'; text: string }[]): ChatMessage => ({
    role: 'assistant',
    content,
    model: 'm',
    provider: 'p',
    usage: noUsage,
    stopReason: 'stop',
    timestamp: at,
  })
  const says = (said: string) => ({ type: 'text' as const, text: said })
  expect(lastAssistantText([])).toBe('')
  expect(
    lastAssistantText([answer(says('old')), answer(says(''), says('new'), says('newer')), answer()]),
  ).toBe('new')
})

import { describe, expect, test } from 'bun:test'
import { parseAction } from './action.ts'

describe('an answer asks for', () => {
  test.each([
    [
      { type: 'notify', payload: { message: 'hi' } },
      { type: 'notify', message: 'hi', level: '' },
    ],
    [
      { type: 'notify', payload: { Message: 'hi', Level: 'warn' } },
      { type: 'notify', message: 'hi', level: 'warn' },
    ],
    [
      { type: 'showMessage', payload: { text: 'a' } },
      { type: 'showMessage', text: 'a' },
    ],
    [
      { type: 'setSessionTitle', payload: { title: 't' } },
      { type: 'setSessionTitle', title: 't' },
    ],
    [{ type: 'quit' }, { type: 'quit' }],
    [
      { type: 'setStatus', payload: { key: 'k', text: 'v' } },
      { type: 'setStatus', key: 'k', text: 'v' },
    ],
    [
      { type: 'attachImage', payload: { data: 'AA==', mimeType: 'image/png' } },
      { type: 'attachImage', data: 'AA==', mimeType: 'image/png' },
    ],
    [{ type: 'detachImage', payload: null }, { type: 'detachImage' }],
    [
      { type: 'sendMessage', payload: { content: 'go on' } },
      { type: 'sendMessage', content: 'go on' },
    ],
  ] as const)('%j', (result, action) => {
    expect(parseAction(result)).toEqual(action)
  })
})

test('an unknown action, and one without the payload it needs, is ignored', () => {
  expect([
    parseAction({ type: 'explode' }),
    parseAction({ type: 'toString' }),
    parseAction(null),
    parseAction(undefined),
  ]).toEqual([undefined, undefined, undefined, undefined])
  expect(parseAction({ type: 'notify', payload: 'text' })).toBeUndefined()
})

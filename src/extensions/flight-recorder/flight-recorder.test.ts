import { expect, test } from 'bun:test'
import { requestLine, resultLine } from '../../protocol/extension/rpc.ts'
import { parseRecording, WireRecorder } from './recording.ts'
import { findDifference } from './replay.ts'

function recorded(
  said: [extension: string, direction: 'in' | 'out', line: string, process?: number][],
): string {
  let text = ''
  let now = 1000
  const { tap } = new WireRecorder({
    write: (more) => {
      text += more
    },
    clock: () => new Date(now),
  })
  for (const [extension, direction, line, process = 1] of said) {
    now += 5
    tap(extension, direction, line, process)
  }
  return text
}

test('a recording is read by process, with times, in the order of its messages', () => {
  const text = recorded([
    ['a', 'out', requestLine(1, 'initialize', {})],
    ['b', 'out', requestLine(1, 'initialize', {}), 2],
    ['a', 'in', resultLine(1, { name: 'a' })],
    ['a', 'out', requestLine(1, 'initialize', {}), 3],
    ['a', 'in', 'not a message'],
  ])
  const [first, second, third] = parseRecording(text, 'file')
  expect(first).toMatchObject({
    extension: 'a',
    process: 1,
    entries: [
      { ms: 5, to: 'extension' },
      { ms: 15, to: 'host' },
    ],
  })
  expect(second).toMatchObject({ extension: 'b', process: 2 })
  expect(third).toMatchObject({ extension: 'a', process: 3 })
  expect(third?.entries).toHaveLength(1)
})

test('a recording that was cut off is read up to its last whole line', () => {
  const text = recorded([
    ['a', 'out', requestLine(1, 'initialize', {})],
    ['a', 'in', resultLine(1, {})],
  ])
  expect(parseRecording(text.slice(0, -10), 'file')[0]?.entries).toHaveLength(1)
})

test('a file that is not a recording is refused by name', () => {
  expect(() => parseRecording('{"a":1}\n', 'notes.jsonl')).toThrow(
    'notes.jsonl is not a recording of extensions.',
  )
})

test('keys that the host hands out are not recorded, and everything else is', () => {
  const text = recorded([
    ['a', 'in', requestLine(7, 'host/auth.getKey', { provider: 'openai' })],
    ['b', 'in', requestLine(7, 'host/config.get', { keys: ['key'] }), 2],
    ['b', 'out', resultLine(7, { key: 'plain' }), 2],
    ['a', 'out', resultLine(7, { key: 'sk-secret' })],
    ['a', 'in', requestLine(8, 'host/auth.getKey', { provider: 'none' })],
    ['a', 'out', resultLine(8, { key: '' })],
  ])
  expect(text).not.toContain('sk-secret')
  expect(text).toContain('"key":"(left out)"')
  expect(text).toContain('"key":"plain"')
  expect(text).toContain('"key":""')
})

test.each([
  [{ a: 1 }, { a: 1 }, undefined],
  [{ a: 1 }, { a: 2 }, { path: 'a', was: 1, is: 2 }],
  [{ a: [{ b: 'x' }] }, { a: [{ b: 'y' }] }, { path: 'a.0.b', was: 'x', is: 'y' }],
  [{ a: 1 }, { a: 1, b: null }, undefined],
  [{ a: 1 }, { a: 1, b: 0 }, { path: 'b', was: undefined, is: 0 }],
  [[1], { 0: 1 }, { path: '', was: [1], is: { 0: 1 } }],
  [[1, 2], [1], { path: '1', was: 2, is: undefined }],
  [{ at: 1, a: { at: 2 } }, { at: 3, a: { at: 4 } }, undefined],
])('%j and %j differ at %j', (was, is, difference) => {
  expect(findDifference(was as never, is as never, ['at'])).toEqual(difference as never)
})

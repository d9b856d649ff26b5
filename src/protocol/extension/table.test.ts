import { describe, expect, test } from 'bun:test'
import * as v from 'valibot'
import { extensionEvents } from './events.ts'
import { permissionMeanings } from './method.ts'
import { errorLine, noticeLine, parseLine, requestLine, resultLine, rpcErrorCodes } from './rpc.ts'
import { findMethod, isRegistration, methods } from './table.ts'

const names = Object.keys(methods)
const count = (prefix: string) => names.filter((name) => name.startsWith(prefix)).length

test('the table has every method of version 5', () => {
  expect(names.length).toBe(88)
  expect({
    register: count('register/'),
    host: count('host/'),
    plain: names.filter((name) => !name.includes('/')).length,
  }).toEqual({
    register: 10,
    host: 52,
    plain: 13,
  })
  expect(
    names.filter((name) => name.startsWith('host/')).every((name) => findMethod(name)?.result !== undefined),
  ).toBe(true)
  expect(names.filter(isRegistration).length).toBe(10)
  expect(findMethod('toString')).toBeUndefined()
})

test('every request has a deadline, and no notice has one', () => {
  for (const name of names) {
    const method = findMethod(name)
    expect([name, method?.deadlineMs !== undefined]).toEqual([name, method?.result !== undefined])
  }
})

test('every permission is required by a method, except those that are checked elsewhere', () => {
  const used = new Set(names.map((name) => findMethod(name)?.permission))
  expect(
    Object.keys(permissionMeanings).filter((name) => !used.has(name as keyof typeof permissionMeanings)),
  ).toEqual(['tools:override', 'env'])
})

describe('messages of programs in Go are understood', () => {
  test.each([
    ['tool/execute', { content: null }, { content: [], isError: false, errorCode: '', errorHint: '' }],
    [
      'tool/execute',
      { content: [{ Type: 'text', Text: 'hi' }] },
      { content: [{ type: 'text', text: 'hi', data: undefined, mime: undefined }] },
    ],
    ['host/listTools', { tools: null }, { tools: [] }],
    ['interceptor/before', null, { allow: false }],
    ['event/dispatch', { action: null }, { action: null }],
    ['initialize', null, {}],
  ] as const)('%s answers %p', (name, answer, expected) => {
    const result = methods[name].result
    expect(v.parse(result as v.GenericSchema, answer)).toMatchObject(
      v.parse(result as v.GenericSchema, expected) as object,
    )
  })

  test('null params get default values', () => {
    expect(v.parse(methods['host/waitForIdle'].params, null)).toEqual({})
    expect(v.parse(methods['host/listTools'].params, { filter: null, more: 1 })).toEqual({
      filter: '',
      more: 1,
    } as never)
  })
})

describe('a registration without a name is refused', () => {
  test.each([
    ['register/tool', { name: '' }],
    ['register/command', {}],
    ['register/shortcut', { key: '' }],
    ['register/promptSection', { content: 'x' }],
    ['register/provider', { api: '' }],
  ] as const)('%s', (name, params) => {
    expect(v.safeParse(methods[name].params as v.GenericSchema, params).success).toBe(false)
  })
})

describe('a line is', () => {
  test.each([
    [
      'a request',
      '{"jsonrpc":"2.0","id":3,"method":"tool/execute","params":{}}',
      { kind: 'request', id: 3, method: 'tool/execute', params: {} },
    ],
    ['a notice', '{"method":"log"}', { kind: 'notice', method: 'log', params: undefined }],
    [
      'a notice with an id of null',
      '{"id":null,"method":"log"}',
      { kind: 'notice', method: 'log', params: undefined },
    ],
    ['an answer', '{"id":0,"result":null}', { kind: 'answer', id: 0, result: null, error: undefined }],
    [
      'a failure',
      '{"id":1,"error":{"code":-32601,"message":"no"}}',
      { kind: 'answer', id: 1, error: { code: -32601, message: 'no' } },
    ],
    ['nothing with an id that is text', '{"id":"1","method":"x"}', undefined],
    ['nothing with a broken id', '{"id":1.5,"result":{}}', undefined],
    ['nothing when it is not an object', '[1]', undefined],
    ['nothing when it is not JSON', 'hello', undefined],
  ])('%s', (_name, line, expected) => {
    const parsed = parseLine(line)
    if (expected === undefined) expect(parsed).toBeUndefined()
    else expect(parsed).toMatchObject(expected)
  })
})

test('every kind of line survives writing and reading', () => {
  expect(parseLine(requestLine(1, 'x', { a: 'é\n' }))).toEqual({
    kind: 'request',
    id: 1,
    method: 'x',
    params: { a: 'é\n' },
  })
  expect(parseLine(noticeLine('x', undefined))).toEqual({ kind: 'notice', method: 'x', params: undefined })
  expect(parseLine(resultLine(2, undefined))).toEqual({ kind: 'answer', id: 2, result: {}, error: undefined })
  const error = { code: rpcErrorCodes.notFound, message: 'unknown tool: x' }
  expect(parseLine(errorLine(3, error))).toEqual({ kind: 'answer', id: 3, result: undefined, error })
  expect(requestLine(1, 'x', 'a\nb').slice(0, -1)).not.toContain('\n')
})

test('every event accepts empty data', () => {
  expect(Object.keys(extensionEvents).length).toBe(18)
  for (const { data } of Object.values(extensionEvents))
    expect(v.safeParse(data, {}).success || v.safeParse(data, { Message: {} }).success).toBe(true)
})

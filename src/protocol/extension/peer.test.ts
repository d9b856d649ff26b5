import { expect, test } from 'bun:test'
import { until } from '../../../test/support/until.ts'
import { Peer } from './peer.ts'
import { parseLine, RpcFailure, rpcErrorCodes } from './rpc.ts'
import { maxLineBytes } from './table.ts'

type Serve = (method: string, params: unknown, signal: AbortSignal) => unknown

/** Two sides that talk to each other, and what they said. */
function pair(serve: Serve) {
  const lines: string[] = []
  const heard: string[] = []
  const garbage: string[] = []
  const side = (other: () => Peer, answers: Serve) =>
    new Peer({
      send: (line) => {
        lines.push(line)
        queueMicrotask(() => other().receive(line))
      },
      serve: answers,
      hear: (method) => heard.push(method),
      reject: (line) => garbage.push(line),
    })
  const near: Peer = side(() => far, serve)
  const far: Peer = side(() => near, serve)
  return { near, far, lines, heard, garbage }
}

test('answers in any order find their requests', async () => {
  const gates = new Map<unknown, () => void>()
  const { near } = pair(
    (_method, params) => new Promise((resolve) => gates.set(params, () => resolve(params))),
  )
  const answers = [1, 2, 3].map((n) => near.request('echo', n))
  await until(() => gates.size === 3)
  for (const n of [3, 1, 2]) gates.get(n)?.()
  expect(await Promise.all(answers)).toEqual([1, 2, 3])
  expect(near.waiting()).toBe(0)
})

test('an RpcFailure keeps its code, and any other error becomes a failure', async () => {
  const { near } = pair((method) => {
    throw method === 'coded' ? new RpcFailure(rpcErrorCodes.notFound, 'unknown tool: x') : new Error('broke')
  })
  expect(near.request('coded', {})).rejects.toMatchObject({
    code: rpcErrorCodes.notFound,
    message: 'unknown tool: x',
  })
  expect(near.request('other', {})).rejects.toMatchObject({ code: rpcErrorCodes.failed, message: 'broke' })
})

test('a cancelled request is aborted on the other side, and its late answer is dropped', async () => {
  let aborted = false
  const { near, lines } = pair(
    (_method, _params, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          aborted = true
          resolve('late')
        })
      }),
  )
  const controller = new AbortController()
  const answer = near.request('slow', {}, { signal: controller.signal })
  await until(() => lines.length > 0)
  controller.abort(new Error('enough'))
  expect(answer).rejects.toThrow('enough')
  await Bun.sleep(1)
  expect([aborted, lines.map((line) => parseLine(line)?.kind)]).toEqual([
    true,
    ['request', 'notice', 'answer'],
  ])
})

test('a request without an answer fails at its deadline, and is cancelled on the other side', async () => {
  const { near, lines } = pair(() => new Promise(() => {}))
  expect(near.request('never', {}, { deadlineMs: 1 })).rejects.toThrow('never: no answer within 1 ms')
  await Bun.sleep(5)
  expect(lines[1]).toContain('"method":"$/cancelRequest","params":{"id":1}')
})

test('a message that is too long fails alone', async () => {
  const long = 'é'.repeat(maxLineBytes / 2)
  const { near, lines } = pair((_method, params) => (params === 'long' ? long : params))
  expect(near.request('echo', long)).rejects.toThrow('a line must be below')
  expect(near.request('echo', 'long')).rejects.toThrow('a line must be below')
  expect(await near.request('echo', 'x'.repeat(maxLineBytes - 100))).toHaveLength(maxLineBytes - 100)
  expect(lines.every((line) => Buffer.byteLength(line) < maxLineBytes)).toBe(true)
})

test('answers without a request, repeated answers, garbage and unknown notices change nothing', async () => {
  const { near, heard, garbage } = pair((_method, params) => params)
  near.receive('{"id":77,"result":{}}')
  near.receive('not json')
  near.receive('')
  near.receive('{"method":"$/cancelRequest","params":null}')
  near.receive('{"method":"who/knows"}')
  const answer = near.request('echo', 1)
  near.receive('{"id":1,"result":"first"}')
  expect(await answer).toBe('first')
  near.receive('{"id":1,"result":"second"}')
  expect([garbage, heard]).toEqual([['not json'], ['who/knows']])
})

test('closing a peer rejects its requests with the reason, and aborts those it is answering', async () => {
  let reason: unknown
  const { near, far } = pair(
    (_method, _params, signal) =>
      new Promise(() => signal.addEventListener('abort', () => (reason = signal.reason))),
  )
  const answer = near.request('never', {})
  await Bun.sleep(0)
  near.close(new Error('extension x closed'))
  far.close(new Error('gone'))
  expect(answer).rejects.toThrow('extension x closed')
  expect(near.request('more', {})).rejects.toThrow('extension x closed')
  expect(await near.tell('more', {})).toBe(false)
  expect(reason).toMatchObject({ message: 'gone' })
})

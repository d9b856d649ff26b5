// A host in memory, for tests of extensions: the extension answers its requests, and a function answers those
// of the extension.
import { Peer } from '../../src/protocol/extension/peer.ts'
import type { Extension } from '../../src/sdk/extension/create-extension.ts'

export function inMemoryHost(
  extension: Extension,
  answer: (method: string, params: unknown, signal: AbortSignal) => unknown = () => ({}),
) {
  /** The notices and requests of the extension, in order. */
  const heard: [method: string, params: unknown][] = []
  const lines: string[] = []
  const connection = extension.connect((line) => {
    lines.push(line)
    // Later, as over a pipe.
    queueMicrotask(() => peer.receive(line))
  })
  const peer = new Peer({
    send: (line) => queueMicrotask(() => connection.receive(line)),
    serve(method, params, signal) {
      heard.push([method, params])
      return answer(method, params, signal)
    },
    hear: (method, params) => void heard.push([method, params]),
    reject: (line) => {
      throw new Error(`not a message: ${line}`)
    },
  })
  const initialize = () =>
    peer.request('initialize', { protocolVersion: '5', cwd: '/project', configDir: '/config/ext' })
  return {
    request: peer.request.bind(peer),
    tell: peer.tell.bind(peer),
    waiting: () => peer.waiting(),
    heard,
    lines,
    connection,
    initialize,
    end: connection.end,
  }
}

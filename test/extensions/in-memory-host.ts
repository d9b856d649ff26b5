// A host without a process, for tests of extensions: what it asks is answered by the extension, what the extension asks by a function.
import { Peer } from '../../src/protocol/extension/peer.ts'
import type { Extension } from '../../src/sdk/extension/create-extension.ts'

export function inMemoryHost(
  extension: Extension,
  answer: (method: string, params: unknown, signal: AbortSignal) => unknown = () => ({}),
) {
  /** Everything the extension said without being asked, and what it asked, in order. */
  const heard: [method: string, params: unknown][] = []
  const lines: string[] = []
  const connection = extension.connect((line) => {
    lines.push(line)
    // Not at once: a line takes its time.
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

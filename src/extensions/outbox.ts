// What is on its way to an extension. One that reads slowly slows down those who talk to it; one that does not read at all is told
// nothing more.
import type { Writable } from 'node:stream'
import { codes } from '../protocol/extension-line.ts'
import { RpcFailure } from '../protocol/extension-peer.ts'
import { within } from './within.ts'

/** So much waits at most; a single message may be larger. */
const limitBytes = 16 * 1024 * 1024

export interface Outbox {
  /** Resolves when the line was handed to the system; rejects when too much waits already. */
  send(line: string | Uint8Array): Promise<void>
  waitingBytes(): number
  close(): void
}

/** Those who die close their pipes first: how they died is the better answer, and it comes at once. */
const deathMs = 500

export function createOutbox(name: string, stream: Writable, exited: Promise<unknown>): Outbox {
  let waiting = 0
  let closed = false
  return {
    send(line) {
      if (closed) return Promise.reject(new RpcFailure(codes.failed, `extension ${name} closed`))
      const bytes = Buffer.byteLength(line)
      if (waiting > 0 && waiting + bytes > limitBytes)
        return Promise.reject(new RpcFailure(codes.failed, `extension ${name} does not read: ${waiting} bytes wait for it`))
      waiting += bytes
      return new Promise((resolve, reject) => {
        stream.write(line, (error) => {
          waiting -= bytes
          if (error) within(deathMs, exited).then(() => reject(new RpcFailure(codes.failed, `extension ${name} closed`)))
          else resolve()
        })
      })
    },
    waitingBytes: () => waiting,
    close() {
      closed = true
      stream.end()
    },
  }
}

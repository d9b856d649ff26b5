// Two ways lead to an extension: descriptors 3 and 4, and its standard input and output. Both are offered; the one it answers on is
// the one it uses, and the other is then just a place where it may print.

import type { Readable, Writable } from 'node:stream'
import { codes, parseLine, RpcFailure } from '../protocol/extension/peer.ts'
import { maxLineBytes } from '../protocol/extension/table.ts'
import type { LongRunningChild } from '../std/child-process.ts'
import { lineReader } from '../std/line-reader.ts'
import type { Manifest } from './manifest.ts'

export interface TransportEvents {
  onLine(line: string): void
  /** A message that was too long to be read: its beginning. */
  onTooLong(head: string): void
  /** A line that is not meant for the protocol. */
  onPrinted(line: string): void
  /** It will say nothing more. */
  onEnd(): void
}

export interface Transport {
  send(line: string | Uint8Array): Promise<void>
  waitingBytes(): number
  /** While paused nothing is read, and the extension has to wait. */
  pause(): void
  resume(): void
  /** No more is said; what it says is still heard. */
  close(): void
  /** Nobody listens any more, whoever holds the other ends. */
  destroy(): void
}

interface Way {
  outbox: Outbox
  input: Readable
}

const printedLineBytes = 64 * 1024

export function openTransport(
  child: LongRunningChild,
  manifest: Manifest,
  events: TransportEvents,
): Transport {
  const way = (output: Writable, input: Readable): Way => ({
    outbox: createOutbox(manifest.name, output, child.exited),
    input,
  })
  const offered: Record<'fd' | 'stdio', Way> = {
    fd: way(child.toChild, child.fromChild),
    stdio: way(child.stdin, child.stdout),
  }
  let chosen: Way | undefined = manifest.transport && offered[manifest.transport]

  const choose = (used: Way) => {
    chosen = used
    for (const other of Object.values(offered)) if (other !== used) other.outbox.close()
  }
  if (chosen) choose(chosen)

  const listen = (used: Way) => {
    const onLine = (line: string) => {
      if (chosen === undefined && parseLine(line) !== undefined) choose(used)
      if (chosen === used) events.onLine(line)
      else events.onPrinted(line)
    }
    const reader = lineReader(maxLineBytes, onLine, (head) =>
      chosen === used ? events.onTooLong(head) : events.onPrinted(head),
    )
    used.input.on('data', (chunk: Buffer) => reader.push(chunk))
    used.input.once('end', () => {
      reader.end()
      if (chosen === used) events.onEnd()
    })
  }
  for (const used of Object.values(offered)) listen(used)

  const printed = lineReader(printedLineBytes, events.onPrinted, events.onPrinted)
  child.stderr.on('data', (chunk: Buffer) => printed.push(chunk))
  child.stderr.once('end', printed.end)

  const current = () => (chosen ? [chosen] : Object.values(offered))
  return {
    async send(line) {
      // Of two ways that are offered one may be closed already.
      await Promise.any(current().map(({ outbox }) => outbox.send(line))).catch((error: AggregateError) => {
        throw error.errors[0]
      })
    },
    waitingBytes: () => current().reduce((sum, { outbox }) => sum + outbox.waitingBytes(), 0),
    pause: () => chosen?.input.pause(),
    resume: () => chosen?.input.resume(),
    close: () => {
      for (const { outbox } of current()) outbox.close()
    },
    destroy: () => {
      for (const stream of [child.stdin, child.stdout, child.stderr, child.toChild, child.fromChild])
        stream.destroy()
    },
  }
}

// What is on its way to an extension. One that reads slowly slows down those who talk to it; one that does not read at all is told
// nothing more.

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
        return Promise.reject(
          new RpcFailure(codes.failed, `extension ${name} does not read: ${waiting} bytes wait for it`),
        )
      waiting += bytes
      return new Promise((resolve, reject) => {
        stream.write(line, (error) => {
          waiting -= bytes
          if (error)
            within(deathMs, exited).then(() =>
              reject(new RpcFailure(codes.failed, `extension ${name} closed`)),
            )
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

// Ends the process of an extension, whatever it does and whoever holds its pipes. It never hangs.

/** Long enough to write a file, short enough for somebody who wants to quit. */
const graceMs = 500
const lastMs = 2000

export async function stopChild(child: LongRunningChild, transport: Transport): Promise<void> {
  transport.close()
  if (!(await within(graceMs, child.exited))) {
    child.kill('SIGTERM')
    if (!(await within(graceMs, child.exited))) child.kill('SIGKILL')
  }
  await within(lastMs, child.exited)
  transport.destroy()
}

// Waiting, but not for ever.

/** Whether it settled in time. */
export async function within(ms: number, promise: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  try {
    return await Promise.race([promise.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}

// The last lines that somebody printed, for the message that says why they died.

const keptLines = 20
const keptLength = 500

export function lastLines() {
  const lines: string[] = []
  return {
    add(line: string): void {
      lines.push(line.slice(0, keptLength))
      if (lines.length > keptLines) lines.shift()
    },
    all: (): string[] => [...lines],
  }
}

// Carries lines to and from the process of an extension. Two channels lead to it: descriptors 3 and 4, and
// its standard input and output. Both are offered; the extension uses the one it answers on, and whatever it
// writes to the other is printed text.

import type { Readable, Writable } from 'node:stream'
import { parseLine, RpcFailure, rpcErrorCodes } from '../protocol/extension/rpc.ts'
import { maxLineBytes } from '../protocol/extension/table.ts'
import { lineReader } from '../std/line-reader.ts'
import type { LongRunningChild } from '../std/long-running-child.ts'
import type { Manifest } from './manifest.ts'

export interface TransportEvents {
  onLine(line: string): void
  /** A message was too long to be read; `head` is its beginning. */
  onTooLong(head: string): void
  /** A line that is not part of the protocol. */
  onPrinted(line: string): void
  /** The extension has closed its side of the channel. */
  onEnd(): void
}

interface Channel {
  outbox: Outbox
  input: Readable
}

const printedLineBytes = 64 * 1024

export class Transport {
  readonly #child: LongRunningChild
  readonly #events: TransportEvents
  readonly #offered: Record<'fd' | 'stdio', Channel>
  /** Undefined until the manifest or the first message decides. */
  #chosen: Channel | undefined

  constructor(child: LongRunningChild, manifest: Manifest, events: TransportEvents) {
    const channel = (output: Writable, input: Readable): Channel => ({
      outbox: new Outbox(manifest.name, output, child.exited),
      input,
    })
    this.#child = child
    this.#events = events
    this.#offered = {
      fd: channel(child.toChild, child.fromChild),
      stdio: channel(child.stdin, child.stdout),
    }
    if (manifest.transport) this.#choose(this.#offered[manifest.transport])
    for (const offered of Object.values(this.#offered)) this.#listen(offered)
    this.#listenToErrors()
  }

  async send(line: string | Uint8Array): Promise<void> {
    // While both channels are offered, one of them may be closed already.
    await Promise.any(this.#channels().map(({ outbox }) => outbox.send(line))).catch(
      (error: AggregateError) => {
        throw error.errors[0]
      },
    )
  }

  waitingBytes(): number {
    return this.#channels().reduce((sum, { outbox }) => sum + outbox.waitingBytes, 0)
  }

  /** Nothing is read until `resume`, and the extension has to wait. */
  pause(): void {
    this.#chosen?.input.pause()
  }

  resume(): void {
    this.#chosen?.input.resume()
  }

  /** Nothing more is sent; what the extension sends is still read. */
  close(): void {
    for (const { outbox } of this.#channels()) outbox.close()
  }

  /** Closes all streams, even if another process holds their other ends. */
  destroy(): void {
    const { stdin, stdout, stderr, toChild, fromChild } = this.#child
    for (const stream of [stdin, stdout, stderr, toChild, fromChild]) stream.destroy()
  }

  #channels(): Channel[] {
    return this.#chosen ? [this.#chosen] : Object.values(this.#offered)
  }

  #choose(chosen: Channel): void {
    this.#chosen = chosen
    for (const other of Object.values(this.#offered)) if (other !== chosen) other.outbox.close()
  }

  #listen(channel: Channel): void {
    const onLine = (line: string) => {
      if (this.#chosen === undefined && parseLine(line) !== undefined) this.#choose(channel)
      if (this.#chosen === channel) this.#events.onLine(line)
      else this.#events.onPrinted(line)
    }
    const reader = lineReader(maxLineBytes, onLine, (head) =>
      this.#chosen === channel ? this.#events.onTooLong(head) : this.#events.onPrinted(head),
    )
    channel.input.on('data', (chunk: Buffer) => reader.push(chunk))
    channel.input.once('end', () => {
      reader.end()
      if (this.#chosen === channel) this.#events.onEnd()
    })
  }

  #listenToErrors(): void {
    const onPrinted = (line: string) => this.#events.onPrinted(line)
    const reader = lineReader(printedLineBytes, onPrinted, onPrinted)
    this.#child.stderr.on('data', (chunk: Buffer) => reader.push(chunk))
    this.#child.stderr.once('end', () => reader.end())
  }
}

/** At most this much waits for an extension that does not read; a single message may be larger. */
const maxWaitingBytes = 16 * 1024 * 1024

/** A dying process closes its pipes first: within this time its exit gives the better error message. */
const exitMs = 500

/** What has been sent to an extension and not been read by it yet. */
class Outbox {
  readonly #name: string
  readonly #stream: Writable
  readonly #exited: Promise<unknown>
  #waiting = 0
  #isClosed = false

  constructor(name: string, stream: Writable, exited: Promise<unknown>) {
    this.#name = name
    this.#stream = stream
    this.#exited = exited
  }

  get waitingBytes(): number {
    return this.#waiting
  }

  /** Resolves when the line was handed to the system; rejects when too much waits already. */
  send(line: string | Uint8Array): Promise<void> {
    if (this.#isClosed) return Promise.reject(this.#closedFailure())
    const bytes = Buffer.byteLength(line)
    if (this.#waiting > 0 && this.#waiting + bytes > maxWaitingBytes)
      return Promise.reject(
        new RpcFailure(
          rpcErrorCodes.failed,
          `extension ${this.#name} is not reading: ${this.#waiting} bytes are waiting for it`,
        ),
      )
    this.#waiting += bytes
    return new Promise((resolve, reject) => {
      this.#stream.write(line, (error) => {
        this.#waiting -= bytes
        if (error) settledWithin(exitMs, this.#exited).then(() => reject(this.#closedFailure()))
        else resolve()
      })
    })
  }

  close(): void {
    this.#isClosed = true
    this.#stream.end()
  }

  #closedFailure(): RpcFailure {
    return new RpcFailure(rpcErrorCodes.failed, `extension ${this.#name} closed`)
  }
}

/** Long enough to write a file, short enough for a user who quits. */
const graceMs = 500
const lastMs = 2000

/** Ends the process of an extension. Never hangs, even if other processes hold its pipes. */
export async function stopChild(child: LongRunningChild, transport: Transport): Promise<void> {
  transport.close()
  if (!(await settledWithin(graceMs, child.exited))) {
    child.kill('SIGTERM')
    if (!(await settledWithin(graceMs, child.exited))) child.kill('SIGKILL')
  }
  await settledWithin(lastMs, child.exited)
  transport.destroy()
}

async function settledWithin(ms: number, promise: Promise<unknown>): Promise<boolean> {
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

const keptLines = 20
const keptLength = 500

/** The last lines an extension printed, for the message that says why it died. */
export class PrintedLines {
  readonly #lines: string[] = []

  add(line: string): void {
    this.#lines.push(line.slice(0, keptLength))
    if (this.#lines.length > keptLines) this.#lines.shift()
  }

  all(): string[] {
    return [...this.#lines]
  }
}

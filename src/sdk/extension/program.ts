// Runs an extension as a process: opens its streams, and exits when the host is gone.

import { createReadStream, createWriteStream, fstatSync, openSync } from 'node:fs'
import { Socket } from 'node:net'
import process from 'node:process'
import type { Readable, Writable } from 'node:stream'
import { maxLineBytes } from '../../protocol/extension/table.ts'
import type { Environment } from '../../std/environment.ts'
import { lineReader } from '../../std/line-reader.ts'
import type { Connection } from './connection.ts'

/** How long a write may take to finish at the end. */
const flushMs = 50

type Connect = (send: (line: string) => Promise<void>, onShutdown: () => void) => Connection

/** Talks to the host until it is gone, then ends the process. */
export function runExtension(name: string, connect: Connect): Promise<never> {
  const streams = openStreams(name, process.env)
  let lastWrite: Promise<unknown> = Promise.resolve()
  let isEnding = false

  const send = (line: string) => {
    const written = streams.write(line)
    lastWrite = written.catch(() => {})
    return written
  }
  const end = async () => {
    if (isEnding) return
    isEnding = true
    await connection.end()
    await Promise.race([lastWrite, new Promise((resolve) => setTimeout(resolve, flushMs))])
    // Timers and connections that the author has left open do not keep the host waiting.
    process.exit(0)
  }
  const connection = connect(send, () => void end())
  const reader = lineReader(maxLineBytes, connection.receive, connection.refuse)
  streams.input.on('data', reader.push)
  streams.input.once('end', () => {
    reader.end()
    void end()
  })
  streams.onBroken(() => void end())
  return new Promise(() => {})
}

export interface Streams {
  input: Readable
  /** Resolves when the line has been written. */
  write(line: string): Promise<void>
  /** Called when either side is broken. */
  onBroken(listener: () => void): void
}

/**
 * Opens descriptors 3 and 4 where PIGLET_FD says that they are there, else standard input and output. Removes
 * PIGLET_FD from the environment, because it would mislead programs that the extension starts.
 */
function openStreams(name: string, env: Environment): Streams {
  const isOffered = env.PIGLET_FD === '1'
  delete env.PIGLET_FD
  const [incoming, outgoing] = isOffered ? [findDescriptor(3, 'r'), findDescriptor(4, 'w')] : []
  if (incoming !== undefined && outgoing !== undefined)
    return streamsOf(readable(incoming), writable(outgoing))
  // Standard output belongs to the protocol: what the author prints goes to standard error.
  console.log = console.error
  console.info = console.error
  console.debug = console.error
  if (process.stdin.isTTY)
    console.error(`${name} is an extension: a host starts it and talks to it. Try \`piglet ext check .\`.`)
  return streamsOf(process.stdin, process.stdout)
}

function streamsOf(input: Readable, output: Writable): Streams {
  return {
    input,
    write: (line) =>
      new Promise((resolve, reject) => output.write(line, (error) => (error ? reject(error) : resolve()))),
    onBroken(listener) {
      output.on('error', listener)
      input.on('error', listener)
    },
  }
}

// Deno numbers descriptors differently: there only the path works, and only for pipes, not for sockets.
function findDescriptor(number: number, flags: string): number | undefined {
  try {
    const stat = fstatSync(number)
    return stat.isFIFO() || stat.isSocket() ? number : undefined
  } catch {
    try {
      return openSync(`/dev/fd/${number}`, flags)
    } catch {
      return undefined
    }
  }
}

// A read that waits in a thread would keep Node from exiting; a socket does not. Bun and Deno cannot open a
// descriptor as a socket.
const hasSockets = process.versions.bun === undefined && process.versions.deno === undefined

function readable(fd: number): Readable {
  return hasSockets
    ? new Socket({ fd, readable: true, writable: false })
    : createReadStream('', { fd, autoClose: false })
}

function writable(fd: number): Writable {
  return hasSockets
    ? new Socket({ fd, readable: false, writable: true })
    : createWriteStream('', { fd, autoClose: false })
}

// The process around an extension: its streams, its end and its exit code.

import { createReadStream, createWriteStream, fstatSync, openSync } from 'node:fs'
import { Socket } from 'node:net'
import process from 'node:process'
import type { Readable, Writable } from 'node:stream'
import { maxLineBytes } from '../../protocol/extension/table.ts'
import { lineReader } from '../../std/line-reader.ts'
import type { Connection } from './connection.ts'

/** What is still on its way out gets so long. */
const flushMs = 50

type Connect = (send: (line: string) => Promise<void>, onShutdown: () => void) => Connection

/** Talks to the host until it is gone, then ends the process. */
export function runProgram(name: string, connect: Connect): Promise<never> {
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

// The two ways to a host: descriptors 3 and 4 when it says that they are there, else standard input and output.

export interface Streams {
  input: Readable
  /** Resolves when the line is out of our hands. */
  write(line: string): Promise<void>
  /** Nobody reads any more. */
  onBroken(listener: () => void): void
}

type Environment = Record<string, string | undefined>

/** Takes the sign out of the environment: for programs that the extension starts it would be wrong. */
export function openStreams(name: string, env: Environment): Streams {
  const isOffered = env.PIGLET_FD === '1'
  delete env.PIGLET_FD
  const [incoming, outgoing] = isOffered ? [findDescriptor(3, 'r'), findDescriptor(4, 'w')] : []
  if (incoming !== undefined && outgoing !== undefined)
    return streamsOf(readable(incoming), writable(outgoing))
  // Standard output is the host's: what the author prints goes to the other one.
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

// Deno knows descriptors by numbers of its own: there the path is the only way, and it leads to pipes but not to sockets.
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

// A read that waits in a thread would keep Node from exiting; a socket does not wait in a thread. Others cannot make one of a descriptor.
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

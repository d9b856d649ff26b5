// The process around an extension: its streams, its end and its exit code.
import process from 'node:process'
import { maxLineBytes } from '../../protocol/extension.ts'
import { lineReader } from '../../std/line-reader.ts'
import type { Connection } from './connection.ts'
import { openStreams } from './streams.ts'

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

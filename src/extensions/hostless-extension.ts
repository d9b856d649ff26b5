// Runs an extension without a host: every byte sent to it is the caller's, and every line it writes is passed
// on unread. For conformance checks and replays.

import type { Environment } from '../std/environment.ts'
import { type ChildExit, startLongRunningChild } from '../std/long-running-child.ts'
import type { Manifest } from './manifest.ts'
import { runtimeCommand } from './runtime.ts'
import { PrintedLines, Transport, type TransportEvents } from './transport.ts'

export type HostlessEvents = Omit<TransportEvents, 'onEnd'>

export interface HostlessExtension {
  /** Sends the bytes as they are; no newline is added. */
  write(bytes: string | Uint8Array): Promise<void>
  /** Nothing is read until `resume`. */
  pause(): void
  resume(): void
  /** The extension reads the end of its input. */
  closeInput(): void
  /** The last lines it wrote outside the protocol. */
  printed(): string[]
  exited: Promise<ChildExit>
  /** Kills it, and every process it started, at once. */
  kill(): Promise<void>
}

export function startHostless(
  manifest: Manifest,
  env: Environment,
  events: HostlessEvents,
): HostlessExtension {
  const child = startLongRunningChild(runtimeCommand(manifest), { cwd: manifest.dir, env })
  const printed = new PrintedLines()
  const transport = new Transport(child, manifest, {
    onLine: events.onLine,
    onTooLong: events.onTooLong,
    onPrinted(line) {
      printed.add(line)
      events.onPrinted(line)
    },
    onEnd: () => {},
  })
  return {
    write: (bytes) => transport.send(bytes),
    pause: () => transport.pause(),
    resume: () => transport.resume(),
    closeInput: () => transport.close(),
    printed: () => printed.all(),
    exited: child.exited,
    async kill() {
      child.kill('SIGKILL')
      await child.exited
      transport.destroy()
    },
  }
}

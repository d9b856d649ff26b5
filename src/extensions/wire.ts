// An extension without a host: every byte it gets is ours, and every line it writes is handed on as it is. For those who try what it
// does, and for those who say to it again what was once said.

import { type ChildExit, startLongRunningChild } from '../std/child-process.ts'
import { type Environment, runtimeCommand } from './launch.ts'
import type { Manifest } from './manifest.ts'
import { lastLines, openTransport } from './transport.ts'

export interface WireEvents {
  onLine(line: string): void
  /** A line of 4 MiB or more: its beginning. */
  onTooLong(head: string): void
  /** A line on the other way, or on standard error. */
  onPrinted(line: string): void
}

export interface Wire {
  /** As it is: no newline is added. */
  write(bytes: string | Uint8Array): Promise<void>
  /** While paused nothing is read. */
  pause(): void
  resume(): void
  /** The extension reads the end of what it is told. */
  closeInput(): void
  /** The last lines it wrote beside the protocol. */
  printed(): string[]
  exited: Promise<ChildExit>
  /** At once, with all it started. */
  kill(): Promise<void>
}

export function openWire(manifest: Manifest, env: Environment, events: WireEvents): Wire {
  const child = startLongRunningChild(runtimeCommand(manifest), { cwd: manifest.dir, env })
  const printed = lastLines()
  const transport = openTransport(child, manifest, {
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
    printed: printed.all,
    exited: child.exited,
    async kill() {
      child.kill('SIGKILL')
      await child.exited
      transport.destroy()
    },
  }
}

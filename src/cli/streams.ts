// Uses the standard streams without `process.stdin` and its siblings, whose set-up would slow down every
// hook.

import { fstatSync, statSync, writeSync } from 'node:fs'
import type { Environment } from '../std/environment.ts'
import { isErrno } from '../std/errors.ts'

/**
 * Whether to wait for input: a device is a terminal, which never ends, or the null device, which is
 * empty. `node:tty` would take four milliseconds to load.
 */
export function isDevice(fd: number): boolean {
  try {
    return fstatSync(fd).isCharacterDevice()
  } catch {
    // A closed stream has nothing to read.
    return true
  }
}

/** In practice, a device that is not the null device is a terminal. */
export function isTerminal(fd: number): boolean {
  try {
    const { rdev } = fstatSync(fd)
    return isDevice(fd) && rdev !== statSync('/dev/null').rdev
  } catch {
    return false
  }
}

/** How many bits of colour the stream shows. https://no-color.org, https://force-color.org */
export function colourDepth(fd: 1 | 2, env: Environment): number {
  const forced = env.FORCE_COLOR
  if (forced !== undefined) return forced === '0' || forced === 'false' ? 1 : 4
  if ((env.NO_COLOR ?? '') !== '' || env.TERM === 'dumb' || !isTerminal(fd)) return 1
  return 4
}

/**
 * Writes all of the text. If the reader has gone (`entire enable | head -1`), the rest is dropped and the
 * command goes on: its work matters more than its output.
 */
export function write(fd: 1 | 2, text: string | Uint8Array): void {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at)
    } catch (error) {
      if (!isErrno(error, 'EAGAIN')) return
      // The pipe is full.
      Bun.sleepSync(1)
    }
  }
}

/** Shows how far a command is: one line that is written over; without a terminal, none. */
export function progressOf({ stderr }: { stderr: { write(text: string): void } }): (text: string) => void {
  return isTerminal(2) ? (text) => stderr.write(`\r\x1b[K${text}`) : () => {}
}

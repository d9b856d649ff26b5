// The standard streams, without `process.stdin` and its siblings: setting those up costs milliseconds in every hook.
import { fstatSync, statSync, writeSync } from 'node:fs'
import { isErrno } from '../std/errors.ts'

/** Good enough to decide whether to wait for input: a device never ends by itself, or is empty. `node:tty` takes four milliseconds to load. */
export function isDevice(fd: number): boolean {
  try {
    return fstatSync(fd).isCharacterDevice()
  } catch {
    // A closed stream has nothing to read.
    return true
  }
}

/** A device that is not the null device: what else a stream of a program is connected to in practice is a terminal. */
export function isTerminal(fd: number): boolean {
  try {
    const { rdev } = fstatSync(fd)
    return isDevice(fd) && rdev !== statSync('/dev/null').rdev
  } catch {
    return false
  }
}

/** Bits of colour a terminal shows. https://no-color.org, https://force-color.org */
export function colourDepth(fd: 1 | 2, env: Record<string, string | undefined>): number {
  const forced = env.FORCE_COLOR
  if (forced !== undefined) return forced === '0' || forced === 'false' ? 1 : 4
  if ((env.NO_COLOR ?? '') !== '' || env.TERM === 'dumb' || !isTerminal(fd)) return 1
  return 4
}

/**
 * Writes all of it. When nobody reads on (`entire enable | head -1`) the rest is dropped: what the command does matters more than who
 * listens, so it goes on.
 */
export function write(fd: 1 | 2, text: string | Uint8Array): void {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at)
    } catch (error) {
      if (!isErrno(error, 'EAGAIN')) return
      // The reader is slower than we are.
      Bun.sleepSync(1)
    }
  }
}

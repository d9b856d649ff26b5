// The standard streams, without `process.stdin` and its siblings: setting those up costs milliseconds in every hook.
import { fstatSync, writeSync } from 'node:fs'

/** Good enough to decide whether to wait for input: a device never ends by itself, or is empty. `node:tty` takes four milliseconds to load. */
export function isDevice(fd: number): boolean {
  try {
    return fstatSync(fd).isCharacterDevice()
  } catch {
    // A closed stream has nothing to read.
    return true
  }
}

/** Nobody may be listening any more; that is no reason to fail. */
export function write(fd: 1 | 2, text: string): void {
  const bytes = Buffer.from(text)
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
  } catch {
    // A closed pipe, or one that is full.
  }
}

// Part of a file, as far as it exists.
import { readSync } from 'node:fs'

export function readRange(fd: number, from: number, length: number): Buffer {
  const buffer = Buffer.alloc(length)
  let filled = 0
  while (filled < length) {
    const count = readSync(fd, buffer, filled, length - filled, from + filled)
    if (count === 0) break
    filled += count
  }
  return buffer.subarray(0, filled)
}

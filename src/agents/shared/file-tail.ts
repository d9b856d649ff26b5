// Reads the beginning or the end of a large file that is still being written, and no more than asked for.
import { closeSync, readSync, statSync } from 'node:fs'
import { openRegular } from '../../std/file.ts'

/** The complete lines in the last `bytes` of a file, oldest first; none when it cannot be read. */
export function readLastLines(path: string, bytes: number): string[] {
  const tail = readTail(path, bytes)
  if (tail === undefined) return []
  const lines = tail.text.split('\n')
  // The last line is still being written, and the first one is cut unless the file begins there.
  lines.pop()
  return tail.whole ? lines : lines.slice(1)
}

function readTail(path: string, bytes: number): { text: string; whole: boolean } | undefined {
  try {
    const size = statSync(path).size
    const buffer = Buffer.alloc(Math.min(bytes, size))
    const fd = openRegular(path)
    try {
      const read = readSync(fd, buffer, 0, buffer.length, size - buffer.length)
      return { text: buffer.toString('utf8', 0, read), whole: buffer.length === size }
    } finally {
      closeSync(fd)
    }
  } catch {
    return undefined
  }
}

/** The first line of a file, cut after `bytes`. */
export function readFirstLine(path: string, bytes: number): string | undefined {
  return readStart(path, bytes)?.split('\n', 1)[0]
}

/** The first `bytes` of a file; undefined when it cannot be read. */
export function readStart(path: string, bytes: number): string | undefined {
  try {
    const fd = openRegular(path)
    try {
      const buffer = Buffer.alloc(bytes)
      return buffer.toString('utf8', 0, readSync(fd, buffer, 0, bytes, 0))
    } finally {
      closeSync(fd)
    }
  } catch {
    return undefined
  }
}

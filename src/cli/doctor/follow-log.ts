// Watches the log grow. By looking again and again: file events do not exist on every file system, and a person is watching.
import { closeSync, openSync } from 'node:fs'
import { findStat } from '../../std/file.ts'
import { readRange } from '../../std/file-range.ts'

const pauseMs = 200
const blockBytes = 1024 * 1024

/** Never ends by itself. */
export async function followLog(path: string, show: (line: string) => void): Promise<never> {
  const begin = findStat(path)
  let position = begin?.size ?? 0
  let inode = begin?.ino
  let rest: Buffer = Buffer.alloc(0)
  for (;;) {
    await Bun.sleep(pauseMs)
    const stat = findStat(path)
    // A full log is moved away and a new one begun.
    if (stat?.ino !== inode || (stat?.size ?? 0) < position) {
      position = 0
      rest = Buffer.alloc(0)
      inode = stat?.ino
    }
    while (stat !== undefined && position < stat.size) {
      const block = readBlock(path, position)
      if (block.length === 0) break
      position += block.length
      const joined = Buffer.concat([rest, block])
      const end = joined.lastIndexOf(10) + 1
      for (const line of joined.toString('utf8', 0, end).split('\n')) if (line !== '') show(line)
      rest = joined.length - end > blockBytes ? Buffer.alloc(0) : Buffer.from(joined.subarray(end))
    }
  }
}

function readBlock(path: string, from: number): Buffer {
  const fd = openSync(path, 'r')
  try {
    return readRange(fd, from, blockBytes)
  } finally {
    closeSync(fd)
  }
}

// The public position at the end of a transcript, without reading again what the cursor has seen.
import { closeSync, openSync, readSync } from 'node:fs'
import type { TranscriptCursor } from '../model/session.ts'
import { fileSize } from '../std/file.ts'

const blockBytes = 1024 * 1024

export interface TranscriptPosition {
  items: number
  bytes: number
}

export function readPosition(path: string | undefined, cursor: TranscriptCursor | undefined): TranscriptPosition {
  const size = path === undefined ? undefined : fileSize(path)
  if (path === undefined || size === undefined) return { items: 0, bytes: 0 }
  const known = cursor?.path === path && cursor.bytes <= size ? cursor : { items: 0, bytes: 0 }
  return { items: known.items + countNewlines(path, known.bytes), bytes: size }
}

function countNewlines(path: string, from: number): number {
  const fd = openSync(path, 'r')
  try {
    const block = Buffer.alloc(blockBytes)
    let count = 0
    for (let at = from; ; ) {
      const length = readSync(fd, block, 0, blockBytes, at)
      if (length === 0) return count
      const bytes = block.subarray(0, length)
      for (let found = bytes.indexOf(10); found !== -1; found = bytes.indexOf(10, found + 1)) count += 1
      at += length
    }
  } finally {
    closeSync(fd)
  }
}

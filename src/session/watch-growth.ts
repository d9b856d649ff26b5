// What was appended to a file since a position, in whole lines; or that it is not the file it was.
import { closeSync, openSync } from 'node:fs'
import { isErrno } from '../std/errors.ts'
import { readRange } from '../std/file-range.ts'
import type { FileState } from './watch-state.ts'

const blockBytes = 1024 * 1024
const sealBytes = 1024

export interface LineBlock {
  lines: string[]
  /** Where each of the lines begins in the file. */
  starts: number[]
  /** Where the block ends. */
  end: number
}

/** True when what was read before is still there. Undefined: there is no such file now. */
export function continues(path: string, state: FileState, size: number): boolean | undefined {
  return reading(path, (fd) => state.bytes <= size && sealAt(fd, state.bytes) === state.seal)
}

export function readSeal(path: string, bytes: number): string {
  return reading(path, (fd) => sealAt(fd, bytes)) ?? ''
}

/** Whole lines from a position on, at most about a megabyte of them unless one is longer. Undefined when there is none. */
export function readBlock(path: string, from: number, to: number): LineBlock | undefined {
  const bytes = reading(path, (fd) => readWhole(fd, from, to))
  if (bytes === undefined || bytes.length === 0) return undefined
  const lines: string[] = []
  const starts: number[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(10, at)
    lines.push(bytes.toString('utf8', at, end))
    starts.push(from + at)
    at = end + 1
  }
  return { lines, starts, end: from + bytes.length }
}

function readWhole(fd: number, from: number, to: number): Buffer {
  for (let length = blockBytes; ; length *= 2) {
    const block = readRange(fd, from, Math.min(length, to - from))
    const end = block.lastIndexOf(10) + 1
    if (end > 0 || length >= to - from) return block.subarray(0, end)
  }
}

function sealAt(fd: number, end: number): string {
  const start = Math.max(0, end - sealBytes)
  return new Bun.CryptoHasher('sha1').update(readRange(fd, start, end - start)).digest('hex')
}

// It can be gone between two looks; a program that replaces it does so.
function reading<T>(path: string, act: (fd: number) => T): T | undefined {
  try {
    const fd = openSync(path, 'r')
    try {
      return act(fd)
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES', 'EPERM')) return undefined
    throw error
  }
}

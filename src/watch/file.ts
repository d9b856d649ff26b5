// Follows one file: what is appended is read once, and turns are reported as they begin and end.

import { closeSync, openSync } from 'node:fs'
import type { SignReader } from '../model/session-file.ts'
import { isErrno } from '../std/errors.ts'
import { findStat, readRange } from '../std/file.ts'
import { isReported } from './events.ts'
import type { FileState } from './state.ts'
import { closeTurn, type FileTurns, handleSign, noteTouched } from './turns.ts'

export interface Following extends FileTurns {
  read: SignReader
  /** Hooks of the agent are installed: they are given the time to report first. */
  isHooked: boolean
  quietMs: number
  /** Called when the state has changed. */
  save(): void
}

export interface FileFollower {
  path: string
  look(now: number): Promise<void>
  /** Ends the turn that is going on, if it is ours. */
  finish(): Promise<void>
}

// Long enough for the hook of a prompt that is written down already.
const graceMs = 2_000
// A model can think for minutes before it says a word.
const patience = 30

export function followFile(following: Following): FileFollower {
  const { path, state, quietMs } = following
  let seen = { stamp: '', at: Number.NEGATIVE_INFINITY }
  let lastLook = following.since
  let held: { start: number; since: number } | undefined
  noteTouched(following)

  async function look(now: number): Promise<void> {
    const stat = findStat(path)
    const size = stat?.isFile() ? stat.size : undefined
    // Another file can have the same size.
    const stamp = `${stat?.ino} ${stat?.mtimeMs} ${size}`
    if (size !== undefined && stamp !== seen.stamp) {
      seen = { stamp, at: now }
      if (continues(path, state, size) === false) restart(following, size, lastLook)
    }
    if (size !== undefined && size > state.bytes) await readOn(size, now)
    lastLook = new Date(now)
    const silence = state.session?.answered ? quietMs : patience * quietMs
    if (state.session?.turn !== 'open' || now - seen.at < silence) return
    await closeTurn(following)
    following.save()
  }

  async function readOn(size: number, now: number): Promise<void> {
    for (
      let block = readBlock(path, state.bytes, size);
      block !== undefined;
      block = readBlock(path, state.bytes, size)
    ) {
      const { signs, carry } = following.read(block.lines, state.carry)
      for (const [index, sign] of signs.entries()) {
        const start = block.starts[sign.line] ?? state.bytes
        if (sign.type === 'prompt' && mustWait(start, sign.at, now)) return stopBefore(block, sign.line)
        const place = {
          start,
          end: block.starts[sign.line + 1] ?? block.end,
          line: state.lines + sign.line,
          later: signs.slice(index + 1),
        }
        await handleSign(following, sign, place)
        // What was reported is noted before anything else happens: a crash must not report it again.
        if (start >= following.silentUpTo) following.save()
      }
      advance(following, block.end, block.lines.length, carry)
      following.save()
    }
  }

  // The hook that reports it may be on its way.
  function mustWait(start: number, at: string | undefined, now: number): boolean {
    const { session } = state
    const recorder = following.isHooked && start >= following.silentUpTo ? following.recorder() : undefined
    if (recorder === undefined || session === undefined) return false
    if (
      isReported(
        { ...following, recorder, session },
        { bytes: start - session.start, at, before: following.touchedAt },
      )
    )
      return false
    if (held?.start !== start) held = { start, since: now }
    return now - held.since < graceMs
  }

  function stopBefore(block: LineBlock, line: number): void {
    const { carry } = following.read(block.lines.slice(0, line), state.carry)
    advance(following, block.starts[line] ?? state.bytes, line, carry)
  }

  return { path, look, finish: () => closeTurn(following) }
}

/**
 * Nothing is where it was: the file is read again, and what it holds now is not news unless it is younger
 * than the last look.
 */
function restart(following: Following, size: number, since: Date): void {
  const { state, path } = following
  Object.assign(following, { silentUpTo: size, since, known: state.session && { ...state.session } })
  Object.assign(state, { bytes: 0, lines: 0, seal: readSeal(path, 0) })
  delete state.carry
  delete state.session?.lastStart
}

function advance({ state, path }: Following, bytes: number, lines: number, carry: FileState['carry']): void {
  Object.assign(state, { bytes, lines: state.lines + lines, seal: readSeal(path, bytes) })
  if (lines > 0 && carry !== undefined) state.carry = carry
}

// What was appended to a file since a position, in whole lines; or that it is not the file it was.

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

/**
 * Whole lines from a position on, at most about a megabyte of them unless one is longer. Undefined when there
 * is none.
 */
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

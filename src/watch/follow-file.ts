// Follows one file of an agent: reads what is appended once, and reports turns as they begin and end.

import { closeSync } from 'node:fs'
import type { SignReader } from '../model/session-file.ts'
import { isErrno } from '../std/errors.ts'
import { findStat, openRegular, readRange } from '../std/file.ts'
import { isReported } from './events.ts'
import type { FileState } from './state.ts'
import { closeTurn, type FileTurns, handleSign, noteTouched } from './turns.ts'

export interface FollowedFile extends FileTurns {
  read: SignReader
  /** The agent's hooks are installed: they are given time to report first. */
  isHooked: boolean
  /** How long a file must be silent for its turn to count as ended. */
  quietMs: number
  /** Called when the state has changed. */
  save(): void
}

// Long enough for the hook of a prompt that is in the file already.
const graceMs = 2_000
// Before the first answer of a turn: a model can think for minutes.
const patience = 30

export class FileFollower {
  readonly path: string
  readonly #file: FollowedFile
  #lastChange = { stamp: '', at: Number.NEGATIVE_INFINITY }
  #lastLook: Date
  /** The prompt whose hook is being waited for. */
  #held: { start: number; since: number } | undefined

  constructor(file: FollowedFile) {
    this.path = file.path
    this.#file = file
    this.#lastLook = file.since
    noteTouched(file)
  }

  async look(now: number): Promise<void> {
    const file = this.#file
    const { state, quietMs } = file
    const stat = findStat(this.path)
    const size = stat?.isFile() ? stat.size : undefined
    // The size is not enough: a file that replaces another can have the same.
    const stamp = `${stat?.ino} ${stat?.mtimeMs} ${size}`
    if (size !== undefined && stamp !== this.#lastChange.stamp) {
      this.#lastChange = { stamp, at: now }
      if (isContinued(this.path, state, size) === false) restart(file, size, this.#lastLook)
    }
    if (size !== undefined && size > state.bytes) await this.#readOn(size, now)
    this.#lastLook = new Date(now)
    const silence = state.session?.answered ? quietMs : patience * quietMs
    if (state.session?.turn !== 'open' || now - this.#lastChange.at < silence) return
    await closeTurn(file)
    file.save()
  }

  /** Ends the turn that is running, if this watcher reported its beginning. */
  async finish(): Promise<void> {
    await closeTurn(this.#file)
  }

  async #readOn(size: number, now: number): Promise<void> {
    const file = this.#file
    const { state } = file
    const readNext = () => readBlock(this.path, state.bytes, size)
    for (let block = readNext(); block !== undefined; block = readNext()) {
      const { signs, carry } = file.read(block.lines, state.carry)
      for (const [index, sign] of signs.entries()) {
        const start = block.starts[sign.line] ?? state.bytes
        if (sign.type === 'prompt' && this.#mustWait(start, sign.at, now))
          return stopBefore(file, block, sign.line)
        await handleSign(file, sign, {
          start,
          end: block.starts[sign.line + 1] ?? block.end,
          line: state.lines + sign.line,
          later: signs.slice(index + 1),
        })
        // Saved at once: after a crash, the same sign must not be reported again.
        if (start >= file.silentUpTo) file.save()
      }
      advance(file, block.end, block.lines.length, carry)
      file.save()
    }
  }

  /** True while the hook that reports this prompt may still come. */
  #mustWait(start: number, at: string | undefined, now: number): boolean {
    const file = this.#file
    const { session } = file.state
    const recorder = file.isHooked && start >= file.silentUpTo ? file.recorder() : undefined
    if (recorder === undefined || session === undefined) return false
    const turn = { bytes: start - session.start, at, before: file.touchedAt }
    if (isReported({ ...file, recorder, session }, turn)) return false
    if (this.#held?.start !== start) this.#held = { start, since: now }
    return now - this.#held.since < graceMs
  }
}

/** Begins again with a rewritten file. Its content is news only when it is younger than the last look. */
function restart(file: FollowedFile, size: number, since: Date): void {
  const { state, path } = file
  Object.assign(file, { silentUpTo: size, since, known: state.session && { ...state.session } })
  Object.assign(state, { bytes: 0, lines: 0, seal: readSeal(path, 0) })
  delete state.carry
  delete state.session?.lastStart
}

function stopBefore(file: FollowedFile, block: LineBlock, line: number): void {
  const { state } = file
  const { carry } = file.read(block.lines.slice(0, line), state.carry)
  advance(file, block.starts[line] ?? state.bytes, line, carry)
}

function advance(
  { state, path }: FollowedFile,
  bytes: number,
  lines: number,
  carry: FileState['carry'],
): void {
  Object.assign(state, { bytes, lines: state.lines + lines, seal: readSeal(path, bytes) })
  if (lines > 0 && carry !== undefined) state.carry = carry
}

const blockBytes = 1024 * 1024
const sealBytes = 1024

interface LineBlock {
  lines: string[]
  /** Where each line begins in the file. */
  starts: number[]
  /** Where the block ends in the file. */
  end: number
}

/** True when what was read before is still there; undefined when the file is gone. */
function isContinued(path: string, state: FileState, size: number): boolean | undefined {
  return reading(path, (fd) => state.bytes <= size && sealAt(fd, state.bytes) === state.seal)
}

/** Hash of the last bytes before a position: tells whether a file has grown or was rewritten. */
export function readSeal(path: string, bytes: number): string {
  return reading(path, (fd) => sealAt(fd, bytes)) ?? ''
}

/** Whole lines from a position, about a megabyte unless one is longer. Undefined when there is none. */
function readBlock(path: string, from: number, to: number): LineBlock | undefined {
  const bytes = reading(path, (fd) => readWholeLines(fd, from, to))
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

function readWholeLines(fd: number, from: number, to: number): Buffer {
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

// The file can be gone for a moment while a program replaces it.
function reading<T>(path: string, act: (fd: number) => T): T | undefined {
  try {
    const fd = openRegular(path)
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

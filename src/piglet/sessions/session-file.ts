// Reads and writes session files: whole lines are appended, by one process at a time. A file is created with
// its first line.

import { closeSync, fstatSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { EntireError, isErrno, notFound } from '../../std/errors.ts'
import { readText } from '../../std/file.ts'
import { takeLock } from '../../std/lock.ts'
import { parseEntryLine, type SessionEntry, type SessionMeta } from './tree.ts'

/** Other programs cannot read lines longer than this. */
const maxLineBytes = 10 * 1024 * 1024
const waitMs = 10_000

export interface SessionContent {
  meta: SessionMeta
  entries: Map<string, SessionEntry>
  leaf: string | undefined
}

export function readSessionFile(path: string): SessionContent {
  const text = readText(path)
  if (text === undefined) throw notFound('session', path)
  const content = parseSessionFile(text)
  if (content) return content
  throw new EntireError('corrupt-state', `${path} does not say which session it is: it has no meta line.`)
}

/** Skips lines that cannot be read. Undefined without a meta line. */
export function parseSessionFile(text: string): SessionContent | undefined {
  const entries = new Map<string, SessionEntry>()
  let meta: SessionMeta | undefined
  let leaf: string | undefined
  let unnamed = 0
  for (const line of text.split('\n')) {
    const parsed = line === '' ? undefined : parseEntryLine(line)
    if (!parsed) continue
    if ('meta' in parsed) {
      meta = parsed.meta
      continue
    }
    // Entries of old files have no ids; each follows the one before it.
    const isOld = parsed.entry.id === undefined
    const id: string = parsed.entry.id ?? `L${unnamed++}`
    entries.set(id, { ...parsed.entry, id, parentId: isOld ? leaf : parsed.entry.parentId })
    leaf = id
  }
  return meta && { meta, entries, leaf }
}

export function checkLine(line: string): void {
  const bytes = Buffer.byteLength(line)
  if (bytes > maxLineBytes)
    throw new EntireError(
      'write-failed',
      `An entry of ${bytes} bytes does not fit into a session: a line has at most ${maxLineBytes}.`,
    )
}

/** A file of lines to which several processes may append. */
export class LineFile {
  readonly #path: string
  readonly #waiting: string[] = []
  #last: Promise<void> = Promise.resolve()

  constructor(path: string) {
    this.#path = path
  }

  /**
   * Settles when the line, and all before it, are in the file. A line that cannot be written is tried with
   * the next.
   */
  append(line: string): Promise<void> {
    this.#waiting.push(line)
    const flush = () => this.#flush()
    const written = this.#last.then(flush, flush)
    this.#last = written.catch(() => {})
    return written
  }

  async #flush(): Promise<void> {
    if (this.#waiting.length === 0) return
    // The reference program locks with a system call that is not available here, and leaves its lock file
    // behind, so this lock has another name.
    const lock = await takeLock(`${this.#path}.writer`, { waitMs })
    try {
      const count = this.#waiting.length
      appendWhole(this.#path, this.#waiting.join(''))
      this.#waiting.splice(0, count)
    } finally {
      lock[Symbol.dispose]()
    }
  }
}

// A line that a crash or a full disk left unfinished is ended first, so that it does not spoil the next.
function appendWhole(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o750 })
  const fd = openSync(path, 'a+', 0o600)
  try {
    const bytes = Buffer.from(endsWithNewline(fd) ? text : `\n${text}`)
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
  } finally {
    closeSync(fd)
  }
}

function endsWithNewline(fd: number): boolean {
  const { size } = fstatSync(fd)
  if (size === 0) return true
  const end = Buffer.alloc(1)
  readSync(fd, end, 0, 1, size - 1)
  return end[0] === 10
}

export interface ListedSession extends SessionMeta {
  path: string
}

/** Newest first. Only meta lines are parsed; files without one are left out. */
export async function listPigletSessions(dir: string): Promise<ListedSession[]> {
  const names = (await namesIn(dir)).filter((name) => name.endsWith('.jsonl'))
  const found: ListedSession[] = []
  for (const name of names) {
    const path = join(dir, name)
    const meta = lastMeta(await readFile(path, 'utf8').catch(() => ''))
    if (meta) found.push({ ...meta, path })
  }
  return found.sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt))
}

function lastMeta(text: string): SessionMeta | undefined {
  let last: SessionMeta | undefined
  for (const [line] of text.matchAll(/^.*"type"\s*:\s*"meta".*$/gm)) {
    const parsed = parseEntryLine(line)
    if (parsed && 'meta' in parsed) last = parsed.meta
  }
  return last
}

async function namesIn(dir: string): Promise<string[]> {
  try {
    return await readdir(dir)
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return []
    throw error
  }
}

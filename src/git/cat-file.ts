// Reads git objects: one `git cat-file --batch-command` answers every question of an event.

import { encodePath } from '../std/encoding.ts'
import { EntireError } from '../std/errors.ts'
import type { PipedProcess } from '../std/process.ts'
import { catFileCommand, indexEnv, type PrefetchedCatFile, takeIfMatching } from './cat-file-process.ts'
import { gitFailure, startGit } from './exec.ts'
import type { Oid } from './oid.ts'
import { batchPrefetches, type PrefetchBlobs, type Unfetched } from './promisor.ts'
import type { Repo } from './repo.ts'

export interface ObjectInfo {
  oid: Oid
  type: string
  size: number
}

export interface StoredObject extends ObjectInfo {
  content: Buffer
}

export interface ObjectReader {
  info(name: string): Promise<ObjectInfo | undefined>
  contents(name: string): Promise<StoredObject | undefined>
  /**
   * In a partial clone: fetches these blobs of a tree now, together with those asked for at the same time.
   */
  prefetchBlobs: PrefetchBlobs
  /** Starts the process before the first question. */
  start(): void
  [Symbol.asyncDispose](): Promise<void>
}

export interface ObjectReaderOptions {
  /** The index in which paths are looked up; by default that of the work tree. */
  index?: string | undefined
  prefetched?: PrefetchedCatFile | undefined
}

export function openObjectReader(repo: Repo, options: ObjectReaderOptions = {}): ObjectReader {
  const catFile = new CatFile(repo, options)
  const unfetched: Unfetched = new Map()
  return {
    info: (name) => catFile.info(name),
    async contents(name) {
      const why = unfetched.get(name)
      if (why !== undefined) throw why
      return await catFile.contents(name)
    },
    prefetchBlobs: batchPrefetches(repo, () => catFile.untilIdle(), unfetched),
    start: () => void catFile.start(),
    [Symbol.asyncDispose]: async () => catFile.close(),
  }
}

interface Question {
  bytes: Buffer
  sentTo?: PipedProcess
}

/**
 * The process starts with the first question; questions asked at the same time are sent in one write. A
 * question that ends the process (in a partial clone whose remote cannot be reached) fails alone: later ones
 * go to a new process.
 */
class CatFile {
  readonly #repo: Repo
  readonly #index: string | undefined
  #process: PipedProcess | undefined
  #received: Buffer = Buffer.alloc(0)
  #lastAnswer: Promise<unknown> = Promise.resolve()
  #unsent: Question[] = []
  #isClosed = false

  constructor(repo: Repo, { index, prefetched }: ObjectReaderOptions) {
    this.#repo = repo
    this.#index = index
    this.#process = takeIfMatching(prefetched, repo, index)
  }

  info(name: string): Promise<ObjectInfo | undefined> {
    return this.#ask('info', name, async (info) => info)
  }

  contents(name: string): Promise<StoredObject | undefined> {
    return this.#ask('contents', name, async (info) => {
      const content = await this.#take(info.size)
      await this.#take(1)
      return { ...info, content }
    })
  }

  start(): PipedProcess {
    // Questions may still be open after closing; a process started for them would never end.
    if (this.#isClosed && this.#process === undefined)
      throw new EntireError('git-failed', 'git cat-file was closed before it had answered.')
    this.#process ??= startGit(this.#repo, catFileCommand, indexEnv(this.#index))
    return this.#process
  }

  /** The process has nothing to write and ends with its input, so its end is not awaited. */
  close(): void {
    this.#isClosed = true
    this.#process?.end().catch(() => {})
  }

  /** Resolves when every question is answered and no answer has led to another question. */
  async untilIdle(): Promise<void> {
    for (let seen: unknown; seen !== this.#lastAnswer; ) {
      seen = this.#lastAnswer
      await this.#lastAnswer
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  #ask<T>(
    verb: 'info' | 'contents',
    name: string,
    read: (info: ObjectInfo) => Promise<T>,
  ): Promise<T | undefined> {
    const bytes = encodePath(name)
    const question: Question = { bytes: Buffer.concat([Buffer.from(`${verb} `), bytes, Buffer.of(0)]) }
    if (this.#unsent.push(question) === 1) queueMicrotask(() => this.#sendUnsent())
    const result = this.#lastAnswer.then(async () => {
      if (question.sentTo !== undefined && question.sentTo !== this.#process) this.#send([question])
      const info = await this.#readInfo(bytes)
      return info === undefined ? undefined : read(info)
    })
    this.#lastAnswer = result.catch(() => {})
    return result
  }

  #sendUnsent(): void {
    const questions = this.#unsent
    this.#unsent = []
    try {
      this.#send(questions)
    } catch {
      // Reading the answers fails for the same reason and reports it.
    }
  }

  #send(questions: Question[]): void {
    const process = this.start()
    process.write(Buffer.concat([...questions.map(({ bytes }) => bytes), Buffer.from('flush\0')]))
    // Not awaited: git reads on only while its answers are read, so awaiting this for many questions would
    // block forever.
    void process.flush()
    for (const question of questions) question.sentTo = process
  }

  async #readInfo(name: Buffer): Promise<ObjectInfo | undefined> {
    // Git answers for a missing object with the name as asked, which may itself contain newlines.
    const echo = Buffer.concat([name, Buffer.from(' ')])
    for (;;) {
      const known = Math.min(this.#received.length, echo.length)
      const isEcho = known > 0 && this.#received.subarray(0, known).equals(echo.subarray(0, known))
      const lineEnd = this.#received.indexOf(10, isEcho ? name.length : 0)
      if (lineEnd === -1 || (isEcho && this.#received.length < echo.length)) {
        await this.#receive()
        continue
      }
      const line = this.#received.subarray(0, lineEnd)
      this.#received = this.#received.subarray(lineEnd + 1)
      if (isEcho && /^(missing|ambiguous)$/.test(line.subarray(echo.length).toString())) return undefined
      return parseInfo(line.toString())
    }
  }

  async #take(length: number): Promise<Buffer> {
    const chunks: Buffer[] = []
    let missing = length
    while (missing > 0) {
      if (this.#received.length === 0) await this.#receive()
      const piece = this.#received.subarray(0, missing)
      chunks.push(piece)
      missing -= piece.length
      this.#received = this.#received.subarray(piece.length)
    }
    return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
  }

  async #receive(): Promise<void> {
    const process = this.start()
    const { value, done } = await process.output.read()
    if (done) {
      this.#process = undefined
      this.#received = Buffer.alloc(0)
      throw gitFailure(catFileCommand, await process.end())
    }
    const fresh = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    this.#received = this.#received.length === 0 ? fresh : Buffer.concat([this.#received, fresh])
  }
}

function parseInfo(line: string): ObjectInfo | undefined {
  const [oid, type, size] = line.split(' ')
  // Newer versions of git answer so for the commit of a submodule, which is in another repository.
  if (type === 'submodule') return undefined
  if (oid === undefined || type === undefined || size === undefined)
    throw new EntireError('git-failed', `git cat-file gave an unexpected answer: ${line}`)
  return { oid, type, size: Number(size) }
}

// Reading objects: one `git cat-file --batch-command` answers every question of an event.

import { encodePath } from '../std/encoding.ts'
import { EntireError } from '../std/errors.ts'
import type { PipedProcess } from '../std/proc.ts'
import { catFileCommand, indexEnv, type PrefetchedCatFile, takeIfMatching } from './cat-file-process.ts'
import { gitFailure, startGit } from './exec.ts'
import type { Oid } from './oid.ts'
import { batchPrefetches, type PrefetchBlobs } from './promisor.ts'
import type { Repo } from './repo.ts'

export interface ObjectInfo {
  oid: Oid
  type: string
  size: number
}

export interface ObjectReader {
  info(name: string): Promise<ObjectInfo | undefined>
  contents(name: string): Promise<(ObjectInfo & { content: Buffer }) | undefined>
  /** In a partial clone: fetches these blobs of a tree now, together with those that others ask for at the same time. */
  prefetchBlobs: PrefetchBlobs
  /** Starts the process before the first question. */
  start(): void
  [Symbol.asyncDispose](): Promise<void>
}

interface Question {
  bytes: Buffer
  /** The process it was sent to. */
  sentTo?: PipedProcess
}

export interface ObjectReaderOptions {
  /** The one that paths are looked up in; else the one of the work tree. */
  index?: string | undefined
  prefetched?: PrefetchedCatFile | undefined
}

/**
 * The process starts with the first question; questions asked at once are sent at once. A question that ends the process (a partial
 * clone whose remote cannot be reached) fails alone: those after it go to a new one.
 */
export function openObjectReader(
  repo: Repo,
  { index, prefetched: early }: ObjectReaderOptions = {},
): ObjectReader {
  let conversation = takeIfMatching(early, repo, index)
  let buffer: Buffer = Buffer.alloc(0)
  let last: Promise<unknown> = Promise.resolve()
  let unsent: Question[] = []
  let isClosed = false

  const start = () => {
    // Who has left does not wait for the questions that are still open; a process started for them would never end.
    if (isClosed && conversation === undefined)
      throw new EntireError('git-failed', 'git cat-file was closed before it had answered.')
    conversation ??= startGit(repo, catFileCommand, indexEnv(index))
    return conversation
  }

  function send(questions: Question[]): void {
    const process = start()
    process.write(Buffer.concat([...questions.map(({ bytes }) => bytes), Buffer.from('flush\0')]))
    // Not awaited: git reads on only while its answers are being read, so waiting here for many questions would wait forever.
    void process.flush()
    for (const question of questions) question.sentTo = process
  }

  function sendUnsent(): void {
    const questions = unsent
    unsent = []
    try {
      send(questions)
    } catch {
      // Whoever waits for an answer learns why there is none.
    }
  }

  async function more(): Promise<void> {
    const process = start()
    const { value, done } = await process.output.read()
    if (done) {
      conversation = undefined
      buffer = Buffer.alloc(0)
      throw gitFailure(catFileCommand, await process.end())
    }
    const fresh = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    buffer = buffer.length === 0 ? fresh : Buffer.concat([buffer, fresh])
  }

  async function take(length: number): Promise<Buffer> {
    const chunks: Buffer[] = []
    let missing = length
    while (missing > 0) {
      if (buffer.length === 0) await more()
      const piece = buffer.subarray(0, missing)
      chunks.push(piece)
      missing -= piece.length
      buffer = buffer.subarray(piece.length)
    }
    return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
  }

  async function answer(name: Buffer): Promise<ObjectInfo | undefined> {
    // A missing object is answered with the name as asked, which may itself hold newlines.
    const echo = Buffer.concat([name, Buffer.from(' ')])
    for (;;) {
      const known = Math.min(buffer.length, echo.length)
      const isEcho = known > 0 && buffer.subarray(0, known).equals(echo.subarray(0, known))
      const lineEnd = buffer.indexOf(10, isEcho ? name.length : 0)
      if (lineEnd === -1 || (isEcho && buffer.length < echo.length)) {
        await more()
        continue
      }
      const line = buffer.subarray(0, lineEnd)
      buffer = buffer.subarray(lineEnd + 1)
      if (isEcho && /^(missing|ambiguous)$/.test(line.subarray(echo.length).toString())) return undefined
      const [oid, type, size] = line.toString().split(' ')
      // Newer versions name the commit of a submodule, which is in another repository.
      if (type === 'submodule') return undefined
      if (oid === undefined || type === undefined || size === undefined) {
        throw new EntireError('git-failed', `git cat-file gave an unexpected answer: ${line.toString()}`)
      }
      return { oid, type, size: Number(size) }
    }
  }

  function ask<T>(
    verb: 'info' | 'contents',
    name: string,
    read: (info: ObjectInfo) => Promise<T>,
  ): Promise<T | undefined> {
    const bytes = encodePath(name)
    const question: Question = { bytes: Buffer.concat([Buffer.from(`${verb} `), bytes, Buffer.of(0)]) }
    if (unsent.push(question) === 1) queueMicrotask(sendUnsent)
    const result = last.then(async () => {
      if (question.sentTo !== undefined && question.sentTo !== conversation) send([question])
      const info = await answer(bytes)
      return info === undefined ? undefined : read(info)
    })
    last = result.catch(() => {})
    return result
  }

  // Every question is answered, and whoever asked has had the time to ask the next one.
  async function answered(): Promise<void> {
    for (let seen: unknown; seen !== last; ) {
      seen = last
      await last
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  return {
    prefetchBlobs: batchPrefetches(repo, answered),
    info: (name) => ask('info', name, async (info) => info),
    contents: (name) =>
      ask('contents', name, async (info) => {
        const content = await take(info.size)
        await take(1)
        return { ...info, content }
      }),
    start: () => void start(),
    async [Symbol.asyncDispose]() {
      isClosed = true
      // It has nothing to write: it ends by itself when its input does, and nobody need wait for that.
      conversation?.end().catch(() => {})
    },
  }
}

// Replays a recording to an extension: sends it what it was sent then, and compares what it says with what it
// said.

import { type Incoming, parseLine } from '../../protocol/extension/rpc.ts'
import type { Environment } from '../../std/environment.ts'
import { given } from '../../std/given.ts'
import { asObject, type Json } from '../../std/json.ts'
import { type HostlessExtension, startHostless } from '../hostless-extension.ts'
import type { Manifest } from '../manifest.ts'
import type { RecordedProcess } from './recording.ts'

export interface ReplayOptions {
  env: Environment
  /** Names of fields that may differ. */
  ignore: readonly string[]
  /** How long an answer may take. */
  withinMs: number
  /** How long to wait at the end for messages that should not come. */
  settleMs?: number
}

export interface Deviation {
  /** The time of the message in the recording. */
  ms: number
  /** For people: which message it is. */
  subject: string
  kind: 'missing' | 'different' | 'unexpected' | 'ended'
  was?: Json
  is?: Json
  /** Where in the message. */
  path?: string
}

type Recorded = RecordedProcess['entries'][number]

export async function replayProcess(
  manifest: Manifest,
  recorded: RecordedProcess,
  options: ReplayOptions,
): Promise<Deviation[]> {
  const inbox = new Inbox()
  const extension = startHostless(manifest, options.env, {
    onLine: (line) => inbox.push(line),
    onTooLong: () => {},
    onPrinted: () => {},
  })
  extension.exited.then(() => inbox.close())
  try {
    return await new Replay(recorded, options, extension, inbox).run()
  } finally {
    extension.closeInput()
    await extension.kill()
  }
}

class Replay {
  readonly #recorded: RecordedProcess
  readonly #options: ReplayOptions
  readonly #extension: HostlessExtension
  readonly #inbox: Inbox
  readonly #deviations: Deviation[] = []
  /** Notices are compared with the next answer or request: until then they may come in any order. */
  #notices: Recorded[] = []
  /** Ids of the extension's requests, by their ids in the recording. */
  readonly #ids = new Map<number, number>()

  constructor(recorded: RecordedProcess, options: ReplayOptions, extension: HostlessExtension, inbox: Inbox) {
    this.#recorded = recorded
    this.#options = options
    this.#extension = extension
    this.#inbox = inbox
  }

  async run(): Promise<Deviation[]> {
    for (const entry of this.#recorded.entries) {
      if (entry.to === 'extension') await this.#send(entry)
      else await this.#expect(entry)
      if (this.#inbox.isClosed && this.#deviations.length > 0)
        return [...this.#deviations, { ms: entry.ms, subject: 'the process', kind: 'ended' }]
    }
    await this.#compareNotices()
    await new Promise((resolve) => setTimeout(resolve, this.#options.settleMs ?? 200))
    const unexpected = this.#inbox.rest().map(
      (message): Deviation => ({
        ms: 0,
        subject: subjectOf(message, this.#recorded),
        kind: 'unexpected',
        is: contentOf(message),
      }),
    )
    return [...this.#deviations, ...unexpected]
  }

  async #send({ message, incoming }: Recorded): Promise<void> {
    const fields = asObject(message) ?? {}
    const id = incoming.kind === 'answer' ? this.#ids.get(incoming.id) : undefined
    // The extension did not send this request now, so it gets no answer.
    if (incoming.kind === 'answer' && id === undefined) return
    await this.#extension
      .write(`${JSON.stringify(id === undefined ? fields : { ...fields, id })}\n`)
      .catch(() => {})
  }

  async #expect(entry: Recorded): Promise<void> {
    if (entry.incoming.kind === 'notice') return void this.#notices.push(entry)
    await this.#takeAndCompare(entry)
    await this.#compareNotices()
  }

  // Notices that are the same as in the recording are taken first, because their order does not matter.
  async #compareNotices(): Promise<void> {
    const { ignore } = this.#options
    const others = this.#notices.filter(({ incoming }) => !this.#inbox.takeNow(isSameAs(incoming, ignore)))
    this.#notices = []
    for (const entry of others) await this.#takeAndCompare(entry)
  }

  async #takeAndCompare(entry: Recorded): Promise<void> {
    const { ignore, withinMs } = this.#options
    this.#compare(entry, await this.#inbox.take(candidates(entry.incoming, ignore), withinMs))
  }

  #compare({ ms, incoming }: Recorded, message: Incoming | undefined): void {
    const subject = subjectOf(incoming, this.#recorded)
    if (!message)
      return void this.#deviations.push({ ms, subject, kind: 'missing', was: contentOf(incoming) })
    if (incoming.kind === 'request' && message.kind === 'request') this.#ids.set(incoming.id, message.id)
    const difference = findDifference(contentOf(incoming), contentOf(message), this.#options.ignore)
    if (!difference) return
    const { path, was, is } = difference
    this.#deviations.push({ ms, subject, kind: 'different', path, ...given({ was, is }) })
  }
}

type Matches = (message: Incoming) => boolean

/** Which messages count as a repetition of the recorded one, the best match first. */
function candidates(was: Incoming, ignore: readonly string[]): Matches[] {
  if (was.kind === 'answer') return [(is) => is.kind === 'answer' && is.id === was.id]
  return [isSameAs(was, ignore), (is) => is.kind === was.kind && is.method === was.method]
}

function isSameAs(was: Incoming, ignore: readonly string[]): Matches {
  return (is) => {
    const isAlike = is.kind !== 'answer' && was.kind === is.kind && was.method === is.method
    return isAlike && !findDifference(contentOf(was), contentOf(is), ignore)
  }
}

function contentOf(message: Incoming): Json {
  if (message.kind !== 'answer') return message.params ?? null
  return message.error ? { error: { ...message.error } } : { result: message.result ?? null }
}

function subjectOf(message: Incoming, { entries }: RecordedProcess): string {
  if (message.kind !== 'answer') return `${message.kind} ${message.method}`
  const request = entries.find(
    ({ to, incoming }) => to === 'extension' && incoming.kind === 'request' && incoming.id === message.id,
  )
  return `answer to ${request?.incoming.kind === 'request' ? request.incoming.method : message.id}`
}

export interface Difference {
  /** From the root, as in `content.0.text`. */
  path: string
  was: Json | undefined
  is: Json | undefined
}

/**
 * Where two JSON values differ first. `ignored` are names of fields that differ each time, such as
 * `timestamp`. A field that is null counts as missing.
 */
export function findDifference(
  was: Json | undefined,
  is: Json | undefined,
  ignored: readonly string[],
  path = '',
): Difference | undefined {
  const [before, now] = [fieldsOf(was), fieldsOf(is)]
  if (!before || !now || Array.isArray(was) !== Array.isArray(is))
    return (was ?? null) === (is ?? null) ? undefined : { path, was, is }
  for (const name of new Set([...Object.keys(before), ...Object.keys(now)])) {
    if (ignored.includes(name)) continue
    const found = findDifference(before[name], now[name], ignored, path === '' ? name : `${path}.${name}`)
    if (found) return found
  }
  return undefined
}

function fieldsOf(value: Json | undefined): Record<string, Json | undefined> | undefined {
  return Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : asObject(value)
}

interface Waiter {
  matches: Matches[]
  give(message: Incoming | undefined): void
}

/** How long messages may still arrive after the process has ended. */
const closeMs = 50

/** The messages of an extension that have not been taken yet, and the waiters for further ones. */
class Inbox {
  readonly #messages: Incoming[] = []
  #waiters: Waiter[] = []
  #isClosed = false

  get isClosed(): boolean {
    return this.#isClosed
  }

  push(line: string): void {
    const message = parseLine(line)
    if (!message) return
    const waiter = this.#waiters.find(({ matches }) => matches.some((match) => match(message)))
    if (waiter) waiter.give(message)
    else this.#messages.push(message)
  }

  /** Takes a message only if it has arrived already. */
  takeNow(match: Matches): Incoming | undefined {
    const index = this.#messages.findIndex(match)
    return index < 0 ? undefined : this.#messages.splice(index, 1)[0]
  }

  /** The best match of those that have arrived, or the first that arrives and matches at all. */
  async take(matches: Matches[], withinMs: number): Promise<Incoming | undefined> {
    for (const match of matches) {
      const message = this.takeNow(match)
      if (message) return message
    }
    if (this.#isClosed) return undefined
    return await new Promise((resolve) => {
      const timer = setTimeout(() => waiter.give(undefined), withinMs)
      const waiter: Waiter = {
        matches,
        give: (message) => {
          clearTimeout(timer)
          this.#waiters = this.#waiters.filter((other) => other !== waiter)
          resolve(message)
        },
      }
      this.#waiters.push(waiter)
    })
  }

  close(): void {
    setTimeout(() => {
      this.#isClosed = true
      for (const waiter of this.#waiters) waiter.give(undefined)
    }, closeMs)
  }

  rest(): Incoming[] {
    return [...this.#messages]
  }
}

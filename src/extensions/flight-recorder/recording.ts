// Records what hosts and extensions say to each other, and reads such recordings: one JSON value per line,
// with times, after a header line.

import { type Incoming, parseLine } from '../../protocol/extension/rpc.ts'
import { extensionProtocolVersion } from '../../protocol/extension/table.ts'
import { EntireError } from '../../std/errors.ts'
import { asNumber, asObject, asString, type Json, parseJson } from '../../std/json.ts'

const recordingVersion = 1

export interface RecordedMessage {
  /** Milliseconds since the recording began. */
  ms: number
  extension: string
  /** Counts the processes: a restarted extension is another one. */
  process: number
  to: 'extension' | 'host'
  message: Json
}

/** The messages to and from one process. */
export interface RecordedProcess {
  extension: string
  process: number
  entries: (RecordedMessage & { incoming: Incoming })[]
}

function headerLine(at: Date): string {
  return `${JSON.stringify({ recording: recordingVersion, protocol: extensionProtocolVersion, at: at.toISOString() })}\n`
}

function recordedLine(entry: RecordedMessage): string {
  return `${JSON.stringify(entry)}\n`
}

/** The processes in the order in which they started. A last line that was cut off is ignored. */
export function parseRecording(text: string, path: string): RecordedProcess[] {
  const [head = '', ...lines] = text.split('\n')
  if (asObject(parseJson(head))?.recording !== recordingVersion)
    throw new EntireError('bad-usage', `${path} is not a recording of extensions.`, {
      hint: 'Make one with `piglet ext record`.',
    })
  const processes = new Map<string, RecordedProcess>()
  for (const line of lines) {
    const entry = parseEntry(line)
    const incoming = entry && parseLine(JSON.stringify(entry.message))
    if (!entry || !incoming) continue
    const key = `${entry.extension}\0${entry.process}`
    const known = processes.get(key) ?? { extension: entry.extension, process: entry.process, entries: [] }
    known.entries.push({ ...entry, incoming })
    processes.set(key, known)
  }
  return [...processes.values()]
}

function parseEntry(line: string): RecordedMessage | undefined {
  const fields = asObject(parseJson(line))
  const [extension, to] = [asString(fields?.extension), asString(fields?.to)]
  if (!fields || extension === undefined || (to !== 'extension' && to !== 'host')) return undefined
  return {
    ms: asNumber(fields.ms) ?? 0,
    extension,
    process: asNumber(fields.process) ?? 1,
    to,
    message: fields.message ?? null,
  }
}

export interface WireRecorderOptions {
  /** Takes whole lines. */
  write(text: string): void
  clock(): Date
}

/** Sees every line of the protocol; the host calls it as its `tap`. */
export type WireTap = (extension: string, direction: 'in' | 'out', line: string, process: number) => void

const leftOut = '(left out)'

/**
 * Records everything that a host and its extensions say to each other, except the keys that the host hands
 * out.
 */
export class WireRecorder {
  readonly #write: (text: string) => void
  readonly #clock: () => Date
  readonly #startedAt: Date
  /** Requests for keys that are not answered yet. */
  readonly #keyRequests = new Set<string>()

  constructor({ write, clock }: WireRecorderOptions) {
    this.#write = write
    this.#clock = clock
    this.#startedAt = clock()
    write(headerLine(this.#startedAt))
  }

  readonly tap: WireTap = (extension, direction, line, process) => {
    const message = parseJson(line)
    if (message === undefined) return
    const parsed = parseLine(line)
    const keyOf = (id: number) => `${process} ${id}`
    if (direction === 'in' && parsed?.kind === 'request' && parsed.method === 'host/auth.getKey')
      this.#keyRequests.add(keyOf(parsed.id))
    const isKey =
      direction === 'out' && parsed?.kind === 'answer' && this.#keyRequests.delete(keyOf(parsed.id))
    this.#write(
      recordedLine({
        ms: this.#clock().getTime() - this.#startedAt.getTime(),
        extension,
        process,
        to: direction === 'in' ? 'host' : 'extension',
        message: isKey ? withoutKey(message) : message,
      }),
    )
  }
}

function withoutKey(message: Json): Json {
  const fields = asObject(message)
  const result = asObject(fields?.result)
  return fields && result?.key ? { ...fields, result: { ...result, key: leftOut } } : message
}

// A recording: what went over the wire, one JSON value per line, with times. The first line says what it is.

import { type Incoming, parseLine } from '../../protocol/extension/peer.ts'
import { protocolVersion } from '../../protocol/extension/table.ts'
import { EntireError } from '../../std/errors.ts'
import { asNumber, asObject, asString, type Json, parseJson } from '../../std/json.ts'

export const recordingVersion = 1

export interface RecordedMessage {
  /** Since the recording began. */
  ms: number
  extension: string
  /** Counts the processes, because an extension that is started anew is another one. */
  process: number
  to: 'extension' | 'host'
  message: Json
}

/** What one process was told and said. */
export interface RecordedProcess {
  extension: string
  process: number
  entries: (RecordedMessage & { incoming: Incoming })[]
}

export function headerLine(at: Date): string {
  return `${JSON.stringify({ recording: recordingVersion, protocol: protocolVersion, at: at.toISOString() })}\n`
}

export function recordedLine(entry: RecordedMessage): string {
  return `${JSON.stringify(entry)}\n`
}

/** By process, in the order in which they were started. A last line that was cut off is nothing. */
export function parseRecording(text: string, place: string): RecordedProcess[] {
  const [head = '', ...lines] = text.split('\n')
  if (asObject(parseJson(head))?.recording !== recordingVersion)
    throw new EntireError('bad-usage', `${place} is no recording of extensions.`, {
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

// Writes down everything that hosts and extensions say to each other. Keys that are handed out are left out.

export interface RecorderOptions {
  /** Takes whole lines. */
  write(text: string): void
  clock(): Date
}

/** The same as the host calls its `tap`. */
export type WireTap = (extension: string, direction: 'in' | 'out', line: string, process: number) => void

export const leftOut = '(left out)'

export function createRecorder({ write, clock }: RecorderOptions): WireTap {
  const begin = clock()
  const keyRequests = new Set<string>()
  write(headerLine(begin))
  return (extension, direction, line, process) => {
    const message = parseJson(line)
    if (message === undefined) return
    const known = parseLine(line)
    const ask = (id: number) => `${process} ${id}`
    if (direction === 'in' && known?.kind === 'request' && known.method === 'host/auth.getKey')
      keyRequests.add(ask(known.id))
    const isKey = direction === 'out' && known?.kind === 'answer' && keyRequests.delete(ask(known.id))
    write(
      recordedLine({
        ms: clock().getTime() - begin.getTime(),
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

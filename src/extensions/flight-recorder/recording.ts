// A recording: what went over the wire, one JSON value per line, with times. The first line says what it is.
import { protocolVersion } from '../../protocol/extension.ts'
import { type Incoming, parseLine } from '../../protocol/extension-line.ts'
import { EntireError } from '../../std/errors.ts'
import { asNumber, asObject, asString, type Json, parseJson } from '../../std/json.ts'

export const recordingVersion = 1

export interface Entry {
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
  entries: (Entry & { incoming: Incoming })[]
}

export function headerLine(at: Date): string {
  return `${JSON.stringify({ recording: recordingVersion, protocol: protocolVersion, at: at.toISOString() })}\n`
}

export function entryLine(entry: Entry): string {
  return `${JSON.stringify(entry)}\n`
}

/** By process, in the order in which they were started. A last line that was cut off is nothing. */
export function parseRecording(text: string, place: string): RecordedProcess[] {
  const [head = '', ...lines] = text.split('\n')
  if (asObject(parseJson(head))?.recording !== recordingVersion)
    throw new EntireError('bad-usage', `${place} is no recording of extensions.`, { hint: 'Make one with `piglet ext record`.' })
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

function parseEntry(line: string): Entry | undefined {
  const fields = asObject(parseJson(line))
  const [extension, to] = [asString(fields?.extension), asString(fields?.to)]
  if (!fields || extension === undefined || (to !== 'extension' && to !== 'host')) return undefined
  return { ms: asNumber(fields.ms) ?? 0, extension, process: asNumber(fields.process) ?? 1, to, message: fields.message ?? null }
}

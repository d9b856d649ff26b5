// Writes down everything that hosts and extensions say to each other. Keys that are handed out are left out.
import { parseLine } from '../../protocol/extension-line.ts'
import { asObject, type Json, parseJson } from '../../std/json.ts'
import { entryLine, headerLine } from './recording.ts'

export interface RecorderOptions {
  /** Takes whole lines. */
  write(text: string): void
  clock(): Date
}

/** The same as the host calls its `tap`. */
export type Tap = (extension: string, direction: 'in' | 'out', line: string, process: number) => void

export const leftOut = '(left out)'

export function createRecorder({ write, clock }: RecorderOptions): Tap {
  const begin = clock()
  const keyRequests = new Set<string>()
  write(headerLine(begin))
  return (extension, direction, line, process) => {
    const message = parseJson(line)
    if (message === undefined) return
    const known = parseLine(line)
    const ask = (id: number) => `${process} ${id}`
    if (direction === 'in' && known?.kind === 'request' && known.method === 'host/auth.getKey') keyRequests.add(ask(known.id))
    const isKey = direction === 'out' && known?.kind === 'answer' && keyRequests.delete(ask(known.id))
    write(
      entryLine({
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

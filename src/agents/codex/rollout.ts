// The beginning of a rollout: its first line says whose thread it is, the next ones what was asked of it.
import { closeSync, openSync, readSync } from 'node:fs'
import { asObject, type JsonObject, parseJson } from '../../std/json.ts'
import { given, text } from '../hook-table.ts'
import { promptOf } from './prompt.ts'

// The first line holds the instructions of the model; what a subagent was told follows soon after.
const headBytes = 256 * 1024

export interface Origin {
  /** A thread that another one started: none of its turns are the user's. */
  isSubagent: boolean
  /** The thread this one continues under an id of its own. */
  forkedFrom?: string
  /** What the parent calls it. */
  name?: string
}

export function originOf(meta: JsonObject): Origin {
  const isSubagent = meta.thread_source === 'subagent' || asObject(meta.source)?.subagent !== undefined
  return { isSubagent, ...given({ forkedFrom: text(meta.forked_from_id), name: text(meta.agent_path) ?? text(meta.agent_nickname) }) }
}

/** Undefined when there is no such file, or it begins with something else. */
export function readOrigin(path: string): Origin | undefined {
  const meta = payloadOf(readHead(path)[0], 'session_meta')
  return meta && originOf(meta)
}

/** What a subagent was told to do, or else what it is called. */
export function readTask(path: string): string | undefined {
  const lines = readHead(path)
  const prompts = lines.flatMap((line) => {
    const message = payloadOf(line, 'response_item')
    return (message && promptOf(message)) ?? []
  })
  const meta = payloadOf(lines[0], 'session_meta')
  return prompts[0] ?? (meta && originOf(meta).name)
}

function payloadOf(line: string | undefined, type: string): JsonObject | undefined {
  const record = asObject(parseJson(line ?? ''))
  return record?.type === type ? asObject(record.payload) : undefined
}

function readHead(path: string): string[] {
  try {
    const fd = openSync(path, 'r')
    try {
      const buffer = Buffer.alloc(headBytes)
      return buffer.toString('utf8', 0, readSync(fd, buffer, 0, headBytes, 0)).split('\n')
    } finally {
      closeSync(fd)
    }
  } catch {
    return []
  }
}

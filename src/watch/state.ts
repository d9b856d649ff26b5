// Saves how far `entire watch` has read each file, so that the next watcher continues there.

import { join } from 'node:path'
import type { Repo } from '../git/repo.ts'
import { readText, writeAtomic } from '../std/file.ts'
import { given } from '../std/given.ts'
import { asCount, asObject, asString, type JsonObject, parseJson } from '../std/json.ts'

export interface WatchState {
  files: Map<string, FileState>
  /** When each agent was watched last, by its name; RFC 3339. */
  until: Map<string, string>
}

export interface FileState {
  /** How much has been read, always up to a line boundary. */
  bytes: number
  /** Lines in these bytes. */
  lines: number
  /** Hash of the last bytes before the position: tells growth from rewriting. */
  seal: string
  /** What the reader of signs remembers of what it has read. */
  carry?: JsonObject
  /** The last session in the file. */
  session?: WatchedSession
}

export interface WatchedSession {
  id: string
  order?: string
  /** Where it begins in the file. */
  start: number
  firstLine: number
  /** How many of its prompts were read, and where its last turn begins. */
  prompts: number
  lastStart?: number
  /** Who reported the beginning of the turn: the watcher (`open`) or hooks (`foreign`). */
  turn: 'none' | 'open' | 'foreign'
  /** The agent has said something since the turn began. */
  answered: boolean
  /** A prompt that was there before the watcher. If its turn continues, it began here. */
  missed?: MissedPrompt
}

export interface MissedPrompt {
  bytes: number
  items: number
  prompt?: string
}

function watchStateFile(repo: Pick<Repo, 'gitDir'>): string {
  return join(repo.gitDir, 'entire-watch.json')
}

export function readWatchState(repo: Repo): WatchState {
  const record = asObject(parseJson(readText(watchStateFile(repo)) ?? ''))
  const until = Object.entries(asObject(record?.until) ?? {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  const files = Object.entries(asObject(record?.files) ?? {}).flatMap(([path, file]) =>
    parseFile(path, asObject(file)),
  )
  return { files: new Map(files), until: new Map(until) }
}

export function writeWatchState(repo: Repo, { files, until }: WatchState): void {
  writeAtomic(
    watchStateFile(repo),
    JSON.stringify({ until: Object.fromEntries(until), files: Object.fromEntries(files) }),
  )
}

function parseFile(path: string, record: JsonObject | undefined): [string, FileState][] {
  const seal = asString(record?.seal)
  if (record === undefined || seal === undefined) return []
  const [carry, session] = [asObject(record.carry), parseSession(asObject(record.session))]
  const state = { bytes: asCount(record.bytes), lines: asCount(record.lines), seal }
  return [[path, { ...state, ...(carry && { carry }), ...(session && { session }) }]]
}

function parseSession(record: JsonObject | undefined): WatchedSession | undefined {
  const id = asString(record?.id)
  if (record === undefined || id === undefined) return undefined
  const order = asString(record.order)
  return {
    id,
    ...given({ order }),
    start: asCount(record.start),
    firstLine: asCount(record.firstLine),
    prompts: asCount(record.prompts),
    ...(typeof record.lastStart === 'number' ? { lastStart: record.lastStart } : {}),
    turn: record.turn === 'open' || record.turn === 'foreign' ? record.turn : 'none',
    answered: record.answered === true,
  }
}

// OpenCode's transcript: what it exports of a session, one JSON document with a list of messages.
import type { TranscriptFormat, TranscriptReading } from '../../model/agent.ts'
import type { EventMetadata } from '../../model/event.ts'
import { addTokens, hasTokens, noTokens } from '../../model/tokens.ts'
import { EntireError } from '../../std/errors.ts'
import { asNumber, asObject, asString, parseJson } from '../../std/json.ts'
import { entriesOf } from './entries.ts'
import { createdAt, filesOf, gatherMessage, isUnfinished, type Message, nothingGathered, parseMessage } from './message.ts'
import { taskUsage } from './task-usage.ts'

export const opencodeTranscript: TranscriptFormat = {
  shape: () => 'document',

  // There are no lines to be read; what is no export is kept as it is.
  readLines: (lines) => ({ items: lines.length, files: [], prompts: [], tokens: noTokens, subagents: [] }),

  readDocument: (document, from, metadata, carry) => readFrom(parseExport(document), from, metadata, asString(carry?.last)),

  readEntries: (document, from) => parseExport(document).messages.slice(from).flatMap(entriesOf),
}

interface Export {
  createdAt: number | undefined
  messages: Message[]
}

function parseExport(text: string): Export {
  const document = asObject(parseJson(text))
  if (!Array.isArray(document?.messages))
    throw new EntireError('corrupt-state', 'The OpenCode transcript is not a JSON document with a list of messages.', {
      hint: 'Nothing was changed; the next turn exports it again.',
    })
  return { createdAt: asNumber(asObject(asObject(document.info)?.time)?.created), messages: document.messages.map(parseMessage) }
}

function readFrom(document: Export, from: number, metadata: EventMetadata = {}, last?: string): TranscriptReading {
  const { messages } = document
  const settled = countSettled(messages)
  const start = from === 0 && last === undefined ? findBeginning(document, metadata) : findNew(messages, from, last)
  const gathered = nothingGathered()
  for (const message of messages.slice(start, settled)) gatherMessage(message, gathered)
  const { files, tasks, ...rest } = gathered
  // What an unfinished answer has written is written; the rest of it counts when it is finished.
  for (const file of messages.slice(Math.max(start, settled)).flatMap(filesOf)) files.add(file)
  const subagents = tasks.map((task) => taskUsage(metadata, task)).reduce(addTokens, noTokens)
  return {
    ...rest,
    items: Math.max(0, settled - from),
    files: [...files],
    tokens: hasTokens(subagents) ? addTokens(rest.tokens, { ...noTokens, subagents }) : rest.tokens,
    subagents: [],
    ...carryOf(messages[settled - 1], last),
  }
}

// Later messages have higher ids. Those that an undo took away may come back, and were read.
function carryOf(message: Message | undefined, last = ''): Pick<TranscriptReading, 'carry'> {
  const id = message?.id === undefined || message.id < last ? last : message.id
  return id === '' ? {} : { carry: { last: id } }
}

/** The first message that was not read. After an undo there are fewer before it than there were. */
function findNew(messages: Message[], from: number, last: string | undefined): number {
  if (last === undefined || messages[from - 1]?.id === last) return from
  const next = messages.findIndex(({ id = '' }) => id > last)
  return next === -1 ? messages.length : next
}

/** The answer that is being written, and what was typed meanwhile, are to be read again. One that others follow was broken off. */
function countSettled(messages: Message[]): number {
  const last = messages.findLastIndex(({ role }) => role === 'assistant')
  return last >= 0 && isUnfinished(messages[last] as Message) ? last : messages.length
}

/** Where the part begins that counts: a fork begins with a copy of another session, and what came before we were there is not ours. */
function findBeginning({ createdAt: born = 0, messages }: Export, { since }: EventMetadata): number {
  const own = messages.findIndex((message) => (createdAt(message) ?? born) >= born)
  const seen = since === undefined ? 0 : messages.findIndex(({ id }) => id === since)
  return Math.max(own === -1 ? messages.length : own, seen)
}

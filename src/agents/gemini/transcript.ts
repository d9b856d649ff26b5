// Gemini CLI's transcript: a log of changes to a conversation, a line each. Older versions rewrote one JSON document instead.
// A message counts when it is first met, and later lines add to it what is new. Rewinding takes nothing back: the tokens are
// spent, the prompt was typed, the file was written.
import type { TranscriptFormat } from '../../model/agent.ts'
import { EntireError } from '../../std/errors.ts'
import { asArray, asObject, type Json, type JsonObject, parseJson } from '../../std/json.ts'
import { text } from '../hook-table.ts'
import { messageTally } from '../message-tally.ts'
import { parseRecords, readConversation } from './entries.ts'
import { type Gathered, gatherMessage, nothingGathered } from './message.ts'

export const geminiTranscript: TranscriptFormat = {
  shape(head) {
    const [first = '', ...rest] = head.trimStart().split('\n')
    const parsed = asObject(parseJson(first))
    // The header of a log may have an empty list of messages; a document has its messages in it and nothing after it.
    if (parsed) return asArray(parsed.messages).length > 0 && rest.join('').trim() === '' ? 'document' : 'lines'
    return first.trim() === '{' || /"messages"\s*:\s*\[/.test(first) ? 'document' : 'lines'
  },

  readLines(lines, carry) {
    const records = lines.map((line) => asObject(parseJson(line)))
    const reading = readMessages(records.flatMap(messagesOf), lines.length, carry)
    // The prompts of a subagent come from the agent. Only the header tells that it is one.
    const isSubagent = carry?.subagent === true || records.some((record) => record?.kind === 'subagent')
    return isSubagent ? { ...reading, prompts: [], carry: { ...reading.carry, subagent: true } } : reading
  },

  readDocument(document, from) {
    const stretch = parseDocument(document).slice(from)
    // Without a carry an older message would count again when it is listed twice; in a document none is.
    const { carry: _carry, ...reading } = readMessages(stretch, stretch.length, undefined)
    return reading
  },

  readEntries(transcript, from) {
    const isDocument = geminiTranscript.shape(transcript) === 'document'
    return readConversation(
      isDocument ? parseDocument(transcript).map((message) => [message]) : parseRecords(transcript).map(messagesOf),
      from,
    )
  },

  truncateAt(lines, id) {
    const at = lines.findLastIndex((line) => line.includes(id) && asObject(parseJson(line))?.id === id)
    return at < 0 ? lines : lines.slice(0, at + 1)
  },
}

function parseDocument(text: string): Json[] {
  const messages = asObject(parseJson(text))?.messages
  if (Array.isArray(messages)) return messages
  throw new EntireError('corrupt-state', 'The Gemini transcript is not a JSON document with a list of messages.', {
    hint: 'Nothing was changed; the next turn writes it again.',
  })
}

function readMessages(messages: Json[], items: number, carry: JsonObject | undefined) {
  const tally = messageTally(carry)
  const gathered: Gathered = nothingGathered()
  for (const message of messages) {
    const object = asObject(message)
    if (object) gatherMessage(object, gathered, tally)
  }
  const { files, subagents, ...rest } = gathered
  return { items, ...rest, files: [...files], subagents: [...subagents], tokens: tally.tokens, carry: tally.carry() }
}

/** The messages a line brings: itself, or a whole list that takes the place of the one before. */
function messagesOf(record: JsonObject | undefined): Json[] {
  if (!record) return []
  if (text(record.id) !== undefined) return [record]
  return asArray(asObject(record.$set)?.messages ?? record.messages)
}

// The seal of a thought is for its provider alone and stays as it is, or the session could not go on. One provider seals the words with
// it, as text within text, where no secret in them would be found; Pi has the same words beside the seal.
import { asArray, asObject, type Json, type JsonObject, parseJson } from '../../std/json.ts'
import { text } from '../hook-table.ts'

const wordy = '"thinkingSignature":"{'

/** The line without the words in its seals. */
export function stripThoughts(line: string): string {
  const entry = line.includes(wordy) ? asObject(parseJson(line)) : undefined
  const message = asObject(entry?.message)
  if (message === undefined) return line
  return JSON.stringify({ ...entry, message: { ...message, content: asArray(message.content).map(stripPart) } })
}

function stripPart(part: Json): Json {
  const thought = asObject(part)
  const seal = asObject(parseJson(text(thought?.thinkingSignature) ?? ''))
  return thought === undefined || seal === undefined ? part : { ...thought, thinkingSignature: JSON.stringify(withoutWords(seal)) }
}

function withoutWords({ content: _words, ...seal }: JsonObject): JsonObject {
  return seal.summary === undefined ? seal : { ...seal, summary: [] }
}

// Parses a transcript of JSON lines for people to read.

import { EntireError } from '../../std/errors.ts'
import { asObject, type JsonObject, parseJson } from '../../std/json.ts'

/** One object for each line, undefined where a line has none. Throws when no line of the text has one. */
export function parseTranscriptLines(transcript: string): (JsonObject | undefined)[] {
  const records = transcript.split('\n').map((line) => asObject(parseJson(line)))
  if (transcript.trim() !== '' && records.every((record) => record === undefined))
    throw new EntireError('corrupt-state', 'The transcript has no line that is JSON.')
  return records
}

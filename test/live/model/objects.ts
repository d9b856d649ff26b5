// Reads requests leniently: missing values are empty.
import { asArray, asObject, type JsonObject } from '../../../src/std/json.ts'

export function objects(value: unknown): JsonObject[] {
  return asArray(value).map((item) => asObject(item) ?? {})
}

/** Text that is a string on one wire and a list of parts on another. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return objects(content)
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('\n')
}

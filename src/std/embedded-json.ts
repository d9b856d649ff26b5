// Programs and models put text around the JSON they were asked for: greetings, warnings, code fences.
import { asArray, asObject, type JsonObject, parseJson } from './json.ts'

// Text that is full of braces and never closes them must not be read again from each of them.
const attempts = 200

/** The outermost JSON objects in a text, in their order; those of a list, when the text is one. */
export function findObjects(text: string): JsonObject[] {
  const whole = parseJson(text)
  if (whole !== undefined) return [whole, ...asArray(whole)].map(asObject).filter((object) => object !== undefined)
  const found: JsonObject[] = []
  let start = text.indexOf('{')
  for (let left = attempts; start !== -1 && left > 0; left -= 1) {
    const end = closingBrace(text, start)
    const object = end === undefined ? undefined : asObject(parseJson(text.slice(start, end + 1)))
    if (object !== undefined) found.push(object)
    start = text.indexOf('{', object === undefined ? start + 1 : (end as number) + 1)
  }
  return found
}

function closingBrace(text: string, start: number): number | undefined {
  let depth = 0
  let inString = false
  for (let at = start; at < text.length; at += 1) {
    const character = text[at]
    if (inString) {
      if (character === '\\') at += 1
      else if (character === '"') inString = false
    } else if (character === '"') inString = true
    else if (character === '{') depth += 1
    else if (character === '}' && --depth === 0) return at
  }
  return undefined
}

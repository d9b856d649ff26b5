// Parses untrusted JSON without throwing.

export type Json = string | number | boolean | null | Json[] | JsonObject
export type JsonObject = { [key: string]: Json }

export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined
}

export function asArray(value: unknown): Json[] {
  return Array.isArray(value) ? value : []
}

export function asString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

/** A count; 0 for any value that cannot be one. */
export function asCount(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0
}

// Strict, because `Date.parse` accepts all kinds of text, even comments.
const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/

/** A valid time, as written; the zero time of Go counts as none. */
export function asTime(value: unknown): string | undefined {
  return typeof value === 'string' && rfc3339.test(value) && Date.parse(value) > 0 ? value : undefined
}

export function asStrings(value: unknown): string[] {
  return asArray(value).filter((item): item is string => typeof item === 'string')
}

// Those that JSON leaves as they are, but that a terminal obeys.
const control = /[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** JSON as the program writes it to files and prints it: two spaces, one final newline, no control characters. */
export function formatJson(value: unknown): string {
  const text = JSON.stringify(value, null, 2)
  return `${text.replace(control, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`
}

// Bounds the work on a text full of braces that are never closed.
const attempts = 200

/**
 * The outermost JSON objects in a text, in order; those of a list, when the text is one. Programs and models
 * put text around the JSON they were asked for: greetings, warnings, code fences.
 */
export function findObjects(text: string): JsonObject[] {
  const whole = parseJson(text)
  if (whole !== undefined)
    return [whole, ...asArray(whole)].map(asObject).filter((object) => object !== undefined)
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

// Where two JSON values differ first, in words.
import { asObject, type Json } from '../../std/json.ts'

export interface Difference {
  /** From the root on, as in `content.0.text`. */
  path: string
  was: Json | undefined
  is: Json | undefined
}

/** `ignored`: names of fields that are different each time, such as `timestamp`. A field that is null is a field that is not there. */
export function findDifference(was: Json | undefined, is: Json | undefined, ignored: readonly string[], path = ''): Difference | undefined {
  const [before, now] = [fieldsOf(was), fieldsOf(is)]
  if (!before || !now || Array.isArray(was) !== Array.isArray(is)) return (was ?? null) === (is ?? null) ? undefined : { path, was, is }
  for (const name of new Set([...Object.keys(before), ...Object.keys(now)])) {
    if (ignored.includes(name)) continue
    const found = findDifference(before[name], now[name], ignored, path === '' ? name : `${path}.${name}`)
    if (found) return found
  }
  return undefined
}

function fieldsOf(value: Json | undefined): Record<string, Json | undefined> | undefined {
  return Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : asObject(value)
}

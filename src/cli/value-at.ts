// One value inside a JSON document, by the keys that lead to it.
import { asObject, type Json } from '../std/json.ts'

export function valueAt(settings: Json, path: string[]): Json | undefined {
  return path.reduce<Json | undefined>((value, key) => {
    const block = asObject(value)
    return block !== undefined && Object.hasOwn(block, key) ? block[key] : undefined
  }, settings)
}

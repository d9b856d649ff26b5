// Whether the parameters of a tool are something that models can be given.
import { asArray, asObject } from '../../std/json.ts'

/** What is wrong with it, in words. */
export function findSchemaProblem(schema: unknown): string | undefined {
  const root = asObject(schema)
  if (root === undefined) return 'it is no object'
  // Nothing at all means: no arguments.
  if (Object.keys(root).length === 0) return undefined
  if (root.type !== 'object') return 'its type is not "object"'
  const properties = root.properties === undefined ? {} : asObject(root.properties)
  if (properties === undefined) return 'its properties are no object'
  const bad = Object.entries(properties).find(([, property]) => asObject(property) === undefined && typeof property !== 'boolean')
  if (bad) return `its property ${bad[0]} is no schema`
  if (root.required !== undefined && !Array.isArray(root.required)) return 'its required is no list'
  const missing = asArray(root.required).filter((name) => typeof name !== 'string' || !Object.hasOwn(properties, name))
  return missing.length === 0 ? undefined : `it requires ${missing.join(', ')} and has no such property`
}

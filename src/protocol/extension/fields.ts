// Builds the schemas of fields and messages. A field that is missing or null gets the zero value that Go
// gives it.
import * as v from 'valibot'

const record = v.record(v.string(), v.unknown())

/**
 * An object with any names and values, passed on unchanged. Valibot's own record leaves out names that
 * JavaScript uses, such as `constructor`, and a tool may have an argument of that name.
 */
export const openRecord: typeof record = {
  ...record,
  '~run'(dataset, config) {
    const checked = record['~run']({ value: dataset.value }, config)
    return checked.typed ? { typed: true, value: dataset.value as Record<string, unknown> } : checked
  },
}

export const text = v.nullish(v.string(), '')
export const integer = v.nullish(v.pipe(v.number(), v.integer()), 0)
export const quantity = v.nullish(v.number(), 0)
export const flag = v.nullish(v.boolean(), false)
export const texts = v.nullish(v.array(v.string()), [])
/** Any JSON value, or none. */
export const anything = v.optional(v.unknown())
export const fields = v.nullish(openRecord, {})

/** Fields that stay undefined when they are missing. */
export const some = {
  text: v.nullish(v.string()),
  integer: v.nullish(v.pipe(v.number(), v.integer())),
  quantity: v.nullish(v.number()),
  flag: v.nullish(v.boolean()),
  texts: v.nullish(v.array(v.string())),
  fields: v.nullish(openRecord),
}

/** Unknown fields pass, because newer programs write them. */
export function shape<Entries extends v.ObjectEntries>(entries: Entries) {
  return v.looseObject(entries)
}

export function list<Item extends v.GenericSchema>(item: Item) {
  return v.nullish(v.array(item), [])
}

/** A message without fields; null stands for it as well. */
export const nothing = v.nullish(v.looseObject({}), {})

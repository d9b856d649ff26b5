// Fields of messages that programs in other languages write: what is missing or null has the value that Go gives it.
import * as v from 'valibot'

// An object whose names and values are somebody else's: checked to be one, and handed on as it is. Valibot's own record would leave out
// names that mean something to JavaScript, such as `constructor`, and a tool may have an argument of that name.

const record = v.record(v.string(), v.unknown())

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
/** Anything that JSON can say, or nothing. */
export const anything = v.optional(v.unknown())
export const fields = v.nullish(openRecord, {})

/** A field that may be missing, and then stays away. */
export const some = {
  text: v.nullish(v.string()),
  integer: v.nullish(v.pipe(v.number(), v.integer())),
  quantity: v.nullish(v.number()),
  flag: v.nullish(v.boolean()),
  texts: v.nullish(v.array(v.string())),
  fields: v.nullish(openRecord),
}

/** Objects stay open: unknown fields pass, because newer programs write them. */
export function shape<Entries extends v.ObjectEntries>(entries: Entries) {
  return v.looseObject(entries)
}

export function list<Item extends v.GenericSchema>(item: Item) {
  return v.nullish(v.array(item), [])
}

/** A message without anything in it; null stands for it as well. */
export const nothing = v.nullish(v.looseObject({}), {})

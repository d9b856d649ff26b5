// An object whose names and values are somebody else's: checked to be one, and handed on as it is. Valibot's own record would leave out
// names that mean something to JavaScript, such as `constructor`, and a tool may have an argument of that name.
import * as v from 'valibot'

const record = v.record(v.string(), v.unknown())

export const openRecord: typeof record = {
  ...record,
  '~run'(dataset, config) {
    const checked = record['~run']({ value: dataset.value }, config)
    return checked.typed ? { typed: true, value: dataset.value as Record<string, unknown> } : checked
  },
}

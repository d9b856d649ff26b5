// Leaves out the fields of a record that are undefined, so that an optional field is either set or absent.

type Given<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

export function given<T extends Record<string, unknown>>(fields: T): Given<T> {
  const present: Record<string, unknown> = {}
  for (const name in fields) if (fields[name] !== undefined) present[name] = fields[name]
  return present as Given<T>
}

// The two kinds of flags there are: said or not said, and with a value.
export const said = (brief: string) => ({ kind: 'boolean', optional: true, withNegated: false, brief }) as const

export const value = (placeholder: string, brief: string) =>
  ({ kind: 'parsed', parse: String, optional: true, placeholder, brief }) as const

// Long help in one shape: what it does, then examples.

export interface Manual {
  text: string[]
  examples: [command: string, meaning: string][]
}

export function formatManual({ text, examples }: Manual): string {
  const width = Math.max(...examples.map(([command]) => command.length))
  const lines = examples.map(([command, meaning]) => `  ${command.padEnd(width)}  # ${meaning}`)
  return [...text, '', 'EXAMPLES', ...lines].join('\n')
}

// The two kinds of flags there are: said or not said, and with a value.

export const switchFlag = (brief: string) =>
  ({ kind: 'boolean', optional: true, withNegated: false, brief }) as const

export const valueFlag = (placeholder: string, brief: string) =>
  ({ kind: 'parsed', parse: String, optional: true, placeholder, brief }) as const

// `--limit`: how many lines or hooks to show.

const highest = 100_000

export const limitFlag = (brief: string) =>
  ({ kind: 'parsed', parse: parseLimit, optional: true, placeholder: 'n', brief }) as const

function parseLimit(text: string): number {
  const limit = Number(text)
  if (Number.isInteger(limit) && limit > 0 && limit <= highest) return limit
  throw new SyntaxError(`"${text}" is not a whole number from 1 to ${highest}`)
}

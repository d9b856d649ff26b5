// `--limit`: how many lines or hooks to show.
const highest = 100_000

export const limitFlag = (brief: string) => ({ kind: 'parsed', parse: parseLimit, optional: true, placeholder: 'n', brief }) as const

function parseLimit(text: string): number {
  const limit = Number(text)
  if (Number.isInteger(limit) && limit > 0 && limit <= highest) return limit
  throw new SyntaxError(`"${text}" is not a whole number from 1 to ${highest}`)
}

// Pieces of expressions for values that stand in quotes, in text as it is or in text that was encoded before.
/** A quote, also where the text is itself JSON that was encoded once or twice. */
export const quote = String.raw`\\{0,3}["'\x60]`

/** The same in the raw JSON around such text. */
export const encodedQuote = String.raw`\\{0,7}["'\x60]`

/** For rules whose encoded matches have no useful shape. */
export const anything = ''

export function withTails(names: readonly string[], tails: readonly string[]): string[] {
  return names.flatMap((name) => tails.map((tail) => name + tail))
}

export function anyOf(names: readonly string[]): string {
  return `(?:${names.join('|')})`
}

// Spells the parts that rules are made of, in two ways: as they look in a text, and as they look in the JSON
// around that text. Used at build time only.

/** How quotes, white space and blanks are spelt. */
export interface Spelling {
  quote: string
  space: string
  blank: string
  /** A character of a name of several words. */
  wordy: string
}

/** In a text, which may itself be JSON, encoded once or twice. */
export const plain: Spelling = {
  quote: String.raw`\\{0,3}["'\x60]`,
  space: String.raw`(?:\s|\\{1,3}[nrt])`,
  blank: String.raw`[ \t]`,
  wordy: String.raw`[ \t\w.-]`,
}

/** In raw JSON, where each of them may be escaped once more. */
const encoded: Spelling = {
  quote: String.raw`\\{0,7}["'\x60]`,
  space: String.raw`(?:\s|\\{1,7}[nrtfv])`,
  blank: String.raw`(?:[ \t]|\\t)`,
  wordy: String.raw`(?:[ \t\w.-]|\\t)`,
}

/** The expression of a rule, and the hint for raw JSON that follows from it. */
export function inBothSpellings(write: (spelling: Spelling) => string): { source: string; encoded: string } {
  return { source: write(plain), encoded: write(encoded).replace('?<secret>', '?:') }
}

/** For rules whose encoded matches have no useful shape. */
export const anyText = ''

export function anyOf(names: readonly string[]): string {
  return `(?:${names.join('|')})`
}

export function withTails(names: readonly string[], tails: readonly string[]): string[] {
  return names.flatMap((name) => tails.map((tail) => name + tail))
}

// All keywords of all rules, found by their first three characters: one table look-up per character, however many rules there are.
// Made in every process that redacts, before any of it has been optimised: filling a table is cheap, an automaton took milliseconds.
export interface KeywordTable {
  /** slots[slotOf(three characters)] is the bucket of keywords that may begin so; 0 for none. */
  slots: Uint16Array
  buckets: readonly (readonly number[])[]
  /** In lower case. */
  words: readonly string[]
}

const slotCount = 32 * 32 * 32

/** Five bits of each character: upper and lower case share them, and what else does is told apart by looking. */
export function slotOf(first: number, second: number, third: number): number {
  return ((first & 31) << 10) | ((second & 31) << 5) | (third & 31)
}

/** Keywords are ASCII, and at least two characters long. */
export function buildKeywordTable(keywords: readonly string[]): KeywordTable {
  const slots = new Uint16Array(slotCount)
  const buckets: number[][] = [[]]
  const words = keywords.map((keyword) => keyword.toLowerCase())
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!
    const [first, second] = [word.charCodeAt(0), word.charCodeAt(1)]
    if (word.length > 2) addTo(slots, buckets, slotOf(first, second, word.charCodeAt(2)), index)
    else for (let third = 0; third < 32; third++) addTo(slots, buckets, slotOf(first, second, third), index)
  }
  return { slots, buckets, words }
}

function addTo(slots: Uint16Array, buckets: number[][], slot: number, index: number): void {
  if (slots[slot] === 0) slots[slot] = buckets.push([]) - 1
  buckets[slots[slot]!]!.push(index)
}

/** Whether the text holds the word there, in any case. */
export function holdsWord(text: string, at: number, word: string): boolean {
  for (let i = 0; i < word.length; i++) {
    const code = text.charCodeAt(at + i)
    if ((code >= 65 && code <= 90 ? code + 32 : code) !== word.charCodeAt(i)) return false
  }
  return true
}

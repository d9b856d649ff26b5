// All keywords of all rules at once, and most of the text never looked at: of four characters the last three tell how far the next
// keyword is. Made in every process that redacts, before any of it has been optimised: filling tables is cheap, an automaton took
// milliseconds.
export interface KeywordTable {
  /** By the second to fourth character: 0 where a keyword may begin with the first, else the steps to where one may begin. */
  steps: Uint8Array
  /** By the first to third character: the bucket of keywords that may begin so; 0 for none. */
  slots: Uint16Array
  buckets: readonly (readonly number[])[]
  /** In lower case. */
  words: readonly string[]
}

const slotCount = 32 * 32 * 32
const farthest = 2

/** Five bits of each character: upper and lower case share them, and what else does is told apart by looking. */
export function slotOf(first: number, second: number, third: number): number {
  return ((first & 31) << 10) | ((second & 31) << 5) | (third & 31)
}

/** Keywords are ASCII, and at least two characters long. */
export function buildKeywordTable(keywords: readonly string[]): KeywordTable {
  const steps = new Uint8Array(slotCount).fill(farthest)
  const slots = new Uint16Array(slotCount)
  const buckets: number[][] = [[]]
  const words: string[] = []
  for (let index = 0; index < keywords.length; index++) {
    const word = keywords[index]!.toLowerCase()
    words.push(word)
    // A missing character counts as zero; what comes after the end of a word can be anything, so its last bits are free.
    const [first, second, third, fourth] = [word.charCodeAt(0), word.charCodeAt(1), word.charCodeAt(2), word.charCodeAt(3)]
    const free = word.length > 2 ? 1 : 32
    for (let rest = 0, slot = slotOf(first, second, third); rest < free; rest++, slot++) {
      if (slots[slot] === 0) slots[slot] = buckets.push([]) - 1
      buckets[slots[slot]!]!.push(index)
      if (steps[slot]! > 1) steps[slot] = 1
    }
    const next = slotOf(second, third, fourth)
    steps.fill(0, next, next + (word.length > 3 ? 1 : word.length > 2 ? 32 : 1024))
  }
  return { steps, slots, buckets, words }
}

/** Every place where one of the keywords begins, from left to right. */
export function findKeywords(
  text: string,
  { steps, slots, buckets, words }: KeywordTable,
  found: (at: number, keyword: number) => void,
): void {
  // The low byte of every character is enough to go by, and bytes are read faster than characters before the code is optimised.
  const bytes = Buffer.alloc(text.length + 3)
  bytes.write(text, 'latin1')
  for (let at = 0; at < text.length; ) {
    const step = steps[((bytes[at + 1]! & 31) << 10) | ((bytes[at + 2]! & 31) << 5) | (bytes[at + 3]! & 31)]!
    if (step !== 0) {
      at += step
      continue
    }
    const bucket = slots[slotOf(bytes[at]!, bytes[at + 1]!, bytes[at + 2]!)]!
    if (bucket !== 0) for (const keyword of buckets[bucket]!) if (holdsWord(text, at, words[keyword]!)) found(at, keyword)
    at += 1
  }
}

/** Whether the text holds the word there, in any case. */
function holdsWord(text: string, at: number, word: string): boolean {
  for (let i = 0; i < word.length; i++) {
    const code = text.charCodeAt(at + i)
    if ((code >= 65 && code <= 90 ? code + 32 : code) !== word.charCodeAt(i)) return false
  }
  return true
}

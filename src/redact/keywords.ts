// Finds all keywords of all rules in one pass that skips most of the text: three characters tell how far away
// the next keyword is at least. The table is filled in every process that redacts, which costs little;
// building an automaton took milliseconds.

export interface KeywordTable {
  /**
   * By the second to fourth character: 0 where a keyword may begin at the first, otherwise how far to move
   * on.
   */
  steps: Uint8Array
  /**
   * By the first to third character: the position in `lists` of the keywords that may begin so; 0 for none.
   */
  slots: Uint16Array
  /** All lists in a row, each preceded by its length. */
  lists: readonly number[]
  /** In lower case. */
  words: readonly string[]
}

const slotCount = 32 * 32 * 32
const farthest = 2

/**
 * Uses five bits of each character, which upper and lower case share. Other collisions are resolved by
 * comparing.
 */
function slotOf(first: number, second: number, third: number): number {
  return ((first & 31) << 10) | ((second & 31) << 5) | (third & 31)
}

/** The content of the table, made at build time from values that cost nothing to load. */
export interface TablePlan {
  /** In base64. */
  steps: string
  /** Pairs of a slot and the position of its list. */
  slots: number[]
  lists: number[]
  words: string[]
}

/** Keywords are ASCII, and at least two characters long. */
export function planKeywordTable(keywords: readonly string[]): TablePlan {
  const words = keywords.map((keyword) => keyword.toLowerCase())
  const bySlot = new Map<number, number[]>()
  const steps = new Uint8Array(slotCount).fill(farthest)
  const here: [from: number, length: number][] = []
  for (const [index, word] of words.entries()) {
    // A missing character counts as zero. Any character can follow a short word, so its last bits are free.
    const [first = 0, second = 0, third = 0, fourth = 0] = Array.from(word, (character) =>
      character.charCodeAt(0),
    )
    const begin = slotOf(first, second, third)
    const free = word.length > 2 ? 1 : 32
    for (let slot = begin; slot < begin + free; slot++) bySlot.set(slot, [...(bySlot.get(slot) ?? []), index])
    steps.fill(1, begin, begin + free)
    here.push([slotOf(second, third, fourth), word.length > 3 ? 1 : word.length > 2 ? 32 : 1024])
  }
  for (const [from, length] of here) steps.fill(0, from, from + length)
  const slots: number[] = []
  const lists = [0]
  for (const [slot, list] of bySlot) {
    slots.push(slot, lists.length)
    lists.push(list.length, ...list)
  }
  return { steps: Buffer.from(steps).toString('base64'), slots, lists, words }
}

export function openKeywordTable({ steps, slots: filled, lists, words }: TablePlan): KeywordTable {
  const slots = new Uint16Array(slotCount)
  for (let at = 0; at < filled.length; at += 2) slots[filled[at]!] = filled[at + 1]!
  return { steps: Buffer.from(steps, 'base64'), slots, lists, words }
}

/** Reports every place where a keyword begins, from left to right. */
export function findKeywords(
  text: string,
  { steps, slots, lists, words }: KeywordTable,
  found: (at: number, keyword: number) => void,
): void {
  // The low byte of each character is enough, and before the code is optimised bytes are read faster than
  // characters.
  const end = text.length
  const bytes = Buffer.alloc(end + 3)
  bytes.write(text, 'latin1')
  let at = 0
  while (at < end) {
    const step = steps[((bytes[at + 1]! & 31) << 10) | ((bytes[at + 2]! & 31) << 5) | (bytes[at + 3]! & 31)]!
    if (step) at += step
    else {
      const list = slots[slotOf(bytes[at]!, bytes[at + 1]!, bytes[at + 2]!)]!
      for (let next = list + 1; next <= list + lists[list]!; next++)
        if (holdsWord(text, at, words[lists[next]!]!)) found(at, lists[next]!)
      at += 1
    }
  }
}

/** True when the text has the word at this position, in upper or lower case. */
function holdsWord(text: string, at: number, word: string): boolean {
  for (let i = 0; i < word.length; i++) {
    const code = text.charCodeAt(at + i)
    if ((code >= 65 && code <= 90 ? code + 32 : code) !== word.charCodeAt(i)) return false
  }
  return true
}

/**
 * Where rules may begin to match: one list for each property, because lists of plain values cost nothing to
 * load.
 */
export interface Keywords {
  texts: readonly string[]
  /** The index of the rule of each keyword. */
  rules: readonly number[]
  /** True when the keyword is case-sensitive. */
  exact: readonly boolean[]
  /** True when a letter in front makes it another word. */
  bounded: readonly boolean[]
  /** How far in front of the keyword the match begins. */
  leads: readonly number[]
}

/** The rule of keywords that only mark a JSON text to be examined value by value. */
export const noRule = -1

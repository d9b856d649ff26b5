// All keywords of all rules at once, and most of the text never looked at: of four characters the last three tell how far the next
// keyword is. Filled in every process that redacts, before any of it has been optimised: a table is cheap, an automaton took milliseconds.

export interface KeywordTable {
  /** By the second to fourth character: 0 where a keyword may begin with the first, else the steps to where one may begin. */
  steps: Uint8Array
  /** By the first to third character: where the keywords that may begin so are in the lists; 0 for none. */
  slots: Uint16Array
  /** One list after the other, each with its length in front. */
  lists: readonly number[]
  /** In lower case. */
  words: readonly string[]
}

const slotCount = 32 * 32 * 32
const farthest = 2

/** Five bits of each character: upper and lower case share them, and what else does is told apart by looking. */
export function slotOf(first: number, second: number, third: number): number {
  return ((first & 31) << 10) | ((second & 31) << 5) | (third & 31)
}

/** What the table is filled with; made when the program is built, from what costs nothing to load. */
export interface TablePlan {
  /** In base64. */
  steps: string
  /** A slot, and where its list is; and the next one. */
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
    // A missing character counts as zero; what comes after the end of a word can be anything, so its last bits are free.
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

/** Every place where one of the keywords begins, from left to right. */
export function findKeywords(
  text: string,
  { steps, slots, lists, words }: KeywordTable,
  found: (at: number, keyword: number) => void,
): void {
  // The low byte of every character is enough to go by, and bytes are read faster than characters before the code is optimised.
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

/** Whether the text holds the word there, in any case. */
function holdsWord(text: string, at: number, word: string): boolean {
  for (let i = 0; i < word.length; i++) {
    const code = text.charCodeAt(at + i)
    if ((code >= 65 && code <= 90 ? code + 32 : code) !== word.charCodeAt(i)) return false
  }
  return true
}

// Where rules may begin to match: column by column, because lists of plain values are all that costs nothing to load.

export interface Keywords {
  texts: readonly string[]
  /** The rule of each. */
  rules: readonly number[]
  /** Whether case counts. */
  exact: readonly boolean[]
  /** Whether a letter in front makes it another word. */
  bounded: readonly boolean[]
  /** How far in front of it the match begins. */
  leads: readonly number[]
}

/** A keyword that belongs to no rule only says: look at this JSON text value by value. */
export const noRule = -1

// All keywords of all rules at once. The regular expression engine finds where one begins, because it is quick from the first character on, in a
// process that has just started; a loop of ours would be half done when it is optimised.
export interface KeywordTable {
  /** The keywords, in any case; of those that begin alike only the shortest. */
  shortest: RegExp
  /** By the shortest: all that begin with it. */
  families: Readonly<Record<string, readonly number[]>>
  /** In lower case. */
  words: readonly string[]
}

/** What the table is filled with; made when the program is built, from what costs nothing to load. */
export interface TablePlan {
  shortest: string
  families: Record<string, number[]>
  words: string[]
}

/** Keywords are ASCII, and at least two characters long. */
export function planKeywordTable(keywords: readonly string[]): TablePlan {
  const words = keywords.map((keyword) => keyword.toLowerCase())
  const shortest = [...new Set(words)].filter((word) => !words.some((other) => other !== word && word.startsWith(other)))
  const family = (beginning: string) => words.flatMap((word, index) => (word.startsWith(beginning) ? [index] : []))
  return { shortest: alternatives(shortest), families: Object.fromEntries(shortest.map((word) => [word, family(word)])), words }
}

// `a(?:kia|pi_key)`: what words have in common is written once, so that the engine looks at it once.
function alternatives(words: readonly string[]): string {
  if (words.includes('')) return ''
  const branches = [...Map.groupBy(words, (word) => word.charAt(0))].map(
    ([first, some]) => `${quote(first)}${alternatives(some.map((word) => word.slice(1)))}`,
  )
  return branches.length === 1 ? branches[0]! : `(?:${branches.join('|')})`
}

function quote(character: string): string {
  return /\w/.test(character) ? character : `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
}

export function openKeywordTable({ shortest, families, words }: TablePlan): KeywordTable {
  return { shortest: new RegExp(shortest, 'gi'), families, words }
}

/** Every place where one of the keywords begins, from left to right. */
export function findKeywords(
  text: string,
  { shortest, families, words }: KeywordTable,
  found: (at: number, keyword: number) => void,
): void {
  shortest.lastIndex = 0
  for (let match = shortest.exec(text); match !== null; match = shortest.exec(text)) {
    const at = match.index
    const begun = match[0].length
    for (const keyword of families[match[0].toLowerCase()]!) if (holdsWord(text, at, words[keyword]!, begun)) found(at, keyword)
    // Another one may begin inside of it.
    shortest.lastIndex = at + 1
  }
}

/** Whether the text holds the word there, in any case, when its beginning is known to be there. */
function holdsWord(text: string, at: number, word: string, begun: number): boolean {
  for (let i = begun; i < word.length; i++) {
    const code = text.charCodeAt(at + i)
    if ((code >= 65 && code <= 90 ? code + 32 : code) !== word.charCodeAt(i)) return false
  }
  return true
}

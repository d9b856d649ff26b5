// All keywords of all rules as one Aho-Corasick automaton: one table look-up per character, however many rules there are.
export interface Automaton {
  /** Symbol of a character; 0 is everything that occurs in no keyword. Upper and lower case share one. */
  symbols: Uint8Array
  /** next[row + symbol] is the row of the next state, plus 1 if a keyword ends there. Rows are multiples of a power of two. */
  next: Uint32Array
  /** Keywords that end in the state of a row. */
  found: ReadonlyMap<number, readonly number[]>
}

/** Flat arrays, and no search: this is built in every process that redacts, before any of it has been optimised. */
interface Trie {
  size: number
  shift: number
  next: Uint32Array
  symbol: Uint8Array
  firstChild: Uint16Array
  nextSibling: Uint16Array
  found: (number[] | undefined)[]
}

function alphabet(keywords: readonly string[]): { symbols: Uint8Array; count: number } {
  const symbols = new Uint8Array(128)
  let count = 1
  for (const keyword of keywords) {
    for (let i = 0; i < keyword.length; i++) {
      const code = keyword.charCodeAt(i)
      if (symbols[code] === 0) symbols[code] = count++
    }
  }
  for (let code = 65; code <= 90; code++) symbols[code] = symbols[code + 32]!
  return { symbols, count }
}

function plant(keywords: readonly string[], symbols: Uint8Array, shift: number): Trie {
  const most = 1 + keywords.reduce((sum, keyword) => sum + keyword.length, 0)
  const next = new Uint32Array(most << shift)
  const symbol = new Uint8Array(most)
  const firstChild = new Uint16Array(most)
  const nextSibling = new Uint16Array(most)
  const found: (number[] | undefined)[] = []
  let size = 1
  for (let index = 0; index < keywords.length; index++) {
    const keyword = keywords[index]!
    let state = 0
    for (let i = 0; i < keyword.length; i++) {
      const edge = (state << shift) + symbols[keyword.charCodeAt(i)]!
      if (next[edge] === 0) {
        next[edge] = size
        symbol[size] = edge - (state << shift)
        nextSibling[size] = firstChild[state]!
        firstChild[state] = size
        size += 1
      }
      state = next[edge]!
    }
    const others = found[state]
    if (others === undefined) found[state] = [index]
    else others.push(index)
  }
  return { size, shift, next, symbol, firstChild, nextSibling, found }
}

/** Keywords are ASCII and in lower case. */
export function buildAutomaton(keywords: readonly string[]): Automaton {
  const { symbols, count } = alphabet(keywords)
  const trie = plant(keywords, symbols, Math.ceil(Math.log2(count)))
  return { symbols, next: trie.next, found: connect(trie) }
}

/** Breadth first: a missing edge goes where it goes from the longest proper suffix, which is what `next` says there already. */
function connect({ size, shift, next, symbol, firstChild, nextSibling, found }: Trie): Map<number, number[]> {
  const suffix = new Uint16Array(size)
  const queue = new Uint16Array(size)
  const ends = new Map<number, number[]>()
  let queued = 1
  for (let at = 0; at < size; at++) {
    const state = queue[at]!
    const from = suffix[state]! << shift
    if (state !== 0) next.copyWithin(state << shift, from, from + (1 << shift))
    for (let child = firstChild[state]!; child !== 0; child = nextSibling[child]!) {
      const fallback = state === 0 ? 0 : next[from + symbol[child]!]! >> shift
      suffix[child] = fallback
      const inherited = ends.get(fallback << shift)
      const own = found[child]
      const all = inherited && own ? [...own, ...inherited] : (own ?? inherited)
      if (all) ends.set(child << shift, all)
      next[(state << shift) + symbol[child]!] = (child << shift) | (all ? 1 : 0)
      queue[queued++] = child
    }
  }
  return ends
}

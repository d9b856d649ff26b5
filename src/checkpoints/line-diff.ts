// How many lines were added and removed between two texts. Only the numbers are wanted, so no script of edits is built.
export interface LineCounts {
  added: number
  removed: number
}

// Beyond this much searching the differing middle counts as replaced: a commit must not wait for a shuffled file of a million lines.
const maxSearchSteps = 20_000_000

export function countLines(text: string): number {
  let lines = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1
  return text === '' || text.endsWith('\n') ? lines : lines + 1
}

export function diffLines(before: string, after: string): LineCounts {
  if (before === after) return { added: 0, removed: 0 }
  if (before === '') return { added: countLines(after), removed: 0 }
  if (after === '') return { added: 0, removed: countLines(before) }
  const [a, b] = differingMiddle(before, after)
  const { left, right, ...counts } = internShared(splitLines(a), splitLines(b))
  const edits = editDistance(left, right) ?? left.length + right.length
  // Insertions and deletions add up to the edits, and their difference is the difference in length.
  const removed = (edits + left.length - right.length) / 2
  return { added: counts.added + edits - removed, removed: counts.removed + removed }
}

/** Both texts without the whole lines they begin and end with in common. */
function differingMiddle(a: string, b: string): [string, string] {
  const shorter = Math.min(a.length, b.length)
  let same = 0
  while (same < shorter && a.charCodeAt(same) === b.charCodeAt(same)) same += 1
  const start = same === 0 ? 0 : a.lastIndexOf('\n', same - 1) + 1
  let tail = 0
  while (tail < shorter - start && a.charCodeAt(a.length - 1 - tail) === b.charCodeAt(b.length - 1 - tail)) tail += 1
  const lineEnd = a.indexOf('\n', a.length - tail)
  const end = lineEnd === -1 ? 0 : a.length - 1 - lineEnd
  return [a.slice(start, a.length - end), b.slice(start, b.length - end)]
}

/** Lines with their line ends: a last line that gains one has changed. */
function splitLines(text: string): string[] {
  const lines: string[] = []
  let start = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', start)) {
    lines.push(text.slice(start, at + 1))
    start = at + 1
  }
  return start < text.length ? [...lines, text.slice(start)] : lines
}

/** Lines as numbers. Lines that only one side has are settled here: no way of matching the rest could use them. */
function internShared(before: string[], after: string[]): LineCounts & { left: Int32Array; right: Int32Array } {
  const ids = new Map<string, number>()
  for (const line of before) if (!ids.has(line)) ids.set(line, ids.size)
  const right = after.map((line) => ids.get(line) ?? -1).filter((id) => id !== -1)
  const shared = new Set(right)
  const left = before.map((line) => ids.get(line)!).filter((id) => shared.has(id))
  return {
    left: Int32Array.from(left),
    right: Int32Array.from(right),
    added: after.length - right.length,
    removed: before.length - left.length,
  }
}

/** The least number of insertions and deletions (Myers 1986, greedy forward search); undefined when finding it takes too long. */
function editDistance(a: Int32Array, b: Int32Array): number | undefined {
  const furthest = new Int32Array(2 * (a.length + b.length) + 3)
  const zero = a.length + b.length + 1
  let steps = 0
  for (let edits = 0; edits <= a.length + b.length; edits += 1) {
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const at = zero + diagonal
      const down = diagonal === -edits || (diagonal !== edits && furthest[at - 1]! < furthest[at + 1]!)
      const from = down ? furthest[at + 1]! : furthest[at - 1]! + 1
      let x = from
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x += 1
      furthest[at] = x
      if (x >= a.length && x - diagonal >= b.length) return edits
      steps += 1 + x - from
    }
    if (steps > maxSearchSteps) return undefined
  }
  return undefined
}

// Finds blocks such as `<tag>…</tag>` in one pass: an expression for them takes the square of the length of a
// text with many tags that are never closed.

export interface TaggedBlock {
  start: number
  end: number
  /** What is between the tags. */
  inner: string
}

/** Each block ends with the first tag that closes it; an opening tag that nothing closes is text. */
export function findTagged(text: string, isTag: (name: string) => boolean): TaggedBlock[] {
  const closing = findClosing(text)
  const blocks: TaggedBlock[] = []
  let done = 0
  for (const match of text.matchAll(/<([A-Za-z][\w-]*)(?=[\s>])/g)) {
    const name = match[1] as string
    if (match.index < done || !isTag(name)) continue
    const from = closing.get('>')?.after(match.index)
    const end = from === undefined ? undefined : closing.get(name)?.after(from + 1)
    if (from === undefined || end === undefined) continue
    done = end + name.length + 3
    blocks.push({ start: match.index, end: done, inner: text.slice(from + 1, end) })
  }
  return blocks
}

export function removeTagged(text: string, isTag: (name: string) => boolean): string {
  let [rest, done] = ['', 0]
  for (const { start, end } of findTagged(text, isTag)) {
    rest += text.slice(done, start)
    done = end
  }
  return rest + text.slice(done)
}

/** Positions in order, asked for from left to right. */
class Positions {
  readonly #all: number[] = []
  #next = 0

  add(position: number): void {
    this.#all.push(position)
  }

  /** The first position that is not before `from`. */
  after(from: number): number | undefined {
    while (this.#next < this.#all.length && (this.#all[this.#next] as number) < from) this.#next += 1
    return this.#all[this.#next]
  }
}

/** Where each closing tag is, by its name, and under `>` the ends of all tags. */
function findClosing(text: string): Map<string, Positions> {
  const found = new Map<string, Positions>([['>', new Positions()]])
  const add = (name: string, at: number) => {
    if (!found.has(name)) found.set(name, new Positions())
    found.get(name)?.add(at)
  }
  for (let at = text.indexOf('>'); at !== -1; at = text.indexOf('>', at + 1)) add('>', at)
  for (const match of text.matchAll(/<\/([A-Za-z][\w-]*)>/g)) add(match[1] as string, match.index)
  return found
}

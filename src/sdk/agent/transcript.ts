// What a kind of transcript can do. Authors take one of the ready kinds and say what an item of it means.
export interface TokenCount {
  input: number
  output: number
  cacheCreation?: number
  cacheRead?: number
  /** Requests to the model; 1 when it is left out. */
  calls?: number
  /** Of counts with the same id only the last one is added: agents repeat a message while it grows. */
  id?: string
}

export interface TokenTotal {
  input: number
  output: number
  cacheCreation: number
  cacheRead: number
  calls: number
}

export interface Reading {
  files: string[]
  prompts: string[]
  summary?: string
  tokens: TokenTotal
}

export interface Transcript {
  /** It finds files, prompts and summaries. */
  analyses: boolean
  countsTokens: boolean
  /** How many items there are. A line that is not complete yet is none. */
  position(bytes: Buffer): number
  /** What the items from a position on say. */
  read(bytes: Buffer, from: number): Reading
  /** Pieces of at most `max` bytes, unless a single item is larger. */
  chunk(bytes: Buffer, max: number): Buffer[]
  /** Exactly the bytes that were cut. */
  join(chunks: Buffer[]): Buffer
}

/** What an item of a transcript means. Each may be left out; one that throws for an item it does not know skips that item. */
export interface ItemReader<Item> {
  prompt?(item: Item): string | undefined
  /** Files the agent has written, as it names them. */
  files?(item: Item): string[] | undefined
  /** What the agent said to the user; the last one counts. */
  summary?(item: Item): string | undefined
  tokens?(item: Item): TokenCount | undefined
}

// Adds up what the items of a transcript say.
import type { ItemReader, Reading, TokenCount, TokenTotal } from './transcript.ts'

export function readItems<Item>(items: Item[], reader: ItemReader<Item>): Reading {
  const files = new Set<string>()
  const prompts: string[] = []
  const counts = new Map<string, TokenCount>()
  let summary: string | undefined
  for (const item of items) {
    const named: unknown = ask(() => reader.files?.(item))
    for (const file of Array.isArray(named) ? named : []) if (isText(file)) files.add(file)
    const prompt = ask(() => reader.prompt?.(item))
    if (isText(prompt)) prompts.push(prompt)
    const said = ask(() => reader.summary?.(item))
    if (isText(said)) summary = said
    const count = ask(() => reader.tokens?.(item))
    if (count) counts.set(count.id ?? `#${counts.size}`, count)
  }
  return { files: [...files], prompts, tokens: addCounts([...counts.values()]), ...(summary === undefined ? {} : { summary }) }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

// A new version of an agent writes items that the author has not seen: they must not cost the items that are understood.
function ask<Value>(question: () => Value): Value | undefined {
  try {
    return question()
  } catch {
    return undefined
  }
}

export function addCounts(counts: TokenCount[]): TokenTotal {
  const total: TokenTotal = { input: 0, output: 0, cacheCreation: 0, cacheRead: 0, calls: 0 }
  for (const count of counts) {
    total.input += whole(count.input)
    total.output += whole(count.output)
    total.cacheCreation += whole(count.cacheCreation)
    total.cacheRead += whole(count.cacheRead)
    total.calls += whole(count.calls ?? 1)
  }
  return total
}

function whole(value: number | undefined): number {
  return value !== undefined && Number.isSafeInteger(value) && value > 0 ? value : 0
}

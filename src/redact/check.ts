// Finds the secrets of a text and where they are, as redacting the text would. Never says what they are.
import { type Redactor, redactTranscript } from './redact.ts'

export interface Place {
  rule: string
  /** From 1. */
  line: number
  /** From 1, in characters. */
  column: number
}

export function findPlaces(text: string, redactor: Redactor): Place[] {
  const places: Place[] = []
  const starts = new Map<string, number[]>()
  const report = (rule: string, within: string, at: number) => {
    const lines = starts.get(within) ?? lineStarts(within)
    starts.set(within, lines)
    const line = countUpTo(lines, at)
    places.push({ rule, line, column: at - lines[line - 1]! + 1 })
  }
  redactTranscript(text, { ...redactor, report })
  return places.sort((a, b) => a.line - b.line || a.column - b.column)
}

function lineStarts(text: string): number[] {
  return [0, ...Array.from(text.matchAll(/\n/g), (match) => match.index + 1)]
}

/** How many of the numbers, which are in order, are at most this large. */
function countUpTo(numbers: readonly number[], most: number): number {
  let [from, to] = [0, numbers.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (numbers[middle]! <= most) from = middle + 1
    else to = middle
  }
  return from
}

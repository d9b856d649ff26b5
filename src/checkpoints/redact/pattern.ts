// A labelled expression: personal data and the rules people write themselves. Nobody knows its keywords, so it runs over everything.
import { labelledPlaceholder, type Region } from './regions.ts'

export interface Pattern {
  label: string
  regex: RegExp
  allow?: (match: string) => boolean
}

/** Bounds what a slow expression can cost: it sees one line, and of a long line this much at a time. */
const window = 4096
const overlap = 1024

export function findPatterns(text: string, patterns: readonly Pattern[]): Region[] {
  const regions: Region[] = []
  if (patterns.length === 0) return regions
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start)
    const end = newline === -1 ? text.length : newline
    for (let from = start; from < end; from += window - overlap) {
      findInWindow(text.slice(from, Math.min(end, from + window)), from, patterns, regions)
      if (from + window >= end) break
    }
    start = end + 1
  }
  return regions
}

function findInWindow(piece: string, offset: number, patterns: readonly Pattern[], regions: Region[]): void {
  for (const { label, regex, allow } of patterns) {
    for (const match of piece.matchAll(regex)) {
      if (match[0] === '' || allow?.(match[0])) continue
      const start = offset + match.index
      regions.push({ start, end: start + match[0].length, replacement: labelledPlaceholder(label) })
    }
  }
}

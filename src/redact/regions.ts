// Replaces regions of a text by placeholders.
import type { Span } from './rule.ts'

export const placeholder = 'REDACTED'

export interface Region extends Span {
  replacement: string
  /** What found it. */
  rule: string
}

export function labelledPlaceholder(label: string): string {
  return `[REDACTED_${label.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}]`
}

const placeholders = /\[REDACTED_[A-Z0-9_]+\]|REDACTED/g

export function isPlaceholder(text: string): boolean {
  return text === placeholder || /^\[REDACTED_[A-Z0-9_]+\]$/.test(text)
}

/**
 * Merges overlapping and touching regions; the one that starts first, or is longest, gives the replacement.
 */
function mergeRegions(regions: readonly Region[]): Region[] {
  const merged: Region[] = []
  for (const region of [...regions].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1)
    if (last === undefined || region.start > last.end) merged.push({ ...region })
    else last.end = Math.max(last.end, region.end)
  }
  return merged
}

/**
 * An old placeholder beside or inside a region becomes part of it, but is never a reason to replace
 * something.
 */
export function applyRegions(
  text: string,
  regions: readonly Region[],
  report?: (region: Region) => void,
): string {
  if (regions.length === 0) return text
  const old = [...text.matchAll(placeholders)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }))
  let out = ''
  let done = 0
  for (const region of absorb(uncovered(mergeRegions(regions), old), old)) {
    report?.(region)
    out += text.slice(done, region.start) + region.replacement
    done = region.end
  }
  return out + text.slice(done)
}

/** Leaves out the regions that consist of old placeholders only. Both lists are in order. */
function uncovered(regions: readonly Region[], old: readonly Span[]): Region[] {
  let first = 0
  return regions.filter((region) => {
    while (first < old.length && old[first]!.end <= region.start) first += 1
    let covered = region.start
    for (let i = first; i < old.length && old[i]!.start <= covered; i++) covered = old[i]!.end
    return covered < region.end
  })
}

/** Grows each region over the placeholders it touches, until nothing touches any more. */
function absorb(regions: readonly Region[], old: readonly Span[]): Region[] {
  const grown: Region[] = []
  let next = 0
  for (const region of regions) {
    const last = grown.at(-1)
    const current = last !== undefined && region.start <= last.end ? last : { ...region }
    current.end = Math.max(current.end, region.end)
    if (current !== last) grown.push(current)
    while (next < old.length && old[next]!.end < current.start) next += 1
    for (; next < old.length && old[next]!.start <= current.end; next++) {
      current.start = Math.min(current.start, old[next]!.start)
      current.end = Math.max(current.end, old[next]!.end)
    }
  }
  return grown
}

// Formats times, in the time zone of the machine, and numbers of tokens for people.

import { type TokenUsage, totalTokens } from '../../model/tokens.ts'

export function timeAgo(time: Date, now: Date): string {
  const minutes = Math.floor((now.getTime() - time.getTime()) / 60_000)
  if (minutes < 1) return 'just now'
  if (minutes < 60) return `${minutes}m ago`
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)}h ago`
  return `${Math.floor(minutes / (24 * 60))}d ago`
}

/** Loads the time zone, which takes milliseconds once: call it while other processes work. */
export function learnTimeZone(): void {
  new Date(0).getHours()
}

/** `2026-02-10 12:00:00`; returns an invalid time unchanged. */
export function localTime(text: string): string {
  const date = new Date(text)
  if (Number.isNaN(date.getTime())) return text
  const two = (number: number) => String(number).padStart(2, '0')
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}

/** `950`, `1.2k`, `12k`, `3.4M`. */
export function formatCount(count: number): string {
  if (count < 1000) return String(count)
  // From here on, thousands would round up to 1000k.
  const [value, unit] = count < 999_950 ? [count / 1000, 'k'] : [count / 1_000_000, 'M']
  return `${value.toFixed(1).replace(/\.0$/, '')}${unit}`
}

export function tokensText(usage: TokenUsage | undefined): string | undefined {
  const total = usage === undefined ? 0 : totalTokens(usage)
  return total > 0 ? formatCount(total) : undefined
}

// Formats and parses times (RFC 3339); a clock is an argument, so that tests can stop it.

export type Clock = () => Date

export const systemClock: Clock = () => new Date()

/** `2026-02-10T12:00:00.1Z`: without trailing zeros of the fraction, as the reference program writes it. */
export function formatTime(date: Date): string {
  return date.toISOString().replace(/(?:\.000|0{1,2})Z$/, 'Z')
}

export function parseTime(text: string | undefined): Date | undefined {
  if (text === undefined || text === '') return undefined
  const date = new Date(text)
  return Number.isNaN(date.getTime()) || date.getTime() < 0 ? undefined : date
}

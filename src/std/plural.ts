// Counts things in words.

/** `1 session`, `3 sessions`; `plural` is for nouns that do not just add an s. */
export function countOf(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`
}

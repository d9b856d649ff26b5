// Recognises secrets by their entropy: long tokens of varied characters that are not made of words.

/** A shorter token cannot reach the limit, for which it needs at least 2^4.5 different characters. */
export const shortestToken = 23
const limit = 4.5

const counts = new Int32Array(128)
let countTimesLog: Float64Array | undefined

function logTable(): Float64Array {
  if (countTimesLog === undefined) {
    // Filled by a loop, because `Float64Array.from` takes milliseconds in a fresh process.
    countTimesLog = new Float64Array(512)
    for (let count = 1; count < countTimesLog.length; count++) countTimesLog[count] = count * Math.log2(count)
  }
  return countTimesLog
}

/** Shannon entropy in bits per character of an ASCII token. */
export function entropy(text: string, start: number, end: number): number {
  const table = logTable()
  counts.fill(0)
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i) & 127
    counts[code] = counts[code]! + 1
  }
  let sum = 0
  for (let code = 0; code < 128; code++) {
    const count = counts[code]!
    sum += count < table.length ? table[count]! : count * Math.log2(count)
  }
  const length = end - start
  return length === 0 ? 0 : Math.log2(length) - sum / length
}

const longestName = 200
/**
 * Each part ends where its kind of character ends, so that there is only one way to divide a token: no
 * backtracking.
 */
const wordParts =
  /^(?:[A-Z]?[a-z]{3,}(?![a-z])|[A-Z]{3,}(?![A-Z])|[a-zA-Z]{1,2}(?=[-_=+]|$)|\d{1,8}(?!\d)|[-_=+])+$/
const longWord = /[A-Za-z]{4,}/g
const vowel = /[aeiouy]/i

/**
 * True for names of files, branches and functions, such as `add-users-2024-01-15_v2` or
 * `parseTranscriptLines`.
 */
export function isMadeOfWords(token: string): boolean {
  if (token.length > longestName || !wordParts.test(token)) return false
  const words = token.match(longWord) ?? []
  return words.length > 0 && words.every((word) => vowel.test(word))
}

/**
 * Ids of messages and tool calls, which appear on every line of a transcript and are referred to by others.
 */
const agentId = /^(?:toolu|srvtoolu|msg|req)_01[A-Za-z0-9]{20,24}$/

export function isHighEntropy(text: string, start: number, end: number): boolean {
  if (end - start < shortestToken || entropy(text, start, end) <= limit) return false
  const token = text.slice(start, Math.min(end, start + longestName + 1))
  return !agentId.test(token) && !isMadeOfWords(token)
}

// Long tokens with too much variety in their characters are taken for secrets, unless they are made of words.

/** A token of fewer characters cannot reach the limit: it would need at least 2^4.5 different ones. */
export const shortestToken = 23
const limit = 4.5

const counts = new Int32Array(128)
let countTimesLog: Float64Array | undefined

function logTable(): Float64Array {
  if (countTimesLog === undefined) {
    // Filled by a loop: `Float64Array.from` takes milliseconds in a process that has just started.
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
/** Each part must end where its kind ends, so that there is only one way to divide a token and no time is lost on the others. */
const wordParts =
  /^(?:[A-Z]?[a-z]{3,}(?![a-z])|[A-Z]{3,}(?![A-Z])|[a-zA-Z]{1,2}(?=[-_=+]|$)|\d{1,8}(?!\d)|[-_=+])+$/
const longWord = /[A-Za-z]{4,}/g
const vowel = /[aeiouy]/i

/** `add-users-2024-01-15_v2`, `parseTranscriptLines`: names people gave to files, branches and functions. */
export function isMadeOfWords(token: string): boolean {
  if (token.length > longestName || !wordParts.test(token)) return false
  const words = token.match(longWord) ?? []
  return words.length > 0 && words.every((word) => vowel.test(word))
}

/** Ids of messages and tool calls: every line of a transcript has some, and other lines refer to them. */
const agentId = /^(?:toolu|srvtoolu|msg|req)_01[A-Za-z0-9]{20,24}$/

export function isHighEntropy(text: string, start: number, end: number): boolean {
  if (end - start < shortestToken || entropy(text, start, end) <= limit) return false
  const token = text.slice(start, Math.min(end, start + longestName + 1))
  return !agentId.test(token) && !isMadeOfWords(token)
}

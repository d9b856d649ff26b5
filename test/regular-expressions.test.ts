// Tries every regular expression of the source on texts made to be slow for it: the time may grow with the
// length of the text, not with its square.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { worstTexts } from './support/worst-texts.ts'

setDefaultTimeout(240_000)

const source = join(import.meta.dir, '..', 'src')

interface Found {
  place: string
  text: string
}

const literal =
  /(?<=[(=:,!&|?[] ?|return |=> |^\s+)\/(?![*/ ])(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\[])+\/[dgimsuvy]*(?=[.,;:)\]\s]|$)/g

// These see only texts of the program itself, or settings that the user alone writes.
const ownTexts = /^(?:cli\/wrap-help|piglet\/models\/|sdk\/conformance\/)/

function findExpressions(): Found[] {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !ownTexts.test(file))
    .toSorted()
  const found = files.flatMap((file) => {
    const lines = readFileSync(join(source, file), 'utf8').split('\n')
    const code = lines.filter((line) => !/^\s*(?:\/\/|\*|\/\*)/.test(line))
    return code.flatMap((line) => (line.match(literal) ?? []).map((text) => ({ place: file, text })))
  })
  // The same expression need not be tried twice.
  return [...new Map(found.map((one) => [one.text, one])).values()]
}

function compile(text: string): RegExp {
  const end = text.lastIndexOf('/')
  return new RegExp(text.slice(1, end), text.slice(end + 1))
}

/** Milliseconds of this process on a processor, of the fastest of a few runs. */
function timeOf(regex: RegExp, text: string, runs: number): number {
  let best = Number.POSITIVE_INFINITY
  for (let run = 0; run < runs; run += 1) {
    const start = process.cpuUsage()
    if (regex.global) text.replace(regex, '')
    else regex.test(text)
    const { user, system } = process.cpuUsage(start)
    best = Math.min(best, (user + system) / 1000)
  }
  return best
}

const [short, long] = [500, 8_000]

/** Sixteen times the text in much more than sixteen times the time. What is quick either way is not compared. */
function isSlow(regex: RegExp, shape: (length: number) => string): boolean {
  const [little, much] = [shape(short), shape(long)]
  if (timeOf(regex, little, 1) > 25 && timeOf(regex, little, 3) > 25) return true
  if (timeOf(regex, much, 1) < 3 || timeOf(regex, much, 3) < 3) return false
  if (timeOf(regex, much, 3) <= 40 * Math.max(0.05, timeOf(regex, little, 5))) return false
  // Four times more text: sixteen times the time, if it is the square.
  return timeOf(regex, shape(4 * long), 2) > 9 * timeOf(regex, much, 3)
}

test('no expression takes the square of the length of its text', () => {
  const all = findExpressions()
  expect(all.length).toBeGreaterThan(300)
  const slow = all.flatMap(({ place, text }) => {
    const regex = compile(text)
    const shape = worstTexts(regex).find((each) => isSlow(regex, each))
    return shape === undefined ? [] : [`${place}: ${text} on ${JSON.stringify(shape(80).slice(0, 80))}`]
  })
  expect(slow).toEqual([])
})

test('the measure finds an expression that is slow', () => {
  for (const regex of [/<a>[\s\S]*?<\/a>/g, /\s+$/, /^.*x.*y$/s, /[^=]+=/])
    expect([regex, worstTexts(regex).some((shape) => isSlow(regex, shape))]).toEqual([regex, true])
})

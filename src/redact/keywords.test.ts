import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { findKeywords, openKeywordTable, planKeywordTable } from './keywords.ts'

function find(keywords: readonly string[], text: string): string[] {
  const found: string[] = []
  findKeywords(text, openKeywordTable(planKeywordTable(keywords)), (at, index) =>
    found.push(`${keywords[index]}@${at}`),
  )
  return found.sort()
}

test('finds every occurrence of every keyword in upper and lower case, and nothing else', () => {
  const keywords = fc.uniqueArray(fc.stringMatching(/^[ab-]{2,4}$/), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(keywords, fc.stringMatching(/^[aAbBcÄ-]{0,40}$/), (words, text) => {
      const expected = words.flatMap((word) =>
        Array.from(text, (_, at) => at).flatMap((at) =>
          text.slice(at, at + word.length).toLowerCase() === word ? [`${word}@${at}`] : [],
        ),
      )
      expect(find(words, text)).toEqual(expected.sort())
    }),
    { numRuns: 500 },
  )
})

test('hundreds of keywords with different beginnings are told apart', () => {
  const letters = 'abcdefghijklmnopqrstuvwxyz'
  const keywords = [...letters].flatMap((a) => [...letters].map((b) => `${a}${b}x`))
  for (const keyword of keywords) expect(find(keywords, `__${keyword}__`)).toEqual([`${keyword}@2`])
})

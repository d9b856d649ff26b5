import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { buildAutomaton } from './keyword-automaton.ts'

function find(keywords: readonly string[], text: string): string[] {
  const { symbols, next, found } = buildAutomaton(keywords)
  const hits: string[] = []
  let row = 0
  for (let i = 0; i < text.length; i++) {
    row = next[row + symbols[text.charCodeAt(i)]!]!
    if ((row & 1) === 0) continue
    row -= 1
    for (const index of found.get(row)!) hits.push(`${keywords[index]}@${i + 1 - keywords[index]!.length}`)
  }
  return hits.sort()
}

test('every occurrence of every keyword is found, whatever its case', () => {
  const keywords = fc.uniqueArray(fc.stringMatching(/^[ab-]{1,4}$/), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(keywords, fc.stringMatching(/^[aAbBc-]{0,40}$/), (words, text) => {
      const expected = words.flatMap((word) =>
        Array.from(text, (_, at) => at).flatMap((at) => (text.toLowerCase().startsWith(word, at) ? [`${word}@${at}`] : [])),
      )
      expect(find(words, text)).toEqual(expected.sort())
    }),
    { numRuns: 500 },
  )
})

// Summaries are found in the answers of models.
import { expect, test } from 'bun:test'
import { parseSummaryAnswer } from './summary-prompt.ts'

const whole = {
  intent: 'Add a parser',
  outcome: 'Added',
  learnings: { repo: ['a'], code: [{ path: 'a.ts', line: 1, end_line: 2, finding: 'b' }], workflow: ['c'] },
  friction: ['d'],
  open_items: ['e'],
}

test.each([
  JSON.stringify(whole),
  `Here you are:\n\`\`\`json\n${JSON.stringify(whole, null, 2)}\n\`\`\`\nBye {}`,
])('a summary is found in the answer (%#)', (answer) => {
  expect(parseSummaryAnswer(answer)).toEqual({
    intent: 'Add a parser',
    outcome: 'Added',
    learnings: { repo: ['a'], code: [{ path: 'a.ts', line: 1, endLine: 2, finding: 'b' }], workflow: ['c'] },
    friction: ['d'],
    openItems: ['e'],
  })
})

test('missing fields and fields of the wrong type are empty', () => {
  expect(
    parseSummaryAnswer(
      '{"intent":"a","outcome":"b","learnings":["x"],"friction":"none","open_items":[1,"c"]}',
    ),
  ).toEqual({
    intent: 'a',
    outcome: 'b',
    learnings: { repo: [], code: [], workflow: [] },
    friction: [],
    openItems: ['c'],
  })
})

test.each(['', 'I cannot do that.', '{}', '{"intent":"a"}', '{"intent":"","outcome":"b"}', '[1,2]'])(
  '%j is not a summary',
  (answer) => {
    expect(parseSummaryAnswer(answer)).toBeUndefined()
  },
)

test('an endless summary is truncated', () => {
  const summary = parseSummaryAnswer(
    JSON.stringify({ intent: 'x'.repeat(1e6), outcome: 'b', friction: Array(1000).fill('y'.repeat(1e4)) }),
  )
  expect(JSON.stringify(summary).length).toBeLessThan(150_000)
})

import { expect, test } from 'bun:test'
import { checkpointContext, joinPrompts, mergePrompts, splitPrompts, turnContext } from './prompt-files.ts'

test('prompts are joined by a rule and split again', () => {
  for (const prompts of [[], ['a'], ['a', 'b\n\nc', 'd ---']])
    expect(splitPrompts(joinPrompts(prompts))).toEqual(prompts)
  expect(joinPrompts(['a', 'b'])).toBe('a\n\n---\n\nb')
})

test.each([
  [[], [], []],
  [['a', 'b'], [], ['a', 'b']],
  [[], ['a'], ['a']],
  [['a', 'b'], ['b'], ['a', 'b']],
  [
    ['a', 'b'],
    ['b', 'c'],
    ['a', 'b', 'c'],
  ],
  [['b'], ['a', 'b', 'c'], ['a', 'b', 'c']],
  [['a'], ['b'], ['a', 'b']],
])('stored prompts %j and noted ones %j are %j', (stored, noted, merged) => {
  expect(mergePrompts(stored, noted)).toEqual(merged)
})

test('the context of a turn names the session, the subject, the prompts and the summary', () => {
  expect(
    turnContext({ session: 's1', subject: 'Add a', prompts: ['Please add a', 'Now b'], summary: 'Done.' }),
  ).toBe(
    '# Session Context\n\n**Session ID:** s1\n\n**Commit Message:** Add a\n\n## Prompts\n\n### Prompt 1\n\nPlease add a\n\n### Prompt 2\n\nNow b\n\n## Summary\n\nDone.\n',
  )
  expect(turnContext({ session: 's1', subject: 'x', prompts: [] })).toBe(
    '# Session Context\n\n**Session ID:** s1\n\n**Commit Message:** x\n',
  )
})

test('the context of a checkpoint numbers its prompts', () => {
  expect(checkpointContext(['a', 'b'])).toBe(
    '# Session Context\n\n## User Prompts\n\n### Prompt 1\n\na\n\n### Prompt 2\n\nb\n\n',
  )
  expect(checkpointContext([])).toBe('')
})

test('a long prompt is cut after 500 bytes, never inside a character', () => {
  expect(checkpointContext(['x'.repeat(501)])).toContain(`\n${'x'.repeat(500)}...\n`)
  expect(checkpointContext(['x'.repeat(500)])).toContain(`\n${'x'.repeat(500)}\n`)
  expect(checkpointContext([`x${'é'.repeat(300)}`])).toContain(`\nx${'é'.repeat(249)}...\n`)
})

import { describe, expect, test } from 'bun:test'
import {
  displayPrompt,
  firstPromptText,
  incrementalSubject,
  stepSubject,
  taskSubject,
  todoText,
} from './step-subject.ts'

describe('a step is named after its prompt', () => {
  test.each([
    ['Please add a and b', 'Add a and b'],
    ['please can you fix the bug?', 'Fix the bug'],
    ["Could you please let's refactor", 'Refactor'],
    ['I want you to rename x', 'Rename x'],
    ["I'd like you to I need you to stop", 'Stop'],
    ['Would you do it ?', 'Do it'],
    ['why??', 'Why?'],
    ['pleased to meet you', 'Pleased to meet you'],
    ['  add\n\nEntire-Session: x\t', 'Add Entire-Session: x'],
    ['', 'Claude Code session updates'],
    ['Please ?', 'Claude Code session updates'],
    ['élan', 'Élan'],
    ['x'.repeat(80), `X${'x'.repeat(71)}`],
    ['😀'.repeat(80), '😀'.repeat(72)],
  ])('%j becomes %j', (prompt, subject) => {
    expect(stepSubject(prompt, 'Claude Code')).toBe(subject)
  })

  test('an agent without a type is called Agent', () => {
    expect(stepSubject('', '')).toBe('Agent session updates')
  })
})

describe('a task is named after the subagent', () => {
  const toolUse = 'toolu_0123456789'
  test.each([
    [
      { type: 'reviewer', description: 'Check the parser' },
      "Completed 'reviewer' agent: Check the parser (toolu_012345)",
    ],
    [{ type: 'reviewer' }, "Completed 'reviewer' agent (toolu_012345)"],
    [{ description: 'Check' }, 'Completed agent: Check (toolu_012345)'],
    [{ type: '', description: '' }, 'Task: toolu_012345'],
    [{}, 'Task: toolu_012345'],
    [{ description: 'd'.repeat(60) }, `Completed agent: ${'d'.repeat(60)} (toolu_012345)`],
    [{ description: 'd'.repeat(61) }, `Completed agent: ${'d'.repeat(57)}... (toolu_012345)`],
    [{ description: 'é'.repeat(40) }, `Completed agent: ${'é'.repeat(28)}... (toolu_012345)`],
  ])('%j', (task, subject) => {
    expect(taskSubject({ toolUse, ...task })).toBe(subject)
  })

  test('a step of a running task is named after the to-do just completed, or numbered', () => {
    expect(incrementalSubject({ toolUse, sequence: 3, todo: 'Write the lexer' })).toBe(
      'Write the lexer (toolu_012345)',
    )
    expect(incrementalSubject({ toolUse, sequence: 3, todo: 't'.repeat(70) })).toBe(
      `${'t'.repeat(57)}... (toolu_012345)`,
    )
    expect(incrementalSubject({ toolUse, sequence: 3 })).toBe('Checkpoint #3: toolu_012345')
  })
})

test.each([
  [
    [
      ['a', 'completed'],
      ['b', 'completed'],
      ['c', 'in_progress'],
    ],
    'b',
  ],
  [
    [
      ['a', 'in_progress'],
      ['b', 'pending'],
    ],
    'Planning: 2 todos',
  ],
  [[], undefined],
])('the to-do text of %j is %j', (items, text) => {
  expect(todoText({ todos: items.map(([content, status]) => ({ content, status })) })).toBe(text as string)
})

test('a tool input of another shape has no to-do text', () => {
  for (const input of [null, 'x', {}, { todos: 'x' }]) expect(todoText(input)).toBeUndefined()
})

test('prompts are shown on one line, cut to whole characters', () => {
  expect(firstPromptText(' a\n b ')).toBe('a b')
  expect(firstPromptText('x'.repeat(100))).toBe('x'.repeat(100))
  expect(firstPromptText('x'.repeat(101))).toBe(`${'x'.repeat(97)}...`)
  expect(displayPrompt('😀'.repeat(81))).toBe(`${'😀'.repeat(77)}...`)
})

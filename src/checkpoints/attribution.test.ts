import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Attribution } from '../model/checkpoint.ts'
import type { PromptAttribution } from '../model/session.ts'
import { type AttributionInput, attribute, countableText, measurePrompt } from './attribution.ts'

const lines = (count: number, name = 'agent') =>
  Array.from({ length: count }, (_, index) => `${name} ${index}\n`).join('')

/** The user added lines to files before prompt `number`. */
const edits = (number: number, perFile: Record<string, number>, userRemoved = 0): PromptAttribution => ({
  number,
  userAdded: Object.values(perFile).reduce((sum, added) => sum + added, 0),
  userRemoved,
  agentAdded: 0,
  agentRemoved: 0,
  userAddedPerFile: perFile,
})

const measure = (input: Partial<AttributionInput>): Partial<Attribution> => {
  const { calculatedAt: _, ...counts } = attribute({
    files: [],
    others: [],
    otherSessions: new Set(),
    prompts: [],
    calculatedAt: 'T',
    ...input,
  })!
  return counts
}

const file = (base: string, step: string, head: string, path = 'a') => ({ path, base, step, head })

/**
 * Counts in the order of the record: agent lines, agent removed, human added, modified, removed, total
 * committed, total changed.
 */
const cases: [string, Partial<AttributionInput>, number[]][] = [
  [
    'the agent writes ten lines, the user two more before committing',
    { files: [file('', lines(10), lines(10) + lines(2, 'user'))] },
    [10, 0, 2, 0, 0, 12, 12],
  ],
  ['no user edits', { files: [file('', lines(10), lines(10))] }, [10, 0, 0, 0, 0, 10, 10]],
  [
    'no agent work',
    { files: [file(lines(3), lines(3), lines(3) + lines(5, 'user'))] },
    [0, 0, 5, 0, 0, 5, 5],
  ],
  ['the user removes all the agent wrote', { files: [file('', lines(10), '')] }, [0, 0, 0, 0, 10, 10, 10]],
  [
    'the user rewrites lines of the agent',
    { files: [file('', lines(10), lines(7) + lines(3, 'user'))] },
    [7, 0, 0, 3, 0, 10, 10],
  ],
  [
    'the user rewrites some lines and adds more',
    { files: [file('', lines(10), lines(8) + lines(5, 'user'))] },
    [8, 0, 3, 2, 0, 13, 13],
  ],
  ['the agent only deletes', { files: [file(lines(5), '', '')] }, [0, 5, 0, 0, 0, 0, 5]],
  ['the user only deletes', { files: [file(lines(5), lines(5), lines(2))] }, [0, 0, 0, 0, 3, 0, 3]],
  [
    'the agent replaces old lines',
    { files: [file(lines(4, 'old'), lines(6), lines(6))] },
    [6, 4, 0, 0, 0, 6, 10],
  ],
  ['empty files', { files: [file('', '', '')] }, [0, 0, 0, 0, 0, 0, 0]],
  [
    'lines the user added between two prompts are not the agent’s',
    {
      files: [file('', lines(10) + lines(3, 'user'), lines(10) + lines(3, 'user'))],
      prompts: [edits(1, {}), edits(2, { a: 3 })],
    },
    [10, 0, 3, 0, 0, 13, 13],
  ],
  [
    'lines from before the first prompt count for neither the agent nor the user',
    {
      files: [file('', lines(4, 'user') + lines(10), lines(4, 'user') + lines(10))],
      prompts: [edits(1, { a: 4 })],
    },
    [10, 0, 0, 0, 0, 10, 10],
  ],
  [
    'lines from before the first prompt that the user removes again changed nothing',
    { files: [file('', lines(4, 'user') + lines(10), lines(10))], prompts: [edits(1, { a: 4 })] },
    [10, 0, 0, 0, 0, 10, 10],
  ],
  [
    'lines from before the first prompt in a file of their own are the user’s once committed',
    {
      files: [file('', lines(10), lines(10))],
      others: [{ path: 'b', parent: '', head: lines(4, 'user') }],
      prompts: [edits(1, { b: 4 })],
    },
    [10, 0, 4, 0, 0, 14, 14],
  ],
  [
    'users who rewrite their own lines take nothing from the agent',
    {
      files: [file('', lines(10) + lines(3, 'user'), lines(10) + lines(3, 'again'))],
      prompts: [edits(2, { a: 3 })],
    },
    [10, 0, 3, 3, 0, 13, 16],
  ],
  [
    'users who remove their own lines take nothing from the agent',
    { files: [file('', lines(10) + lines(3, 'user'), lines(10))], prompts: [edits(2, { a: 3 })] },
    [10, 0, 0, 3, 0, 10, 13],
  ],
  [
    'users who rewrite their own lines and some of the agent’s take only those',
    {
      files: [file('', lines(10) + lines(3, 'user'), lines(8) + lines(5, 'again'))],
      prompts: [edits(2, { a: 3 })],
    },
    [8, 0, 3, 5, 0, 13, 16],
  ],
  [
    'own lines are matched file by file',
    {
      files: [
        file('', lines(5) + lines(3, 'user'), lines(5) + lines(3, 'user')),
        file('', lines(5), lines(2), 'b'),
      ],
      prompts: [edits(2, { a: 3 })],
    },
    [7, 0, 0, 3, 0, 10, 10],
  ],
  [
    'a file the session did not touch is the user’s',
    {
      files: [file('', lines(10), lines(10))],
      others: [{ path: 'b', parent: lines(2, 'user'), head: lines(5, 'user') }],
    },
    [10, 0, 3, 0, 0, 13, 13],
  ],
  [
    'edits between prompts to such a file count once, and only when they are committed',
    {
      files: [file('', lines(10), lines(10))],
      others: [{ path: 'b', parent: '', head: lines(2, 'user') }],
      prompts: [edits(2, { b: 2, notCommitted: 50 })],
    },
    [10, 0, 2, 0, 0, 12, 12],
  ],
  [
    'a file of another session is not the user’s',
    {
      files: [file('', lines(10), lines(10))],
      others: [{ path: 'b', parent: '', head: lines(7) }],
      otherSessions: new Set(['b']),
    },
    [10, 0, 0, 0, 0, 10, 10],
  ],
  [
    'lines the user removed between prompts are not removed by the agent',
    { files: [file(lines(5, 'old'), lines(10), lines(10))], prompts: [edits(1, {}, 1), edits(2, {}, 2)] },
    [8, 2, 0, 0, 2, 8, 12],
  ],
]

describe('attribution', () => {
  test.each(cases)('%s', (_, input, counts) => {
    const [
      agentLines = 0,
      agentRemoved = 0,
      humanAdded,
      humanModified,
      humanRemoved,
      totalCommitted,
      totalLinesChanged = 0,
    ] = counts
    const agentPercentage =
      totalLinesChanged === 0 ? 0 : ((agentLines + agentRemoved) / totalLinesChanged) * 100
    expect(measure(input) as unknown).toEqual({
      agentLines,
      agentRemoved,
      humanAdded,
      humanModified,
      humanRemoved,
      totalCommitted,
      totalLinesChanged,
      agentPercentage,
    })
  })

  test('the share of ten lines in twelve is 83.3 percent', () => {
    expect(
      measure({ files: [file('', lines(10), lines(10) + lines(2, 'user'))] }).agentPercentage,
    ).toBeCloseTo(83.33, 2)
  })

  test('a session without files in the commit has no attribution', () => {
    expect(
      attribute({ files: [], others: [], otherSessions: new Set(), prompts: [], calculatedAt: 'T' }),
    ).toBeUndefined()
  })

  test('counts are never negative and the share stays within 0 and 100', () => {
    const text = fc
      .array(fc.constantFrom('a\n', 'b\n', 'c\n'), { maxLength: 8 })
      .map((parts) => parts.join(''))
    const touched = fc.record({ path: fc.constantFrom('a', 'b'), base: text, step: text, head: text })
    const other = fc.record({ path: fc.constantFrom('b', 'c'), parent: text, head: text })
    const prompt = fc
      .tuple(fc.nat(3), fc.record({ a: fc.nat(5), c: fc.nat(5) }), fc.nat(5))
      .map(([number, perFile, removed]) => edits(number, perFile, removed))
    fc.assert(
      fc.property(
        fc.array(touched, { minLength: 1, maxLength: 3 }),
        fc.array(other, { maxLength: 2 }),
        fc.array(prompt, { maxLength: 3 }),
        (files, others, prompts) => {
          const counts = Object.values(measure({ files, others, prompts })) as number[]
          for (const count of counts) expect(count).toBeGreaterThanOrEqual(0)
          expect(measure({ files, others, prompts }).agentPercentage).toBeLessThanOrEqual(100)
        },
      ),
    )
  })
})

describe('before a prompt', () => {
  test('changes since the last step are the user’s, changes in the step are the agent’s', () => {
    const files = [
      { path: 'a', base: lines(2), reference: lines(5), worktree: `${lines(5)}user\n` },
      { path: 'b', base: lines(3), reference: lines(1), worktree: '' },
    ]
    expect(measurePrompt(2, files, true)).toEqual({
      number: 2,
      userAdded: 1,
      userRemoved: 1,
      agentAdded: 3,
      agentRemoved: 2,
      userAddedPerFile: { a: 1 },
    })
  })

  test('without a step nothing is the agent’s', () => {
    const files = [{ path: 'a', base: '', reference: '', worktree: lines(4, 'user') }]
    expect(measurePrompt(1, files, false)).toEqual({
      number: 1,
      userAdded: 4,
      userRemoved: 0,
      agentAdded: 0,
      agentRemoved: 0,
      userAddedPerFile: { a: 4 },
    })
  })
})

test('binary and missing content has no lines', () => {
  expect(countableText(undefined)).toBe('')
  expect(countableText(Buffer.from('a\0b\n'))).toBe('')
  expect(countableText(Buffer.concat([Buffer.alloc(8000, 'x'), Buffer.of(0)]))).toHaveLength(8001)
  expect(countableText(Buffer.from('a\n'))).toBe('a\n')
  expect(countableText(Buffer.of(0xe9))).not.toBe(countableText(Buffer.of(0xe8)))
})

import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import fc from 'fast-check'
import type { Sign, SignReader } from '../../model/session-file.ts'
import { aiderWatcher } from './index.ts'
import { aiderSessionId } from './session-files.ts'

const fixtures = resolve(import.meta.dir, '../../../test/fixtures/agents/aider')
const path = '/home/dev/app/.aider.chat.history.md'
const reader = aiderWatcher.open(path, { root: '/home/dev/app', env: {} }) as SignReader
const linesOf = (name: string) => readFileSync(join(fixtures, name), 'utf8').replace(/\n$/, '').split('\n')
const bare = (signs: Sign[]) => signs.map(({ line: _line, ...sign }) => sign)

const started = (time: string) =>
  ({ type: 'session', session: aiderSessionId(path, time), order: time }) as const

const expected: Record<string, object[]> = {
  'commands.md': [
    started('2026-11-16 09:12:40'),
    { type: 'prompt', prompt: 'why does the parser accept an empty file?' },
    { type: 'answer' },
    { type: 'prompt', prompt: 'Refuse empty files:\n\n- throw an error\n- say which file it is' },
  ],
  'edits.md': [
    started('2026-11-16 10:00:01'),
    { type: 'prompt', prompt: 'greet in French' },
    { type: 'answer' },
    { type: 'work' },
    { type: 'commit', commit: '0a1b2c3' },
    { type: 'prompt', prompt: 'and say goodbye in a file of its own' },
    { type: 'answer' },
    { type: 'answer' },
    { type: 'work' },
    { type: 'commit', commit: '1b2c3d4' },
    started('2026-11-16 11:30:00'),
    { type: 'prompt', prompt: 'greet louder' },
    { type: 'answer' },
  ],
  'message.md': [
    started('2026-11-16 12:00:00'),
    { type: 'prompt', prompt: '# Task\n\n#### Scope\n\nMake it **quiet**.' },
    { type: 'answer' },
    { type: 'work' },
  ],
}

for (const [name, signs] of Object.entries(expected)) {
  test(`${name} shows where sessions and turns begin and end`, () => {
    expect(bare(reader(linesOf(name), undefined).signs) as object[]).toEqual(signs)
  })
}

test('a history read in pieces gives the same signs, and a prompt that was cut is still one prompt', () => {
  const lines = linesOf('edits.md')
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(lines.length)), (cuts) => {
      const edges = [0, ...cuts.toSorted((a, b) => a - b), lines.length]
      const signs: Sign[] = []
      let carry: ReturnType<SignReader>['carry']
      for (const [index, from] of edges.slice(0, -1).entries()) {
        const part = reader(lines.slice(from, edges[index + 1]), carry)
        signs.push(...part.signs)
        carry = part.carry
      }
      expect(bare(signs) as object[]).toEqual(expected['edits.md'] as object[])
    }),
    { seed: 16, numRuns: 100 },
  )
})

test('an answer without a prompt is a turn without a prompt', () => {
  const lines = [
    '# aider chat started at 2026-11-16 10:00:01',
    '',
    '> Aider v0.86.2  ',
    '',
    'Done.',
    '',
    '> Tokens: 1 sent, 1 received.  ',
  ]
  expect(bare(reader(lines, undefined).signs) as object[]).toEqual([
    started('2026-11-16 10:00:01'),
    { type: 'prompt' },
    { type: 'answer' },
  ])
})

test('lines before the first start of a session are a session of their own', () => {
  const { signs } = reader(['#### go on  ', '', 'Done.'], undefined)
  expect(bare(signs) as object[]).toEqual([
    { type: 'session', session: aiderSessionId(path, undefined), order: '' },
    { type: 'prompt', prompt: 'go on' },
  ])
})

test('a commit whose message has several lines is one commit', () => {
  const lines = [
    '#### go  ',
    '',
    '> Tokens: 1 sent, 1 received.  ',
    '> Commit 0a1b2c3 feat: one',
    '',
    '- and more  ',
  ]
  expect(reader(lines, undefined).signs.at(-1)).toEqual({ type: 'commit', line: 3, commit: '0a1b2c3' })
})

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  cuts,
  fixtureLines,
  readInPieces,
  type Total,
} from '../../../test/fixtures/agents/read-transcripts.ts'
import { piTranscript } from './transcript.ts'

const dir = 'home/.pi/agent/sessions/--home-dev-app--'
const file = `${dir}/2026-11-15T19-32-36-141Z_01a1e0b2-7cac-759b-b11e-c3ad235bf442.jsonl`
const tokens = (input: number, cacheRead: number, output: number, calls: number) => ({
  input,
  cacheCreation: 0,
  cacheRead,
  output,
  calls,
})
const model = 'mock-model'
const files = ['/home/dev/app/hello.txt']

// Answer n of a run: 800+99n read, 200+n of the cache, 20+n written. The first three runs continue the same
// session.
const expected: Record<string, Total> = {
  [`run1-create/${file}`]: {
    items: 7,
    prompts: ['create hello.txt'],
    files,
    tokens: tokens(1897, 403, 43, 2),
    subagents: [],
    model,
    summary: 'Created hello.txt with a greeting.',
    lastId: '2eba6e33',
  },
  [`run2-resume-edit/${file}`]: {
    items: 13,
    prompts: ['create hello.txt', 'edit hello.txt'],
    files,
    tokens: tokens(4891, 1009, 109, 5),
    subagents: [],
    model,
    summary: 'Changed the greeting in hello.txt.',
    lastId: '50a7a17f',
  },
  [`run3-commit-continue/${file}`]: {
    items: 17,
    prompts: ['create hello.txt', 'edit hello.txt', 'commit the work'],
    files,
    tokens: tokens(6788, 1412, 152, 7),
    subagents: [],
    model,
    summary: 'Committed the work.',
    lastId: 'a64f5898',
  },
  // The model's answers 2 and 3 were for the subagent.
  [`run4-subagent/${dir}/2026-11-16T03-44-46-575Z_01a1e275-15ec-7366-86fa-00bfd5aa4e16.jsonl`]: {
    items: 7,
    prompts: ['delegate this'],
    files: ['/home/dev/app/a.txt', '/home/dev/app/b.txt'],
    tokens: { ...tokens(2095, 405, 45, 2), subagents: tokens(2095, 405, 45, 2) },
    subagents: [],
    model,
    summary: 'The sub-agent finished.',
    lastId: '7275d8a0',
  },
  // Answer 3 is the summary of a compaction, which is not in the session.
  [`run5-compact/${dir}/2026-11-16T03-45-31-314Z_01a1e275-c4a9-716f-be3c-e321a802a5fb.jsonl`]: {
    items: 13,
    prompts: ['create hello.txt', 'create two files'],
    files: ['/home/dev/app/hello.txt', '/home/dev/app/a.txt', '/home/dev/app/b.txt'],
    tokens: tokens(4388, 812, 92, 4),
    subagents: [],
    model,
    summary: 'Created a.txt and b.txt.',
    lastId: '9ed3bcbc',
  },
}

describe.each(Object.entries(expected))('%s', (path, total) => {
  const lines = fixtureLines(`pi/${path}`)

  test('is a log of lines with the expected prompts, files and tokens', () => {
    expect(piTranscript.shape(lines.join('\n').slice(0, 4096))).toBe('lines')
    const { carry: _carry, ...reading } = piTranscript.readLines(lines, undefined)
    expect(reading).toEqual(total)
  })

  test('reads the same in any pieces', () => {
    fc.assert(
      fc.property(cuts(lines), (ends) => expect(readInPieces(piTranscript, lines, ends)).toEqual(total)),
      { numRuns: 30 },
    )
  })
})

test('a continued session gives only its new part', () => {
  const before = piTranscript.readLines(fixtureLines(`pi/run1-create/${file}`), undefined)
  const { carry: _carry, ...reading } = piTranscript.readLines(
    fixtureLines(`pi/run2-resume-edit/${file}`).slice(7),
    before.carry,
  )
  expect(reading).toEqual({
    items: 6,
    prompts: ['edit hello.txt'],
    files,
    tokens: tokens(2994, 606, 66, 3),
    subagents: [],
    model,
    summary: 'Changed the greeting in hello.txt.',
    lastId: '50a7a17f',
  })
})

test('the conversation can be read from where a checkpoint begins', () => {
  const transcript = fixtureLines(`pi/run3-commit-continue/${file}`).join('\n')
  expect(piTranscript.readEntries?.(transcript, 7)).toEqual([
    { role: 'user', text: 'edit hello.txt' },
    { role: 'assistant', text: 'Working on it.' },
    { role: 'tool', name: 'read', text: '/home/dev/app/hello.txt' },
    { role: 'tool', name: 'edit', text: '/home/dev/app/hello.txt' },
    { role: 'assistant', text: 'Changed the greeting in hello.txt.' },
    { role: 'user', text: 'commit the work' },
    { role: 'assistant', text: 'Working on it.' },
    { role: 'tool', name: 'bash', text: 'git add -A && git commit -m "Add hello.txt"' },
    { role: 'assistant', text: 'Committed the work.' },
  ])
})

test('the result of a call is found by its id, and the transcript cut after it', () => {
  const lines = fixtureLines(`pi/run3-commit-continue/${file}`)
  expect(piTranscript.toolResultId?.(lines, 'call_xmehu0h7cu')).toBe('1110996d')
  expect(piTranscript.toolResultId?.(lines, 'call_none')).toBeUndefined()
  expect(piTranscript.truncateAt?.(lines, '1110996d')).toEqual(lines.slice(0, 12))
  expect(piTranscript.truncateAt?.(lines, 'none')).toEqual(lines)
})

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  cuts,
  fixtureLines,
  readInPieces,
  type Total,
} from '../../../test/fixtures/agents/read-transcripts.ts'
import { noTokens } from '../../model/tokens.ts'
import { cursorTranscript } from './transcript.ts'

const transcripts = 'home/.cursor/projects/home-dev-app/agent-transcripts'
const ide = '3f1c7a52-6b0e-4d57-9a0c-5d1f0a6e2b11/3f1c7a52-6b0e-4d57-9a0c-5d1f0a6e2b11'
const nothing = { tokens: noTokens, subagents: [] }
const hello = ['/home/dev/app/hello.txt']

const expected: Record<string, Total> = {
  [`ide-create/${transcripts}/${ide}.jsonl`]: {
    ...nothing,
    items: 4,
    prompts: ['create hello.txt'],
    files: hello,
    summary: 'Created hello.txt with a greeting.',
  },
  [`ide-edit/${transcripts}/${ide}.jsonl`]: {
    ...nothing,
    items: 10,
    prompts: ['create hello.txt', 'edit hello.txt'],
    files: hello,
    summary: 'Changed the greeting in hello.txt.',
  },
  [`headless-create/${transcripts}/9a4e2c10-1d77-4f0b-8e63-0c2b7d5f4a99.jsonl`]: {
    ...nothing,
    items: 3,
    prompts: ['create hello.txt'],
    files: hello,
    summary: 'Created hello.txt with a greeting.',
  },
}

describe.each(Object.entries(expected))('%s', (path, total) => {
  const lines = fixtureLines(`cursor/${path}`)

  test('gives the expected prompts and files', () => {
    expect(cursorTranscript.shape(lines.join('\n').slice(0, 4096))).toBe('lines')
    expect(cursorTranscript.readLines(lines, undefined)).toEqual(total)
  })

  test('reads the same in any pieces', () => {
    fc.assert(
      fc.property(cuts(lines), (ends) => expect(readInPieces(cursorTranscript, lines, ends)).toEqual(total)),
      { numRuns: 30 },
    )
  })
})

test('the conversation has prompts, answers and tool calls', () => {
  const transcript = fixtureLines(`cursor/ide-edit/${transcripts}/${ide}.jsonl`).join('\n')
  expect(cursorTranscript.readEntries?.(transcript, 4)).toEqual([
    { role: 'user', text: 'edit hello.txt' },
    { role: 'assistant', text: 'I will change the first line.' },
    { role: 'tool', name: 'Read', text: '/home/dev/app/hello.txt' },
    { role: 'tool', name: 'StrReplace', text: '/home/dev/app/hello.txt' },
    { role: 'tool', name: 'Shell', text: 'List files' },
    { role: 'assistant', text: 'Changed the greeting in hello.txt.' },
  ])
  expect(() => cursorTranscript.readEntries?.('user:\nhello', 0)).toThrow('no line that is JSON')
})

test('any values in a line are read without an exception', () => {
  const messages = fc.record({
    role: fc.constantFrom('user', 'assistant'),
    message: fc.record({ content: fc.array(fc.jsonValue()) }),
  })
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.jsonValue(), messages)), (all) => {
      const lines = all.map((entry) => JSON.stringify(entry))
      expect(cursorTranscript.readLines(lines, undefined).items).toBe(lines.length)
    }),
  )
})

import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import {
  cuts,
  fixtureLines,
  readInPieces,
  type Total,
} from '../../../test/fixtures/agents/read-transcripts.ts'
import { droidTotals, droidTranscript } from './transcript.ts'

const sessions = 'home/.factory/sessions/-home-dev-app'
// The transcript has the number of calls; the file beside it has their tokens.
const called = (calls: number) => ({ input: 0, cacheCreation: 0, cacheRead: 0, output: 0, calls })
const used = (input: number, cacheRead: number, output: number) => ({
  input,
  cacheCreation: 0,
  cacheRead,
  output,
  calls: 0,
})
const hello = ['/home/dev/app/hello.txt']
const model = 'Mock-0'

const expected: Record<string, Total & { used: ReturnType<typeof used> }> = {
  [`run1-create/${sessions}/f5a5cb64-e9dc-455b-baed-0520bda13f0b`]: {
    items: 12,
    prompts: ['create hello.txt'],
    files: hello,
    tokens: called(2),
    subagents: [],
    model,
    summary: 'Created hello.txt with a greeting.',
    lastId: '27978547-f542-40b2-a339-3628419f162a',
    used: used(1897, 403, 43),
  },
  [`run2-resume-edit/${sessions}/f5a5cb64-e9dc-455b-baed-0520bda13f0b`]: {
    items: 26,
    prompts: ['create hello.txt', 'edit hello.txt'],
    files: hello,
    tokens: called(5),
    subagents: [],
    model,
    summary: 'Changed the greeting in hello.txt.',
    lastId: '55fc84c2-73aa-48bc-b666-9d6952f4c4c0',
    used: used(4891, 1009, 109),
  },
  [`run3-commit/${sessions}/19b38113-561b-4ac2-bc7f-08167e059ebc`]: {
    items: 16,
    prompts: ['commit in two steps'],
    files: [],
    tokens: called(3),
    subagents: [],
    model,
    summary: 'Committed the work.',
    lastId: '4872bc5a-79b2-4795-8103-7b3be45b2fc1',
    used: used(2994, 606, 66),
  },
  [`run7-todo/${sessions}/bd7bf77c-17d3-4705-bc28-8360c3243822`]: {
    items: 8,
    prompts: ['todo list please'],
    files: [],
    tokens: called(1),
    subagents: [],
    model,
    summary: 'Todo list written.',
    lastId: '2a8ec757-f31f-45f7-8328-2278c92c54c6',
    used: used(899, 201, 21),
  },
}

describe.each(Object.entries(expected))('%s', (path, { used, ...total }) => {
  const lines = fixtureLines(`factoryai-droid/${path}.jsonl`)

  test('gives the expected prompts and files', () => {
    expect(droidTranscript.shape(lines.join('\n').slice(0, 4096))).toBe('lines')
    const { carry: _carry, ...reading } = droidTranscript.readLines(lines, undefined)
    expect(reading).toEqual(total)
  })

  test('reads the same in any pieces', () => {
    fc.assert(
      fc.property(cuts(lines), (ends) => expect(readInPieces(droidTranscript, lines, ends)).toEqual(total)),
      { numRuns: 30 },
    )
  })

  test('tokens come from the settings of the session', () => {
    const file = join(import.meta.dir, '../../../test/fixtures/agents/factoryai-droid', `${path}.jsonl`)
    expect(droidTotals.parse(readFileSync(droidTotals.path(file), 'utf8'))).toEqual({ tokens: used, model })
  })
})

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  cuts,
  fixtureLines,
  readInPieces,
  type Total,
} from '../../../test/fixtures/agents/read-transcripts.ts'
import { geminiTranscript } from './transcript.ts'

const chats = 'home/.gemini/tmp/proj/chats'
const tokens = (input: number, cacheRead: number, output: number, calls: number) => ({
  input,
  cacheCreation: 0,
  cacheRead,
  output,
  calls,
})
const model = 'gemini-2.5-flash'
const hello = ['/home/dev/app/hello.txt']

// Call n of a run: input 1000+100n of which 200+n cached, output 20+n, thoughts 7.
const expected: Record<string, Total> = {
  [`run1-create/${chats}/session-2026-11-15T19-21-c6e3dc5e.jsonl`]: {
    items: 11,
    prompts: ['create hello.txt'],
    files: hello,
    tokens: tokens(1897, 403, 57, 2),
    subagents: [],
    model,
    summary: 'Created hello.txt with a greeting.',
    lastId: 'd7c0e107-4659-4009-b82a-7228963c79a4',
  },
  [`run2-resume-edit/${chats}/session-2026-11-15T19-21-c6e3dc5e.jsonl`]: {
    items: 27,
    prompts: ['create hello.txt', 'edit hello.txt'],
    files: hello,
    tokens: tokens(4891, 1009, 144, 5),
    subagents: [],
    model,
    summary: 'Changed the greeting in hello.txt.',
    lastId: 'a88b35a4-ecda-427e-ac0a-1968a4278dee',
  },
  [`run2-resume-edit/${chats}/session-2026-11-15T19-22-c6e3dc5e.jsonl`]: {
    items: 2,
    prompts: [],
    files: [],
    tokens: tokens(0, 0, 0, 0),
    subagents: [],
    lastId: 'd04923d38bb0f6017037e74183378ef4',
  },
  [`run3-commit/${chats}/session-2026-11-15T19-22-31bb86db.jsonl`]: {
    items: 11,
    prompts: ['commit the work'],
    files: [],
    tokens: tokens(1897, 403, 57, 2),
    subagents: [],
    model,
    summary: 'Committed the work.',
    lastId: 'fbc201ae-bce1-4b18-8d48-0dd4e62cad7a',
  },
  [`run9-commit-githooks/${chats}/session-2026-11-15T19-24-201c8775.jsonl`]: {
    items: 11,
    prompts: ['commit the work'],
    files: [],
    tokens: tokens(1897, 403, 57, 2),
    subagents: [],
    model,
    summary: 'Committed the work.',
    lastId: '0a56dacf-a3e5-4e78-b75b-100d0ecba728',
  },
  [`run10-subagent/${chats}/session-2026-11-15T19-46-89118801.jsonl`]: {
    items: 11,
    prompts: ['delegate it'],
    files: [],
    tokens: tokens(2095, 405, 59, 2),
    subagents: ['26d4eb6a-7253-427d-aa99-028a20ae5178'],
    model,
    summary: 'The sub-agent finished.',
    lastId: '7f7ddf71-4244-463d-a5ec-62df9d215178',
  },
  [`run10-subagent/${chats}/89118801-b5d5-4081-9f53-49cd1e72ce65/26d4eb6a-7253-427d-aa99-028a20ae5178.jsonl`]:
    {
      items: 9,
      prompts: [],
      files: [],
      tokens: tokens(2095, 405, 59, 2),
      subagents: [],
      model,
      summary: 'Nothing special.',
      lastId: 'f05aa0db-30eb-486e-ad91-2295b1b8d9f3',
    },
}

describe.each(Object.entries(expected))('%s', (path, total) => {
  const lines = fixtureLines(`gemini/${path}`)

  test('is a log of lines with the expected prompts, files and tokens', () => {
    expect(geminiTranscript.shape(lines.join('\n').slice(0, 4096))).toBe('lines')
    const { carry: _carry, ...reading } = geminiTranscript.readLines(lines, undefined)
    expect(reading).toEqual(total)
  })

  test('reads the same in any pieces', () => {
    fc.assert(
      fc.property(cuts(lines), (ends) => expect(readInPieces(geminiTranscript, lines, ends)).toEqual(total)),
      { numRuns: 30 },
    )
  })
})

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  cuts,
  fixtureLines,
  readInPieces,
  type Total,
} from '../../../test/fixtures/agents/read-transcripts.ts'
import { codexTranscript } from './transcript.ts'

const day = 'home/.codex/sessions/2026/11/15'
const session = 'rollout-2026-11-15T19-42-57-01a1e0bb-f7e9-71d1-9885-c8386c66670e.jsonl'
const tokens = (input: number, cacheRead: number, output: number, calls: number) => ({
  input,
  cacheCreation: 0,
  cacheRead,
  output,
  calls,
})
const hello = ['/home/dev/app/hello.txt']
const model = 'gpt-5.5'

// The input of a call includes the 300 that came from the cache.
const expected: Record<string, Total> = {
  [`A1-create/${day}/${session}`]: {
    items: 23,
    prompts: ['create hello.txt'],
    files: hello,
    tokens: tokens(1403, 600, 104, 2),
    subagents: [],
    model,
    summary: 'Created hello.txt.',
    lastId: 'msg_gHi9J4khPZtKt4v3J2fKs5hM',
  },
  [`A2-resume-edit/${day}/${session}`]: {
    items: 47,
    prompts: ['create hello.txt', 'edit hello.txt'],
    files: hello,
    tokens: tokens(3509, 1500, 259, 5),
    subagents: [],
    model,
    summary: 'Edited hello.txt.',
    lastId: 'msg_EoNghiMxSRxis2QaE1RK6ppO',
  },
  [`A3-resume-last-commit/${day}/${session}`]: {
    items: 64,
    prompts: ['create hello.txt', 'edit hello.txt', 'commit the changes'],
    files: hello,
    tokens: tokens(4912, 2100, 362, 7),
    subagents: [],
    model,
    summary: 'Committed.',
    lastId: 'msg_3Rvbzx4i1xhdNSsc6DP2vJEH',
  },
  // The running total is recorded twice for the first call, and the compaction is a call of its own without
  // an answer for the user.
  [`c12-autocompact/${day}/rollout-2026-11-15T19-37-23-01a1e0b6-defd-7b70-9b1d-0cc44e161e4a.jsonl`]: {
    items: 31,
    prompts: ['edit hello.txt'],
    files: [],
    tokens: tokens(2106, 900, 154, 3),
    subagents: [],
    model: 'gpt-5.5-codex',
    summary:
      'Mock reply to: Another language model started to solve this problem and produced a summary of i',
    lastId: 'msg_a8cluyXFVGiLVlhwZstxxKZO',
  },
  [`c4-subagent-gpt55/${day}/rollout-2026-11-15T19-24-09-01a1e0aa-c180-75d2-9568-6000a8e1bc6f.jsonl`]: {
    items: 32,
    prompts: ['spawn a subagent'],
    files: [],
    tokens: tokens(2812, 1200, 205, 4),
    subagents: ['01a1e0aa-c2b2-73c0-8c7e-a95a0806d6f7'],
    model,
    summary: 'The subagent wrote sub.txt.',
    lastId: 'msg_uNqHLGVzW6xbg2EWylfETxZX',
  },
  [`c4-subagent-gpt55/${day}/rollout-2026-11-15T19-24-09-01a1e0aa-c2b2-73c0-8c7e-a95a0806d6f7.jsonl`]: {
    items: 21,
    prompts: [],
    files: ['/home/dev/app/sub.txt'],
    tokens: tokens(1409, 600, 103, 2),
    subagents: [],
    model,
    summary: 'Subagent done: wrote sub.txt.',
    lastId: 'msg_nIxFpDZxQtcIxHpHUgMDDWQb',
  },
  // The model wrote a script that called the tool.
  [`c5-create-gpt6/${day}/rollout-2026-11-15T19-24-15-01a1e0aa-d9f2-7501-93d7-ecc3f7ad64db.jsonl`]: {
    items: 27,
    prompts: ['create six.txt'],
    files: ['/home/dev/app/six.txt'],
    tokens: tokens(1403, 600, 104, 2),
    subagents: [],
    model: 'gpt-6-sol',
    summary: 'Created six.txt.',
    lastId: 'msg_lzhHR5XDt6qAucjZnBxb93gx',
  },
}

describe.each(Object.entries(expected))('%s', (path, total) => {
  const lines = fixtureLines(`codex/${path}`)

  test('gives the expected prompts, files and tokens', () => {
    const { carry: _carry, ...reading } = codexTranscript.readLines(lines, undefined)
    expect(reading).toEqual(total)
  })

  test('reads the same in any pieces', () => {
    fc.assert(
      fc.property(cuts(lines), (ends) => expect(readInPieces(codexTranscript, lines, ends)).toEqual(total)),
      { numRuns: 30 },
    )
  })
})

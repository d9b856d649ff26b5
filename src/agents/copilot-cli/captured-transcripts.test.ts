import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  cuts,
  fixtureLines,
  readInPieces,
  type Total,
} from '../../../test/fixtures/agents/read-transcripts.ts'
import type { TokenUsage } from '../../model/tokens.ts'
import { copilotTranscript } from './transcript.ts'

const log = (scenario: string, session: string) =>
  `copilot-cli/${scenario}/home/.copilot/session-state/${session}/events.jsonl`
const tokens = (input: number, cacheRead: number, output: number, calls: number): TokenUsage => ({
  input,
  cacheCreation: 0,
  cacheRead,
  output,
  calls,
})
const app = (...names: string[]) => names.map((name) => `/home/dev/app/${name}`)
const common = { model: 'mock-model', subagents: [] }

// Call n of a process: input 1000+100n of which 200+n cached, output 20+n.
const expected: Record<string, Total> = {
  [log('run1-create', 'dfe59430-ad73-4e15-af15-a9a2b70ebb91')]: {
    ...common,
    items: 29,
    prompts: ['create hello.txt'],
    files: app('hello.txt'),
    tokens: tokens(1897, 403, 43, 2),
    summary: 'Created hello.txt with a greeting.',
    lastId: 'aaf4c3aa-d622-4ef4-ab8b-92126cbf47e2',
  },
  // Resumed by another process, which counts its calls from 1 again; the totals at its end are those of the
  // whole session.
  [log('run2-resume-edit', 'dfe59430-ad73-4e15-af15-a9a2b70ebb91')]: {
    ...common,
    items: 66,
    prompts: ['create hello.txt', 'edit hello.txt'],
    files: app('hello.txt'),
    tokens: tokens(4891, 1009, 109, 5),
    summary: 'Changed the greeting in hello.txt.',
    lastId: '74d7688e-e2bf-482d-9aa9-22f4db6c94dd',
  },
  [log('run3-commit-continue', 'dfe59430-ad73-4e15-af15-a9a2b70ebb91')]: {
    ...common,
    items: 93,
    prompts: ['create hello.txt', 'edit hello.txt', 'commit the work'],
    files: app('hello.txt'),
    tokens: tokens(6788, 1412, 152, 7),
    summary: 'Committed the work.',
    lastId: '26a7bb24-87b3-4016-9931-3b857e4a76f8',
  },
  [log('run9-pascal-create', '79048a6c-a2b0-4937-b0f1-dbc75487d1f6')]: {
    ...common,
    items: 23,
    prompts: ['create hello.txt'],
    files: app('hello.txt'),
    tokens: tokens(1897, 403, 43, 2),
    summary: 'Created hello.txt with a greeting.',
    lastId: 'a4483476-e08f-4bac-b27d-cf692da0e8ee',
  },
  // 1311 and 1412 of input include 10 that were written to the cache, each.
  [log('anthropic', '795f0b2f-031c-4bf8-b042-83b15fe87e1a')]: {
    ...common,
    items: 29,
    prompts: ['create hello.txt'],
    files: app('hello.txt'),
    tokens: { ...tokens(2300, 403, 43, 2), cacheCreation: 20 },
    summary: 'Created hello.txt with a greeting.',
    lastId: '2998d193-57fd-4c1c-b563-e7897dac554e',
  },
  // The subagent's words, prompt and files stand between those of the session.
  [log('subagent', '4bbac332-8302-4a9c-870e-9453f98709ad')]: {
    ...common,
    items: 63,
    prompts: ['write via helper'],
    files: app('a.txt', 'b.txt'),
    tokens: { ...tokens(2095, 405, 45, 2), subagents: tokens(2095, 405, 45, 2) },
    summary: 'The helper wrote them.',
    lastId: '1a8e92a0-1a0a-477b-9053-9b272517ff09',
  },
  [log('subagent-background', 'e7da70ab-1e20-4df5-a6b7-33c135e86f4b')]: {
    ...common,
    items: 79,
    prompts: ['helper in background'],
    files: app('b.txt', 'a.txt'),
    tokens: { ...tokens(3192, 608, 68, 3), subagents: tokens(2293, 407, 47, 2) },
    summary: 'Started the helper.',
    lastId: '8ad5535d-0ee6-4a71-976b-7caf9e8858c8',
  },
  // The second message of the user is the reason a hook gave.
  [log('stop-blocked', '6cd05bf4-1855-4f23-8403-1dfc88615a76')]: {
    ...common,
    items: 38,
    prompts: ['create hello.txt'],
    files: app('hello.txt'),
    tokens: tokens(2994, 606, 66, 3),
    summary: 'Nothing special.',
    lastId: '93f2c548-476a-451a-a4e8-1793a5cbfd40',
  },
  [log('interrupted', 'd48964a3-08fe-47bc-9a75-409eafff9065')]: {
    ...common,
    items: 52,
    prompts: ['say nothing special', 'take your time', 'say nothing special again'],
    files: app('slow.txt'),
    tokens: tokens(4190, 810, 90, 4),
    summary: 'Nothing special.',
    lastId: '79dd5d65-5612-4319-9422-9a2527eceb93',
  },
  [log('tool-failed', 'd7ef5fab-fd2a-4b31-a4dc-403f4f3229dd')]: {
    ...common,
    items: 27,
    prompts: ['write badly'],
    files: [],
    tokens: tokens(1897, 403, 43, 2),
    summary: 'Could not.',
    lastId: '9776f149-3204-4870-a7a3-ae905376fdb8',
  },
  // Seven calls, and one that summed up the conversation.
  [log('compact-fork', '35203ed2-f7ed-488a-bec7-6964b7ce4f0d')]: {
    ...common,
    items: 97,
    prompts: ['create hello.txt', 'edit hello.txt', 'take your time'],
    files: app('hello.txt', 'slow.txt'),
    tokens: tokens(9964, 1636, 196, 8),
    summary: 'Working on it.',
    lastId: 'c601a931-1890-4476-a976-8e5f2820664a',
  },
  // Made from the one above: it begins with all its lines, and spent no more than its own call.
  [log('compact-fork', 'b172b09e-9ccb-4000-8c79-6d34c3ae6cda')]: {
    ...common,
    items: 111,
    prompts: ['create hello.txt', 'edit hello.txt', 'take your time', 'say nothing special'],
    files: app('hello.txt', 'slow.txt'),
    tokens: tokens(1691, 209, 29, 1),
    summary: 'Nothing special.',
    lastId: '566fa24a-20e3-4fc6-9a86-cb916818f2c2',
  },
}

describe.each(Object.entries(expected))('%s', (path, total) => {
  const lines = fixtureLines(path)

  test('gives the expected prompts, files and tokens', () => {
    expect(copilotTranscript.shape(lines.join('\n').slice(0, 256))).toBe('lines')
    const { carry: _carry, ...reading } = copilotTranscript.readLines(lines, undefined)
    expect(reading).toEqual(total)
  })

  test('reads the same in any pieces', () => {
    fc.assert(
      fc.property(cuts(lines), (ends) => expect(readInPieces(copilotTranscript, lines, ends)).toEqual(total)),
      { numRuns: 30 },
    )
  })

  test('unknown events and fields change nothing', () => {
    const later = lines.map((line) => JSON.stringify({ ...JSON.parse(line), shard: { of: 3 } }))
    const strange = [
      '{"type":"session.dream","data":{"content":"x","usage":{"inputTokens":9}},"id":1}',
      '{"type":"user.message"}',
      '[]',
      '',
    ]
    const {
      items,
      carry: _carry,
      ...reading
    } = copilotTranscript.readLines([...strange, ...later, ...strange], undefined)
    expect({ ...reading, items: items - 8 }).toEqual(total)
  })
})

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  cuts,
  fixtureLines,
  readInPieces,
  type Total,
} from '../../../test/fixtures/agents/read-transcripts.ts'
import { claudeTranscript } from './transcript.ts'

const project = 'home/.claude/projects/-home-dev-app'
const tokens = (input: number, cacheCreation: number, cacheRead: number, output: number, calls: number) => ({
  input,
  cacheCreation,
  cacheRead,
  output,
  calls,
})
const hello = ['/home/dev/app/hello.txt']
const sub = ['/home/dev/app/sub.txt']
const model = 'claude-opus-5-5'

const expected: Record<string, Total> = {
  [`A1-create/${project}/aaaaaaaa-0001-4000-8000-000000000001.jsonl`]: {
    items: 33,
    prompts: ['create hello.txt'],
    files: hello,
    tokens: tokens(203, 40, 600, 103, 2),
    subagents: [],
    model,
    summary: 'Created hello.txt.',
    lastId: 'f3297768-96cd-4224-93e3-8ca454c36be6',
  },
  [`A2-resume-edit/${project}/aaaaaaaa-0001-4000-8000-000000000001.jsonl`]: {
    items: 53,
    prompts: ['create hello.txt', 'edit hello.txt'],
    files: hello,
    tokens: tokens(509, 100, 1500, 223, 5),
    subagents: [],
    model,
    summary: 'Edited hello.txt.',
    lastId: 'a3d17c7d-774e-4632-8daf-64727ac88d58',
  },
  [`A3-continue-commit/${project}/aaaaaaaa-0001-4000-8000-000000000001.jsonl`]: {
    items: 66,
    prompts: ['create hello.txt', 'edit hello.txt', 'commit the changes'],
    files: hello,
    tokens: tokens(712, 140, 2100, 291, 7),
    subagents: [],
    model,
    summary: 'Committed.',
    lastId: '016ed195-b698-4186-b234-1ff1cfcfaacc',
  },
  // Compaction adds a summary, a command and its output, and none of them was typed as a prompt.
  [`A4-compact/${project}/aaaaaaaa-0001-4000-8000-000000000001.jsonl`]: {
    items: 83,
    prompts: ['create hello.txt', 'edit hello.txt', 'commit the changes'],
    files: hello,
    tokens: tokens(712, 140, 2100, 291, 7),
    subagents: [],
    model,
    summary: 'Committed.',
    lastId: '09d944a7-af62-463a-affa-2cecba16fa31',
  },
  [`s17-commit-githookenv/${project}/7a1f5a4b-2a4b-493d-addb-8449cd93294d.jsonl`]: {
    items: 32,
    prompts: ['commit everything'],
    files: [],
    tokens: tokens(203, 40, 600, 68, 2),
    subagents: [],
    model,
    summary: 'Committed.',
    lastId: '4ff70188-4374-4f21-b314-f3c3fc153446',
  },
  [`s23-todo-tools0/${project}/96da8732-c6a3-40e9-85de-dc0a976802cc.jsonl`]: {
    items: 33,
    prompts: ['make a todo list'],
    files: [],
    tokens: tokens(306, 60, 900, 153, 3),
    subagents: [],
    model,
    summary: 'Plan recorded.',
    lastId: 'c732728e-092c-4552-b5be-41e27ace0d99',
  },
  [`s4-subagent/${project}/f7e03d23-f3b9-4298-adcd-de4c2fe456a6.jsonl`]: {
    items: 41,
    prompts: ['spawn a subagent'],
    files: [],
    tokens: tokens(309, 60, 900, 94, 3),
    subagents: ['a0dbc9b03db2772af'],
    model,
    summary: 'The subagent wrote sub.txt.',
    lastId: 'ab43ce38-9b21-4f88-a8d9-212437e921c6',
  },
  [`s4-subagent/${project}/f7e03d23-f3b9-4298-adcd-de4c2fe456a6/subagents/agent-a0dbc9b03db2772af.jsonl`]: {
    items: 22,
    prompts: [],
    files: sub,
    tokens: tokens(206, 40, 600, 73, 2),
    subagents: [],
    model,
    summary: 'Subagent done: wrote sub.txt.',
    lastId: '5246182f-15d8-4b6b-9788-4bc0f2bedf62',
  },
  [`s4b-subagent-fg/${project}/880c319a-38f8-4cf8-9e97-1cd5be3e4127.jsonl`]: {
    items: 33,
    prompts: ['spawn a subagent'],
    files: [],
    tokens: tokens(205, 40, 600, 84, 2),
    subagents: ['aa0288694bcbf428d'],
    model,
    summary: 'The subagent wrote sub.txt.',
    lastId: 'b1cd1faa-9504-4b59-b194-9815be86c1cc',
  },
  [`s4b-subagent-fg/${project}/880c319a-38f8-4cf8-9e97-1cd5be3e4127/subagents/agent-aa0288694bcbf428d.jsonl`]:
    {
      items: 22,
      prompts: [],
      files: sub,
      tokens: tokens(205, 40, 600, 73, 2),
      subagents: [],
      model,
      summary: 'Subagent done: wrote sub.txt.',
      lastId: '10e2efeb-5e68-4575-b58b-c7d9b72882e8',
    },
  [`s8-bashfail/${project}/56b00090-beb3-4904-94c0-99cfc2c4f867.jsonl`]: {
    items: 32,
    prompts: ['run a failing command'],
    files: [],
    tokens: tokens(203, 40, 600, 64, 2),
    subagents: [],
    model,
    summary: 'It failed with exit 3.',
    lastId: '8d981eb6-8239-4db1-a36d-aff9a4e27427',
  },
}

describe.each(Object.entries(expected))('%s', (path, total) => {
  const lines = fixtureLines(`claude-code/${path}`)

  test('gives the expected prompts, files and tokens', () => {
    const { carry: _carry, asked = [], ...reading } = claudeTranscript.readLines(lines, undefined)
    expect(reading).toEqual(total)
    // Nothing was abandoned: each prompt follows an entry of its own.
    expect(asked.map(({ prompt }) => prompt)).toEqual(total.prompts)
    expect(new Set(asked.map(({ follows }) => follows)).size).toBe(asked.length)
  })

  test('reads the same in any pieces', () => {
    fc.assert(
      fc.property(cuts(lines), (ends) => expect(readInPieces(claudeTranscript, lines, ends)).toEqual(total)),
      { numRuns: 30 },
    )
  })
})

import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TranscriptReading } from '../../model/agent.ts'
import { opencodeTranscript } from './transcript.ts'

const fixtures = join(import.meta.dir, '../../../test/fixtures/agents/opencode')
const exported = (scenario: string) => readFileSync(join(fixtures, scenario, 'export.json'), 'utf8')
const read = (document: string, from: number, metadata = {}) =>
  opencodeTranscript.readDocument?.(document, from, metadata)
const tokens = (input: number, cacheRead: number, output: number, calls: number) => ({
  input,
  cacheCreation: 0,
  cacheRead,
  output,
  calls,
})

const hello = ['/home/dev/app/hello.txt']
const model = 'mock-model'

// Input excludes cached tokens, and output excludes reasoning.
const expected: [string, number, TranscriptReading][] = [
  [
    'run1-create',
    0,
    {
      items: 3,
      prompts: ['create hello.txt'],
      files: hello,
      tokens: tokens(998 + 1097, 202 + 203, 15 + 7 + 23, 2),
      subagents: [],
      model,
      summary: 'Created hello.txt with a greeting.',
      lastId: 'msg_1e0ae9f7b001KZB9XIssY91bwl',
      carry: { last: 'msg_1e0ae9f7b001KZB9XIssY91bwl' },
    },
  ],
  [
    'run2-resume-edit',
    0,
    {
      items: 7,
      prompts: ['create hello.txt', 'edit hello.txt'],
      files: hello,
      tokens: tokens(2095 + 2994, 405 + 606, 45 + 66, 5),
      subagents: [],
      model,
      summary: 'Changed the greeting in hello.txt.',
      lastId: 'msg_1e0af22a8001bKB3tSW0M3Xh6q',
      carry: { last: 'msg_1e0af22a8001bKB3tSW0M3Xh6q' },
    },
  ],
  [
    'run2-resume-edit',
    3,
    {
      items: 4,
      prompts: ['edit hello.txt'],
      files: hello,
      tokens: tokens(899 + 998 + 1097, 201 + 202 + 203, 14 + 7 + 22 + 23, 3),
      subagents: [],
      model,
      summary: 'Changed the greeting in hello.txt.',
      lastId: 'msg_1e0af22a8001bKB3tSW0M3Xh6q',
      carry: { last: 'msg_1e0af22a8001bKB3tSW0M3Xh6q' },
    },
  ],
  [
    'run6-subagent',
    0,
    {
      items: 3,
      prompts: ['delegate it'],
      files: [],
      tokens: tokens(998 + 1196, 202 + 204, 22 + 24, 2),
      subagents: [],
      model,
      summary: 'The sub-agent finished.',
      lastId: 'msg_1e0affe0f001nmOpXAbqVytoyX',
      carry: { last: 'msg_1e0affe0f001nmOpXAbqVytoyX' },
    },
  ],
]

describe.each(expected)('%s from message %i on', (scenario, from, reading) => {
  test('gives prompts, files, tokens and the last answer', () => {
    expect(read(exported(scenario), from)).toEqual(reading)
  })

  test('reads the same with unknown fields and parts', () => {
    const document = JSON.parse(exported(scenario), (_key, value) =>
      value !== null && typeof value === 'object' && !Array.isArray(value)
        ? { ...value, future: { deep: [1] } }
        : value,
    )
    for (const message of document.messages)
      message.parts.push({ type: 'hologram', text: 'not a text part' }, null, 7)
    expect(read(JSON.stringify(document), from)).toEqual(reading)
  })
})

test('the usage of a subagent is reported separately', () => {
  const metadata = { 'task-call_6gsvhkhntf': '[1097,0,203,23,1]' }
  expect(read(exported('run6-subagent'), 0, metadata)?.tokens).toEqual({
    ...tokens(2194, 406, 46, 2),
    subagents: tokens(1097, 203, 23, 1),
  })
  expect(read(exported('run6-subagent'), 3, metadata)?.tokens).toEqual(tokens(0, 0, 0, 0))
})

test('the conversation has prompts, answers and tool calls in order', () => {
  expect(opencodeTranscript.readEntries?.(exported('run2-resume-edit'), 3)).toEqual([
    { role: 'user', text: 'edit hello.txt' },
    { role: 'assistant', text: 'Working on it.' },
    { role: 'tool', name: 'read', text: '/home/dev/app/hello.txt' },
    { role: 'tool', name: 'edit', text: '/home/dev/app/hello.txt' },
    { role: 'assistant', text: 'Changed the greeting in hello.txt.' },
  ])
  expect(opencodeTranscript.readEntries?.(exported('run6-subagent'), 0)).toContainEqual({
    role: 'tool',
    name: 'task',
    text: 'Say nothing',
  })
})

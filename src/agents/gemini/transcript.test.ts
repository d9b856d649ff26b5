import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { fixtureLines, readInPieces } from '../../../test/fixtures/agents/read-transcripts.ts'
import { geminiTranscript } from './transcript.ts'

const chats = 'home/.gemini/tmp/proj/chats'
const tokens = (input: number, cacheRead: number, output: number, calls: number) => ({
  input,
  cacheCreation: 0,
  cacheRead,
  output,
  calls,
})
const hello = ['/home/dev/app/hello.txt']
const line = (record: object) => JSON.stringify(record)
const at = (second: number) => new Date(second * 1000).toISOString()
const message = (id: string, second: number, rest: object) => ({ id, timestamp: at(second), ...rest })
const prompt = (id: string, second: number, content: unknown) =>
  message(id, second, { type: 'user', content })
const answer = (id: string, second: number, rest: object = {}) =>
  message(id, second, {
    type: 'gemini',
    content: `said ${id}`,
    tokens: { input: 10, output: 1, cached: 4 },
    ...rest,
  })
const call = (name: string, args: object, rest: object = {}) => ({ name, args, status: 'success', ...rest })
const read = (...records: object[]) => geminiTranscript.readLines(records.map(line), undefined)

test('messages that a resume repeats count only where they first appeared', () => {
  const lines = fixtureLines(`gemini/run2-resume-edit/${chats}/session-2026-11-15T19-21-c6e3dc5e.jsonl`)
  const first = geminiTranscript.readLines(lines.slice(0, 11), undefined)
  const listed = geminiTranscript.readLines(lines.slice(11, 13), first.carry)
  expect(listed).toMatchObject({ prompts: [], files: [], tokens: tokens(0, 0, 0, 0) })
  const second = geminiTranscript.readLines(lines.slice(13), listed.carry)
  expect(second).toMatchObject({
    prompts: ['edit hello.txt'],
    files: hello,
    tokens: tokens(2994, 606, 87, 3),
  })
})

test('a long conversation repeated in a later stretch is not counted again, and the carry stays small', () => {
  const messages = Array.from({ length: 400 }, (_, n) =>
    n % 2 ? answer(`m${n}`, n) : prompt(`m${n}`, n, `p${n}`),
  )
  const first = read(...messages)
  expect(first.tokens).toEqual(tokens(1200, 800, 200, 200))
  const again = geminiTranscript.readLines(
    [line({ $set: { messages } }), line(answer('new', 500))],
    first.carry,
  )
  expect(again).toMatchObject({ prompts: [], tokens: tokens(6, 4, 1, 1) })
  expect(JSON.stringify(again.carry).length).toBeLessThan(4096)
})

test('the last version of a message counts', () => {
  const reading = read(
    answer('a', 1),
    answer('a', 1, { toolCalls: [call('write_file', { file_path: '/a' })] }),
    answer('a', 1, { tokens: { input: 10, output: 5, cached: 4 } }),
  )
  expect(reading).toMatchObject({ files: ['/a'], tokens: tokens(6, 4, 5, 1) })
})

test('a header in the middle, as a resume in the same minute writes it, changes nothing', () => {
  const header = { sessionId: 's', projectHash: 'h', startTime: at(1), lastUpdated: at(1), kind: 'main' }
  const [first, second] = [
    [prompt('a', 1, 'one'), answer('b', 2)] as const,
    [prompt('c', 3, 'two'), answer('d', 4)] as const,
  ]
  const { items, ...whole } = read(header, ...first, ...second)
  expect(read(header, ...first, header, { $set: { lastUpdated: at(3) } }, ...second)).toEqual({
    ...whole,
    items: items + 2,
  })
})

test('a rewind removes neither tokens nor prompts', () => {
  const reading = read(
    prompt('a', 1, 'one'),
    answer('b', 2),
    { $rewindTo: 'a' },
    prompt('c', 3, 'two'),
    answer('d', 4),
  )
  expect(reading).toMatchObject({ prompts: ['one', 'two'], tokens: tokens(12, 8, 2, 2), summary: 'said d' })
})

test.each([
  ['a text', 'fix it', ['fix it']],
  ['parts', [{ text: 'fix' }, { inlineData: {} }, { text: 'it' }], ['fix\nit']],
  ['the session context', [{ text: '<session_context>\nThis is the Gemini CLI.\n</session_context>' }], []],
  ['a summary of what was compressed', [{ text: '<state_snapshot>…</state_snapshot>' }], []],
  [
    'with context of a hook',
    [{ text: 'fix it' }, { text: '<hook_context>quick</hook_context>' }],
    ['fix it'],
  ],
  ['a tool result', [{ functionResponse: { name: 'x' } }, { text: 'seen' }], []],
])('prompts: %s', (_name, content, prompts) => {
  expect(read(prompt('a', 1, content)).prompts).toEqual(prompts)
})

test('a prompt with files in it is the typed text', () => {
  expect(
    read({
      ...prompt('a', 1, [{ text: 'explain @a.ts' }, { text: 'content of a.ts' }]),
      displayContent: [{ text: 'explain @a.ts' }],
    }).prompts,
  ).toEqual(['explain @a.ts'])
})

test('files come from the tools that write and succeeded', () => {
  const toolCalls = [
    call('write_file', { file_path: '/b' }),
    call('edit_file', { path: '/a' }),
    call('save_file', { filename: '/c' }),
    call('replace', { file_path: '/b' }),
    { name: 'replace', args: { file_path: '/unknown-status' } },
    call('replace', { file_path: '/failed' }, { status: 'error' }),
    call('write_file', { file_path: '/refused' }, { status: 'cancelled' }),
    call('write_file', { file_path: '/later' }, { status: 'executing' }),
    call('read_file', { file_path: '/r' }),
    call('write_file', { file_path: 7 }),
  ]
  expect(read(answer('a', 1, { toolCalls })).files).toEqual(['/b', '/a', '/c', '/unknown-status'])
})

test('the log is cut after the last line of a message', () => {
  const lines = fixtureLines(`gemini/run1-create/${chats}/session-2026-11-15T19-21-c6e3dc5e.jsonl`)
  expect(geminiTranscript.truncateAt?.(lines, 'd2805cce-e737-4ecf-b959-e69fd40f52a0')).toEqual(
    lines.slice(0, 7),
  )
  expect(geminiTranscript.truncateAt?.(lines, 'other')).toEqual(lines)
})

test('garbage between the lines changes only their number', () => {
  const lines = fixtureLines(`gemini/run2-resume-edit/${chats}/session-2026-11-15T19-21-c6e3dc5e.jsonl`)
  const garbage = [
    '',
    '{',
    'null',
    '7',
    '[]',
    '{"$set":7}',
    '{"$set":{"messages":7}}',
    '{"$set":{"messages":[null,7,[]]}}',
    '{"$future":{}}',
    lines[4]?.slice(0, 50) ?? '',
  ]
  const { carry: _carry, ...whole } = geminiTranscript.readLines(lines, undefined)
  const { carry: _other, ...mixed } = geminiTranscript.readLines(
    lines.flatMap((item, n) => [garbage[n % garbage.length] ?? '', item]),
    undefined,
  )
  expect(mixed).toEqual({ ...whole, items: lines.length * 2 })
})

test('a line of many megabytes is read like any other', () => {
  const big = 'x'.repeat(12 * 1024 * 1024)
  expect(
    read(answer('a', 1, { toolCalls: [call('write_file', { file_path: '/big', content: big })] })).files,
  ).toEqual(['/big'])
})

test('any log reads the same in any pieces, whatever its values are', () => {
  const id = fc.constantFrom('a', 'b', 'c', 'd', 'e')
  const odd = fc.jsonValue({ maxDepth: 2 })
  const toolCall = fc.record({
    name: fc.constantFrom('write_file', 'x'),
    args: fc.record({ file_path: fc.constantFrom('/a', '/b') }),
    status: fc.constantFrom('success', 'executing', 'error'),
    agentId: fc.constantFrom('s1', 's2', 7),
  })
  const tokenCounts = fc.record({ input: fc.nat(50), output: fc.nat(50), cached: fc.nat(50) })
  const anyMessage = fc.record(
    {
      id,
      type: fc.constantFrom('user', 'gemini', 'info'),
      timestamp: fc.nat(9).map(at),
      content: fc.oneof(fc.constant('hi'), odd),
      tokens: fc.oneof(tokenCounts, odd),
      toolCalls: fc.oneof(fc.array(toolCall, { maxLength: 2 }), odd),
    },
    { requiredKeys: [] },
  )
  const record = fc.oneof(
    anyMessage,
    fc.record({ $set: fc.record({ messages: fc.oneof(fc.array(anyMessage, { maxLength: 4 }), odd) }) }),
    fc.record({ $rewindTo: id }),
    odd,
  )
  fc.assert(
    fc.property(
      fc.array(record, { maxLength: 20 }),
      fc.array(fc.nat(20), { maxLength: 4 }),
      (records, ends) => {
        const lines = records.map((item) => JSON.stringify(item))
        const cutAt = ends.map((end) => Math.min(end, lines.length))
        const whole = readInPieces(geminiTranscript, lines, [])
        const pieces = readInPieces(geminiTranscript, lines, cutAt)
        expect({ ...pieces, subagents: [...new Set(pieces.subagents)] }).toEqual(whole)
      },
    ),
    { numRuns: 300 },
  )
})

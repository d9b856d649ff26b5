import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { fixtureLines } from '../../../test/fixtures/agents/read-transcripts.ts'
import { given } from '../../std/given.ts'
import { claudeTranscript } from './transcript.ts'

const project = 'home/.claude/projects/-home-dev-app'
const tokens = (input: number, output: number, calls: number) => ({
  input,
  cacheCreation: 0,
  cacheRead: 0,
  output,
  calls,
})
const line = (entry: object) => JSON.stringify(entry)
const user = (content: unknown, rest: object = {}) =>
  line({ type: 'user', message: { role: 'user', content }, ...rest })
const assistant = (message: object, rest: object = {}) => line({ type: 'assistant', message, ...rest })
const used = (input_tokens: unknown, output_tokens: unknown) => ({ usage: { input_tokens, output_tokens } })
const read = (...lines: string[]) => claudeTranscript.readLines(lines, undefined)
const toolUse = (name: string, input: object) => assistant({ content: [{ type: 'tool_use', name, input }] })

test.each([
  ['a text', user('fix it'), ['fix it']],
  [
    'several texts',
    user([{ type: 'text', text: 'fix' }, { type: 'image' }, { type: 'text', text: 'it' }]),
    ['fix\n\nit'],
  ],
  ['a text of an older version', line({ type: 'human', message: { content: 'fix it' } }), ['fix it']],
  [
    'typed during a turn',
    line({
      type: 'attachment',
      attachment: { type: 'queued_command', prompt: 'and that', commandMode: 'prompt' },
    }),
    ['and that'],
  ],
  [
    'typed with a picture during a turn',
    line({
      type: 'attachment',
      attachment: { type: 'queued_command', prompt: [{ type: 'text', text: 'see' }] },
    }),
    ['see'],
  ],
  ['a tool result', user([{ type: 'tool_result', tool_use_id: 't', content: 'out' }]), []],
  ['meta', user('Stop hook feedback:', { isMeta: true }), []],
  ['a compaction summary', user('This session is being continued', { isCompactSummary: true }), []],
  ['a subagent\u2019s task', user('do it', { isSidechain: true }), []],
  ['a task notification', user('<task-notification>\n<task-id>a1</task-id>\n</task-notification>'), []],
  [
    'a queued notification',
    line({
      type: 'attachment',
      attachment: {
        type: 'queued_command',
        prompt: '<task-notification><task-id>a1</task-id></task-notification>',
      },
    }),
    [],
  ],
  ['a command', user('<command-name>/x</command-name><command-args>y</command-args>'), []],
  ['output of a command', user('<local-command-stdout>done</local-command-stdout>'), []],
  ['an interruption', user([{ type: 'text', text: '[Request interrupted by user]' }]), []],
  ['a queue operation', line({ type: 'queue-operation', operation: 'enqueue', content: 'fix it' }), []],
])('prompts: %s', (_name, entry, prompts) => {
  expect(read(entry).prompts).toEqual(prompts)
})

test('files come from the tools that write, each once, in the order they were first named', () => {
  const reading = read(
    toolUse('Write', { file_path: '/b' }),
    toolUse('Edit', { file_path: '/a' }),
    toolUse('MultiEdit', { file_path: '/c' }),
    toolUse('NotebookEdit', { notebook_path: '/n.ipynb' }),
    toolUse('mcp__acp__Write', { file_path: '/w' }),
    toolUse('mcp__acp__Edit', { file_path: '/b' }),
    toolUse('Read', { file_path: '/r' }),
    toolUse('Bash', { command: 'touch /t' }),
    toolUse('Write', { file_path: 7 }),
  )
  expect(reading.files).toEqual(['/b', '/a', '/c', '/n.ipynb', '/w'])
})

test('tokens count once for each message, with the largest counts; messages without an id or usage do not count', () => {
  const reading = read(
    assistant({ id: 'm1', ...used(10, 1) }),
    assistant({ id: 'm1', ...used(10, 20) }),
    assistant({ id: 'm1', ...used(10, 10) }),
    assistant({ id: 'm2', ...used(0, 0) }),
    assistant({ id: '', ...used(5, 5) }),
    assistant({ ...used(5, 5) }),
    assistant({ id: 'm3', model: '<synthetic>', ...used(5, 5) }),
    assistant({ id: 'm4', ...used('7', null) }),
  )
  expect(reading.tokens).toEqual(tokens(10, 20, 1))
})

test('what a fork copied of the conversation it continues does not count', () => {
  const copied = [
    user('write a', { promptId: 'p1', uuid: 'u1' }),
    assistant({
      id: 'm1',
      ...used(10, 20),
      content: [{ type: 'tool_use', name: 'Write', input: { file_path: '/a' } }],
    }),
    // The last answer before a compaction is copied without its usage.
    assistant({ id: 'm2', ...used(0, 0), content: [{ type: 'text', text: 'Wrote p2.' }] }),
  ]
  const own = [
    user('write b', { promptId: 'p2' }),
    assistant({
      id: 'm3',
      ...used(7, 3),
      content: [{ type: 'tool_use', name: 'Write', input: { file_path: '/b' } }],
    }),
  ]
  const fork = claudeTranscript.readLines([...copied, ...own], undefined, { firstPrompt: 'p2' })
  expect(fork).toMatchObject({ items: 5, prompts: ['write b'], files: ['/b'], tokens: tokens(7, 3, 1) })
  // The next turn is read from where the first one ended.
  const next = [user('write c', { promptId: 'p3' }), assistant({ id: 'm4', ...used(1, 1) })]
  expect(claudeTranscript.readLines(next, fork.carry, { firstPrompt: 'p2' })).toMatchObject({
    prompts: ['write c'],
    tokens: tokens(1, 1, 1),
  })
  // Versions that do not name prompts are read from the beginning.
  expect(claudeTranscript.readLines(copied, undefined, { firstPrompt: 'p9' })).toMatchObject({
    prompts: ['write a'],
    items: 3,
  })
})

test('an error of the API is neither a model nor a summary', () => {
  const reading = read(
    assistant({ id: 'm1', model: 'claude-x', content: [{ type: 'text', text: 'Half done.' }] }),
    assistant(
      { id: 'm2', model: '<synthetic>', content: [{ type: 'text', text: 'API Error: 500' }] },
      { isApiErrorMessage: true },
    ),
  )
  expect([reading.model, reading.summary]).toEqual(['claude-x', 'Half done.'])
})

test('the last message of one stretch is not counted again in the next', () => {
  const first = read(assistant({ id: 'm1', ...used(10, 3) }))
  const second = claudeTranscript.readLines([assistant({ id: 'm1', ...used(10, 9) })], first.carry)
  expect(second.tokens).toEqual(tokens(0, 6, 0))
})

const result = (content: unknown, toolUseResult?: unknown) =>
  user([{ type: 'tool_result', tool_use_id: 't1', content }], {
    uuid: 'u-result',
    ...given({ toolUseResult }),
  })

test('the result of a tool call is found, and the transcript cut after it', () => {
  const lines = fixtureLines(
    `claude-code/s4b-subagent-fg/${project}/880c319a-38f8-4cf8-9e97-1cd5be3e4127.jsonl`,
  )
  const id = claudeTranscript.toolResultId?.(lines, 'toolu_01vWaMkBwIs8V24uw5n0UCtQ')
  expect(id).toBe('db8f8d25-34e4-40d6-8392-8733040b0577')
  expect(claudeTranscript.truncateAt?.(lines, id ?? '')).toEqual(lines.slice(0, 25))
  expect(claudeTranscript.toolResultId?.(lines, 'toolu_other')).toBeUndefined()
  expect(claudeTranscript.truncateAt?.(lines, 'no such id')).toEqual(lines)
})

test('garbage between the lines changes only their number', () => {
  const lines = fixtureLines(`claude-code/A1-create/${project}/aaaaaaaa-0001-4000-8000-000000000001.jsonl`)
  const garbage = [
    '',
    '   ',
    '{',
    'null',
    '7',
    '"text"',
    '[]',
    '[{"type":"user"}]',
    '{"type":"a-future-thing","uuid":7}',
    '\u0000',
    lines[2]?.slice(0, 40) ?? '',
  ]
  const { carry: _carry, ...whole } = claudeTranscript.readLines(lines, undefined)
  const { carry: _other, ...mixed } = claudeTranscript.readLines(
    lines.flatMap((item, at) => [garbage[at % garbage.length] ?? '', item]),
    undefined,
  )
  expect(mixed).toEqual({ ...whole, items: lines.length * 2 })
})

test('a line of many megabytes is read like any other', () => {
  const big = 'x'.repeat(12 * 1024 * 1024)
  const reading = read(
    user('fix it'),
    toolUse('Write', { file_path: '/big', content: big }),
    result(big),
    user(big),
  )
  expect([reading.files, reading.prompts.length]).toEqual([['/big'], 2])
})

test('any values of known fields are read without an exception', () => {
  const names = [
    'type',
    'uuid',
    'message',
    'content',
    'id',
    'usage',
    'input_tokens',
    'name',
    'input',
    'file_path',
    'text',
    'model',
    'toolUseResult',
    'agentId',
    'attachment',
    'prompt',
    'isMeta',
  ]
  const known = fc.constantFrom(
    'user',
    'assistant',
    'attachment',
    'text',
    'tool_use',
    'tool_result',
    'queued_command',
    'Write',
    'completed',
  )
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5 },
      known,
      fc.jsonValue({ maxDepth: 1 }),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...names), tie('tree'), { maxKeys: 5 }),
    ),
  }))
  fc.assert(
    fc.property(
      fc.array(fc.dictionary(fc.constantFrom(...names), tree), { maxLength: 5 }),
      fc.jsonValue(),
      (entries, carry) => {
        const reading = claudeTranscript.readLines(entries.map(line), carry as never)
        expect(reading.items).toBe(entries.length)
        expect(Object.values(reading.tokens).every(Number.isFinite)).toBe(true)
      },
    ),
    { numRuns: 300 },
  )
})

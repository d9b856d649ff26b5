import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { fixtureLines, readInPieces } from '../../../test/fixtures/agents/read-transcripts.ts'
import { codexTranscript } from './transcript.ts'

const day = 'home/.codex/sessions/2026/11/15'
const tokens = (input: number, cacheRead: number, output: number, calls: number) => ({
  input,
  cacheCreation: 0,
  cacheRead,
  output,
  calls,
})
const line = (type: string, payload: object, rest: object = {}) =>
  JSON.stringify({ timestamp: '2026-11-15T19:00:00Z', type, payload, ...rest })
const item = (payload: object) => line('response_item', payload)
const event = (payload: object) => line('event_msg', payload)
const done = (done: object) => event({ type: 'item_completed', item: done })
const usage = (input: number, cached: number, output: number) => ({
  input_tokens: input,
  cached_input_tokens: cached,
  output_tokens: output,
  total_tokens: input + output,
})
const record = (id: string, ...counts: [number, number, number]) =>
  line('token_usage_record', {
    response_id: id,
    usage: usage(...counts),
    thread_token_usage: usage(9000, 9000, 9000),
  })
const total = (sum: [number, number, number], last: [number, number, number]) =>
  event({ type: 'token_count', info: { total_token_usage: usage(...sum), last_token_usage: usage(...last) } })
const user = (...texts: string[]) =>
  item({ type: 'message', role: 'user', content: texts.map((text) => ({ type: 'input_text', text })) })
const read = (...lines: string[]) => codexTranscript.readLines(lines, undefined)

test('a fork does not repeat the lines it continues from: only what is new counts, whatever its totals are', () => {
  const reading = read(
    line(
      'session_meta',
      { id: 'new', forked_from_id: 'old', history_base: { thread_id: 'old', end_ordinal_exclusive: 47 } },
      { ordinal: 47 },
    ),
    user('go on'),
    record('r1', 1001, 300, 50),
    total([6010, 1800, 309], [1001, 300, 50]),
  )
  expect(reading).toMatchObject({ items: 4, prompts: ['go on'], tokens: tokens(701, 300, 50, 1) })
})

test('a request that is recorded twice counts once, and the running total is not added', () => {
  const first = read(
    record('r1', 100, 40, 10),
    total([100, 40, 10], [100, 40, 10]),
    total([100, 40, 10], [100, 40, 10]),
  )
  expect(first.tokens).toEqual(tokens(60, 40, 10, 1))
  const second = codexTranscript.readLines(
    [total([100, 40, 10], [100, 40, 10]), record('r1', 100, 40, 10), record('r2', 5, 0, 1)],
    first.carry,
  )
  expect(second.tokens).toEqual(tokens(5, 0, 1, 1))
})

test('where older versions wrote only the running total, its growth counts', () => {
  const first = read(
    total([100, 40, 10], [100, 40, 10]),
    total([100, 40, 10], [100, 40, 10]),
    event({ type: 'token_count', info: null }),
  )
  expect(first.tokens).toEqual(tokens(60, 40, 10, 1))
  const second = codexTranscript.readLines([total([180, 60, 25], [80, 20, 15])], first.carry)
  expect(second.tokens).toEqual(tokens(60, 20, 15, 1))
  // The total starts again.
  expect(codexTranscript.readLines([total([30, 10, 5], [30, 10, 5])], second.carry).tokens).toEqual(
    tokens(20, 10, 5, 1),
  )
})

test('a running total that begins with that of another thread is counted without it', () => {
  expect(read(total([1100, 400, 110], [100, 40, 10]), total([1200, 450, 120], [100, 50, 10])).tokens).toEqual(
    tokens(110, 90, 20, 2),
  )
})

test('a session of an older version that a newer one continues is counted to its end', () => {
  const reading = read(
    total([100, 40, 10], [100, 40, 10]),
    record('r1', 50, 20, 5),
    total([150, 60, 15], [50, 20, 5]),
  )
  expect(reading.tokens).toEqual(tokens(90, 60, 15, 2))
})

test('tokens written to the cache are part of the input', () => {
  const written = { ...usage(100, 40, 10), cache_write_input_tokens: 25 }
  expect(read(line('token_usage_record', { response_id: 'r', usage: written })).tokens).toEqual({
    ...tokens(35, 40, 10, 1),
    cacheCreation: 25,
  })
})

test.each([
  ['a text', ['fix it'], ['fix it']],
  ['the environment', ['<environment_context>\n  <cwd>/x</cwd>\n</environment_context>'], []],
  [
    'instructions',
    ['# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>…</INSTRUCTIONS>', '<environment_context>…'],
    [],
  ],
  ['older instructions', ['<user_instructions>be nice</user_instructions>'], []],
  ['how a subagent ended', ['<subagent_notification>\n{}\n</subagent_notification>'], []],
  ['that a turn was aborted', ['<turn_aborted>\nby the user\n</turn_aborted>'], []],
  ['what a hook said', ['<hook_prompt hook_run_id="stop:1">go on</hook_prompt>'], []],
  ['a picture', ['<image name=[Image #1]>', '</image>', 'what is this?'], ['what is this?']],
  ['a command of the user’s', ['<user_shell_command>\nls\n</user_shell_command>'], []],
  ['a tag that is the user’s', ['<div> is not closed'], ['<div> is not closed']],
])('prompts of versions that do not mark the kind of each part: %s', (_name, texts, prompts) => {
  expect(read(user(...texts)).prompts).toEqual(prompts)
})

test('where a version marks the kind of each part, the mark counts', () => {
  const message = (kinds: string[], ...texts: string[]) =>
    item({
      type: 'message',
      role: 'user',
      content: texts.map((text) => ({ type: 'input_text', text })),
      internal_chat_message_metadata_passthrough: { content_item_kinds: kinds },
    })
  expect(
    read(
      message(['user.text'], 'one'),
      message(['compaction.summary'], 'Another'),
      message(['x.future', 'user.text'], 'no', 'two'),
    ).prompts,
  ).toEqual(['one', 'two'])
})

test('files come from patches that a tool, a script or the shell applied', () => {
  const change = (changes: object, status = 'completed') =>
    done({ type: 'FileChange', id: 'exec-1', changes, status })
  const output = (type: string, output: unknown) => item({ type, call_id: 'c', output })
  const success = 'Success. Updated the following files:\n'
  const reading = read(
    line('session_meta', { id: 't', cwd: '/r' }),
    change({ '/r/a': { type: 'add' }, '/r/b': { type: 'update', move_path: '/r/c' } }),
    change({ '/r/failed': { type: 'add' } }, 'failed'),
    change({ '/r/refused': { type: 'add' } }, 'declined'),
    event({ type: 'patch_apply_end', success: true, changes: { '/r/d': { update: { move_path: '/r/e' } } } }),
    event({ type: 'patch_apply_end', success: false, changes: { '/r/not': {} } }),
    output('function_call_output', `Exit code: 0\nOutput:\n${success}A f\nM dir/g h\nD /r/i\n`),
    line('turn_context', { cwd: '/r/sub' }),
    output(
      'custom_tool_call_output',
      JSON.stringify({ output: `${success}M j\n`, metadata: { exit_code: 0 } }),
    ),
    output('custom_tool_call_output', [
      { type: 'input_text', text: 'Script completed' },
      { type: 'input_text', text: `${success}M k` },
    ]),
    output('function_call_output', 'error: invalid patch'),
  )
  expect(reading.files).toEqual([
    '/r/a',
    '/r/b',
    '/r/c',
    '/r/d',
    '/r/e',
    '/r/f',
    '/r/dir/g h',
    '/r/i',
    '/r/sub/j',
    '/r/sub/k',
  ])
})

test('in newer versions subagents are known by their paths, and may finish again', () => {
  const activity = (kind: string, id: string, path: string) =>
    done({ type: 'SubAgentActivity', id: 'x', kind, agent_thread_id: id, agent_path: path })
  const first = read(
    activity('started', 't1', '/root/a'),
    activity('started', 't2', '/root/b'),
    activity('completed', 't1', '/root/a'),
  )
  expect(first.subagents).toEqual(['t1'])
  const message = (author: string) => item({ type: 'agent_message', author, recipient: '/root', content: [] })
  const second = codexTranscript.readLines(
    [message('/root/a'), message('/root/b'), message('/root'), message('/root/b')],
    first.carry,
  )
  expect(second.subagents).toEqual(['t1', 't2'])
})

test('in older versions subagents finish when they are waited for or when a notification comes', () => {
  const states = (agents_states: object) =>
    done({ type: 'CollabAgentToolCall', id: 'c', tool: 'wait', agents_states })
  const told = (id: string, status: unknown) =>
    user(`<subagent_notification>\n${JSON.stringify({ agent_path: id, status })}\n</subagent_notification>`)
  expect(
    read(
      states({ a: 'pending_init', b: 'running', c: { errored: 'x' }, '../d': { completed: 'x' } }),
      states({ a: { completed: 'done' } }),
      told('a', { completed: 'done' }),
      told('b', { completed: 'done' }),
      told('e', 'running'),
    ).subagents,
  ).toEqual(['c', 'a', 'b'])
})

test('a fork by an older version is not a subagent, although the lines it copied may be', () => {
  const child = line('session_meta', { id: 'c', thread_source: 'subagent' })
  const root = line('session_meta', { id: 'r', thread_source: 'user' })
  expect(read(child, root, user('told')).prompts).toEqual([])
  expect(read(root, child, user('asked')).prompts).toEqual(['asked'])
})

test('garbage between the lines changes only their number', () => {
  const lines = fixtureLines(
    `codex/c4-subagent-gpt55/${day}/rollout-2026-11-15T19-24-09-01a1e0aa-c180-75d2-9568-6000a8e1bc6f.jsonl`,
  )
  const garbage = [
    '',
    '{',
    'null',
    '[]',
    '{"type":"response_item"}',
    '{"type":"response_item","payload":7}',
    '{"type":"constructor","payload":{}}',
    '{"type":"event_msg","payload":{"type":"__proto__"}}',
    '{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"FileChange","changes":[null]}}}',
    '{"type":"token_usage_record","payload":{"response_id":"x","usage":{"input_tokens":-5,"output_tokens":"many"}}}',
    '{"type":"future_record","payload":{"type":"message","role":"user","content":[{"text":"no"}]}}',
    lines[4]?.slice(0, 50) ?? '',
  ]
  const { carry: _carry, ...whole } = codexTranscript.readLines(lines, undefined)
  const { carry: _other, ...mixed } = codexTranscript.readLines(
    lines.flatMap((one, at) => [garbage[at % garbage.length] ?? '', one]),
    undefined,
  )
  expect({ ...mixed, tokens: { ...mixed.tokens, calls: 4 } }).toEqual({ ...whole, items: lines.length * 2 })
})

test('the carry of a long session stays small', () => {
  const lines = Array.from({ length: 2000 }, (_, at) => record(`resp_${at}`, 10, 5, 1))
  const reading = read(...lines)
  expect(reading.tokens).toEqual(tokens(10_000, 10_000, 2000, 2000))
  expect(JSON.stringify(reading.carry).length).toBeLessThan(4096)
})

test('any rollout reads the same in any stretches, whatever its values are', () => {
  const odd = fc.jsonValue({ maxDepth: 2 })
  const id = fc.constantFrom('a', 'b', 'c')
  const count = fc.nat(50)
  const counts = fc.record({ input_tokens: count, cached_input_tokens: count, output_tokens: count })
  const payloads: [string, fc.Arbitrary<unknown>][] = [
    ['token_usage_record', fc.record({ response_id: id, usage: fc.oneof(counts, odd) })],
    [
      'event_msg',
      fc.record({
        type: fc.constant('token_count'),
        info: fc.record({ total_token_usage: counts, last_token_usage: counts }),
      }),
    ],
    [
      'event_msg',
      fc.record({
        type: fc.constant('item_completed'),
        item: fc.record({ type: fc.constant('FileChange'), changes: odd }),
      }),
    ],
    [
      'event_msg',
      fc.record({
        type: fc.constant('item_completed'),
        item: fc.record({ agents_states: fc.dictionary(id, odd) }),
      }),
    ],
    [
      'session_meta',
      fc.record({ thread_source: fc.constantFrom('user', 'subagent'), cwd: fc.constantFrom('/r', '/s') }),
    ],
    ['turn_context', fc.record({ model: id, cwd: odd })],
    [
      'response_item',
      fc.record({ type: fc.constant('message'), role: fc.constantFrom('user', 'assistant'), content: odd }),
    ],
    ['response_item', odd],
  ]
  const record = fc.oneof(
    ...payloads.map(([type, payload]) => fc.record({ type: fc.constant(type), payload })),
    odd,
  )
  fc.assert(
    fc.property(
      fc.array(record, { maxLength: 20 }),
      fc.array(fc.nat(20), { maxLength: 4 }),
      (records, ends) => {
        // The first line names the thread.
        const lines = [{ type: 'session_meta', payload: { id: 't', cwd: '/r' } }, ...records].map((one) =>
          JSON.stringify(one),
        )
        const cutAt = ends.map((end) => Math.min(end + 1, lines.length))
        expect(readInPieces(codexTranscript, lines, cutAt)).toEqual(readInPieces(codexTranscript, lines, []))
      },
    ),
    { numRuns: 300 },
  )
})

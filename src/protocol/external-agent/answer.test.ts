import { describe, expect, test } from 'bun:test'
import { type Parsed, parseSubcommandAnswer, parseWireMessage } from './answer.ts'
import type { SubcommandName } from './table.ts'

const read = (name: SubcommandName, text: string) =>
  parseSubcommandAnswer(name, Buffer.from(text)) as Parsed<unknown>
const info = { protocol_version: 1, name: 'a', type: 'A', description: 'An agent', capabilities: {} }

describe('a reader is tolerant', () => {
  test.each([
    ['a field it does not know is dropped', 'detect', { present: true, since: 1 }, { present: true }],
    ['null for a list is an empty list', 'extract-prompts', { prompts: null }, { prompts: [] }],
    [
      'a missing list is an empty list',
      'extract-modified-files',
      { current_position: 3 },
      { files: [], current_position: 3 },
    ],
    [
      'null for an optional text counts as missing',
      'parse-hook',
      { type: 3, session_id: 'a', prompt: null },
      { type: 3, session_id: 'a', prompt: null },
    ],
    [
      'an empty time counts as missing',
      'parse-hook',
      { type: 3, session_id: 'a', timestamp: '' },
      { type: 3, session_id: 'a', timestamp: '' },
    ],
    [
      'a missing summary is an empty one',
      'extract-summary',
      { has_summary: false },
      { summary: '', has_summary: false },
    ],
    [
      'missing counts stay missing',
      'calculate-tokens',
      { input_tokens: 1, output_tokens: 2 },
      { input_tokens: 1, output_tokens: 2 },
    ],
    ['null counts no tokens', 'calculate-tokens', null, null],
  ] as const)('%s', (_title, name, sent, value) => {
    expect(read(name, JSON.stringify(sent))).toEqual({ ok: true, value })
  })

  test('`info` requires only the version, the three texts and the capabilities', () => {
    expect(read('info', JSON.stringify(info))).toEqual({
      ok: true,
      value: {
        ...info,
        protected_dirs: [],
        protected_files: [],
        hook_names: [],
        capabilities: { caller_env_vars: [] },
      },
    })
  })

  test('unknown fields of a session are kept, because they are written back', () => {
    const session = {
      session_id: 'a',
      agent_name: 'b',
      repo_path: '/r',
      session_ref: '/r/s',
      start_time: '2026-01-13T12:00:00.5+02:00',
      native_data: null,
      modified_files: null,
      extra: { deep: [1] },
    }
    expect(read('read-session', JSON.stringify(session))).toEqual({
      ok: true,
      value: { ...session, modified_files: [], new_files: [], deleted_files: [] },
    })
  })

  test('empty output of parse-hook means null, and blanks around JSON are ignored', () => {
    expect(read('parse-hook', ' \n')).toEqual({ ok: true, value: null })
    expect(read('parse-hook', 'null\n')).toEqual({ ok: true, value: null })
    expect(read('detect', '\n {"present":true} \n')).toMatchObject({ ok: true })
  })
})

describe('an invalid answer is refused with the reason', () => {
  test.each([
    ['detect', '', 'nothing was printed'],
    ['detect', 'hello', 'not JSON: hello'],
    ['detect', '{"present":"yes"}', 'present must be boolean, not "yes"'],
    ['detect', '[]', 'must be Object, not Array'],
    ['detect', 'null', 'must be Object, not null'],
    ['info', JSON.stringify({ ...info, protocol_version: 2 }), 'protocol_version must be 1, not 2'],
    ['info', JSON.stringify({ ...info, name: '' }), 'name must not be empty'],
    ['get-transcript-position', '{"position":-1}', 'position must be >=0, not -1'],
    ['chunk-transcript', '{"chunks":["YQ","YQ=="]}', 'chunks.0 is not base64'],
    ['parse-hook', '{"type":3,"session_id":"a","timestamp":"now"}', 'timestamp is not an RFC 3339 time'],
    ['parse-hook', '{"type":"stop","session_id":"a"}', 'type must be number, not "stop"'],
  ] as const)('%s: %s', (name, text, problem) => {
    const result = read(name, text)
    expect(result).toMatchObject({ ok: false })
    expect(result.ok ? '' : result.problem).toContain(problem)
  })
})

test('the schema accepts megabytes of base64', () => {
  expect(parseWireMessage('chunks', { chunks: ['A'.repeat(14_000_000)] }).ok).toBe(true)
})

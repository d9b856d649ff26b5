import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AgentDefinition, defineAgent, jsonlTranscript } from '../agent.ts'

let dir: string
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'sdk-call-'))
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const least: AgentDefinition = {
  name: 'least',
  type: 'Least',
  description: 'As little as possible',
  detect: () => true,
  sessions: {
    dir: () => join(dir, 'sessions'),
    file: (sessions, session) => join(sessions, `${session}.jsonl`),
  },
  resumeCommand: (session) => `least --resume ${session}`,
}

const full: AgentDefinition = {
  ...least,
  preview: true,
  protectedDirs: ['.least'],
  protectedFiles: ['LEAST.md'],
  usesTerminal: true,
  callerEnv: ['LEAST_SESSION'],
  transcript: jsonlTranscript<{ ask?: string; file?: string; in?: number }>({
    prompt: (line) => line.ask,
    files: (line) => (line.file === undefined ? [] : [line.file]),
    tokens: (line) => (line.in === undefined ? undefined : { input: line.in, output: 1 }),
  }),
  hooks: {
    events: {
      stop: (payload: { id: string }) => ({ type: 'turn-end', session: payload.id }),
      tool: () => null,
    },
    install: ({ force }) => (force ? 2 : 0),
    uninstall: () => {},
    installed: async () => true,
  },
  prepareTranscript: () => {},
  generateText: async (prompt, model) => `${model}: ${prompt}`,
  hookResponse: (message) => JSON.stringify({ systemMessage: message }),
  subagentTranscripts: (subagents) => [join(subagents, 'one.jsonl'), join(subagents, 'absent.jsonl')],
  compactTranscript: () => ({ transcript: 'e30=' }),
}

async function call(agent: AgentDefinition, words: string[], stdin: string | object = '') {
  const text = typeof stdin === 'string' ? stdin : JSON.stringify(stdin)
  const context = { repoRoot: dir, home: dir, env: {} }
  return await defineAgent(agent).call({ words, stdin: async () => Buffer.from(text), context })
}

const ask = async (agent: AgentDefinition, words: string[], stdin?: string | object) =>
  JSON.parse((await call(agent, words, stdin)).toString())

describe('capabilities follow from the definition', () => {
  test('a definition with only the required parts has none', async () => {
    const info = await ask(least, ['info'])
    expect(Object.values(info.capabilities)).toEqual(Array.from({ length: 8 }, () => false))
    expect(info.hook_names).toEqual([])
  })

  test('a full definition has all', async () => {
    expect(await ask(full, ['info'])).toEqual({
      protocol_version: 1,
      name: 'least',
      type: 'Least',
      description: 'As little as possible',
      is_preview: true,
      protected_dirs: ['.least'],
      protected_files: ['LEAST.md'],
      hook_names: ['stop', 'tool'],
      capabilities: {
        hooks: true,
        transcript_analyzer: true,
        transcript_preparer: true,
        token_calculator: true,
        text_generator: true,
        hook_response_writer: true,
        subagent_aware_extractor: true,
        compact_transcript: true,
        uses_terminal: true,
        caller_env_vars: ['LEAST_SESSION'],
      },
    })
  })

  test('a subcommand of a missing capability is refused', () => {
    expect(call(least, ['parse-hook', '--hook', 'stop'])).rejects.toThrow('requires the capability hooks')
  })
})

test.each([
  [['generate-text', '--model', 'small'], 'Why?', { text: 'small: Why?' }],
  [['install-hooks'], '', { hooks_installed: 0 }],
  [['install-hooks', '--force', '--local-dev'], '', { hooks_installed: 2 }],
  [['are-hooks-installed'], '', { installed: true }],
  [['parse-hook', '--hook', 'stop'], '{"id":"a"}', { type: 3, session_id: 'a' }],
  [['parse-hook', '--hook', 'tool'], '{}', null],
  [['parse-hook', '--hook', 'unknown'], '{}', null],
  [['parse-hook', '--hook=stop'], ' \n', null],
  [['write-hook-response', '--message', '--force'], '', { systemMessage: '--force' }],
  [['format-resume-command', '--session-id', "a'; rm b"], '', { command: "least --resume 'a'\\''; rm b'" }],
  [
    ['calculate-tokens', '--offset', '1'],
    '{"in":5}\n{"in":7}\n',
    { input_tokens: 7, output_tokens: 1, cache_creation_tokens: 0, cache_read_tokens: 0, api_call_count: 1 },
  ],
  [['compact-transcript', '--session-ref', 'x'], '', { transcript: 'e30=' }],
  [['get-session-id', '--later-flag', 'x'], { session_id: '' }, { session_id: '' }],
] as const)('%j', async (words, stdin, answer) => {
  expect(await ask(full, [...words], stdin)).toEqual(answer)
})

test.each([
  [[], '', 'a subcommand is required'],
  [['constructor'], '', 'Unknown subcommand "constructor"'],
  [['get-session-dir'], '', 'requires --repo-path'],
  [['chunk-transcript', '--max-size', '-5'], '', '"-5" is not a valid value for --max-size'],
  [['chunk-transcript', '--max-size', '0'], '', '"0" is not a valid value for --max-size'],
  [['chunk-transcript', 'stray'], '', 'unexpected argument "stray"'],
  [['get-session-id'], '{"session_id":', 'not JSON'],
  [['get-session-id'], '[]', 'not a JSON object'],
  [['get-session-id'], '{}', 'session_id must be a string'],
  [['reassemble-transcript'], '{"chunks":["!!!!"]}', 'not base64'],
  [['reassemble-transcript'], '{"chunks":"x"}', 'must be a list'],
  [['parse-hook', '--hook', 'stop'], 'garbage', 'is not JSON'],
  [['parse-hook', '--hook', 'stop'], '{}', 'names no session'],
  [
    ['resolve-session-file', '--session-dir', '/s', '--session-id', '../../etc/passwd'],
    '',
    'not a valid value for a session id',
  ],
  [
    ['resolve-session-file', '--session-dir', '/s', '--session-id', ''],
    '',
    'not a valid value for a session id',
  ],
] as const)('%j with %j is refused', (words, stdin, message) => {
  expect(call(full, [...words], stdin)).rejects.toThrow(message)
})

describe('sessions in files', () => {
  const session = (ref: string) => ({
    session_id: 's1',
    agent_name: 'least',
    repo_path: '',
    session_ref: ref,
    start_time: '2026-01-13T12:00:00Z',
    native_data: Buffer.from('{"ask":"Hi"}\n{"file":"a.ts"}\n').toString('base64'),
    modified_files: null,
  })

  test('are written where the agent finds them, readable only by the user, and read back', async () => {
    const path = join(dir, 'sessions', 'deep', 's1.jsonl')
    await call(full, ['write-session'], session(path))
    expect(readFileSync(path, 'utf8')).toBe('{"ask":"Hi"}\n{"file":"a.ts"}\n')
    expect(statSync(path).mode & 0o077).toBe(0)
    const input = {
      hook_type: 'stop',
      session_id: 's1',
      session_ref: path,
      timestamp: '2026-01-13T12:00:00Z',
    }
    expect(await ask(full, ['read-session'], input)).toEqual({
      ...session(path),
      repo_path: dir,
      modified_files: ['a.ts'],
      new_files: [],
      deleted_files: [],
    })
  })

  test('may be named by a key, or by their id', async () => {
    await call(full, ['write-session'], session('by-key.jsonl'))
    expect(readFileSync(join(dir, 'sessions', 'by-key.jsonl')).length).toBeGreaterThan(0)
    await call(full, ['write-session'], session(''))
    expect(readFileSync(join(dir, 'sessions', 's1.jsonl')).length).toBeGreaterThan(0)
  })

  test.each(['/etc/passwd', '../outside.jsonl', 'a/../../outside.jsonl'])('are not written to %s', (ref) => {
    expect(call(full, ['write-session'], session(ref))).rejects.toThrow('outside of')
  })

  test('that do not exist yet have no content', async () => {
    const input = { hook_type: 'stop', session_id: 'new', session_ref: '', timestamp: '' }
    expect(await ask(full, ['read-session'], input)).toMatchObject({
      native_data: null,
      session_ref: join(dir, 'sessions', 'new.jsonl'),
    })
  })

  test('that are too large are passed without their content', async () => {
    const path = join(dir, 'sessions', 'large.jsonl')
    writeFileSync(path, '{"ask":"x"}\n'.repeat(700_000))
    const input = { hook_type: 'stop', session_id: 'large', session_ref: path, timestamp: '' }
    expect((await ask(full, ['read-session'], input)).native_data).toBeNull()
  })
})

test('transcripts of subagents are added to that of the agent, and counted separately', async () => {
  const subagents = join(dir, 'subagents')
  mkdirSync(subagents)
  writeFileSync(join(subagents, 'one.jsonl'), '{"file":"b.ts","in":100}\n')
  const main = '{"file":"a.ts","in":5}\n{"file":"b.ts","in":7}\n'
  expect(
    await ask(full, ['extract-all-modified-files', '--offset', '0', '--subagents-dir', subagents], main),
  ).toEqual({
    files: ['a.ts', 'b.ts'],
  })
  expect(
    await ask(full, ['calculate-total-tokens', '--offset', '1', '--subagents-dir', subagents], main),
  ).toMatchObject({
    input_tokens: 7,
    api_call_count: 1,
    subagent_tokens: { input_tokens: 100, api_call_count: 1 },
  })
})

test.each(['', 'My Agent', '../x', '-a', 'a--b', 'Ä'])('%j is not a valid name for an agent', (name) => {
  expect(() => defineAgent({ ...least, name })).toThrow('is not a valid value for the name of an agent')
})

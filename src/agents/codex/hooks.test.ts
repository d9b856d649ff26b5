import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { codex } from './index.ts'

const dir = mkdtempSync(join(tmpdir(), 'entire-codex-hooks-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const line = (type: string, payload: object) =>
  `${JSON.stringify({ timestamp: '2026-11-15T19:00:00Z', ordinal: 0, type, payload })}\n`

function rollout(name: string, meta: object, ...rest: string[]): string {
  const path = join(dir, name)
  writeFileSync(
    path,
    line('session_meta', { id: 't', ...meta, base_instructions: { text: 'x'.repeat(40_000) } }) +
      rest.join(''),
  )
  return path
}

const user = (text: string) =>
  line('response_item', { type: 'message', role: 'user', content: [{ type: 'input_text', text }] })
const mainVerbs = ['session-start', 'user-prompt-submit', 'stop', 'interrupt', 'pre-compact', 'session-end']

test('a fork continues the session that its rollout names', () => {
  const transcript = rollout('fork.jsonl', {
    thread_source: 'user',
    forked_from_id: 'old',
    history_base: { thread_id: 'old' },
  })
  for (const verb of mainVerbs) {
    expect(
      codex.parseHook(verb, { session_id: 'new', transcript_path: transcript, source: 'fork' }, {}),
    ).toMatchObject({
      session: 'new',
      previousSession: 'old',
      transcript,
    })
  }
})

test.each([
  ['a thread that says so', { thread_source: 'subagent' }],
  ['one of an older version', { source: { subagent: { thread_spawn: { parent_thread_id: 'p' } } } }],
  ['a review', { source: { subagent: 'review' } }],
])('a hook of a subagent is not an event of the session: %s', (_name, meta) => {
  const transcript = rollout('child.jsonl', meta)
  for (const verb of mainVerbs)
    expect(
      codex.parseHook(verb, { session_id: 's', transcript_path: transcript, prompt: 'x' }, {}),
    ).toBeNull()
})

test('a hook with the id of a subagent is not the session’s, even when its rollout cannot be read', () => {
  for (const verb of mainVerbs)
    expect(codex.parseHook(verb, { session_id: 's', agent_id: 'a', transcript_path: '/gone' }, {})).toBeNull()
})

test('an interrupt ends the turn', () => {
  expect(codex.parseHook('interrupt', { session_id: 's', transcript_path: '/t', model: 'm' }, {})).toEqual({
    type: 'turn-end',
    session: 's',
    transcript: '/t',
    model: 'm',
  })
})

test('a session that Codex does not keep has no transcript', () => {
  expect(codex.parseHook('stop', { session_id: 's', transcript_path: null }, {})).toEqual({
    type: 'turn-end',
    session: 's',
  })
})

test('the task of a subagent is its first prompt, or its name when there is none', () => {
  const stop = (path: string) =>
    codex.parseHook('subagent-stop', { session_id: 's', agent_id: 'a', agent_transcript_path: path }, {})
  const told = rollout(
    'told.jsonl',
    { thread_source: 'subagent' },
    user('<environment_context>\nx\n</environment_context>'),
    user('do it'),
  )
  expect(stop(told)).toMatchObject({ taskDescription: 'do it', toolUse: 'a', subagent: 'a' })
  const sealed = rollout('sealed.jsonl', {
    thread_source: 'subagent',
    agent_path: '/root/fix',
    agent_nickname: 'Locke',
  })
  expect(stop(sealed)).toMatchObject({ taskDescription: '/root/fix' })
  expect(stop('/gone')).not.toHaveProperty('taskDescription')
})

test('the rollout in a hook of a subagent is not the session’s', () => {
  for (const verb of ['subagent-start', 'subagent-stop']) {
    expect(
      codex.parseHook(verb, { session_id: 's', agent_id: 'a', transcript_path: '/child' }, {}),
    ).not.toHaveProperty('transcript')
    expect(codex.parseHook(verb, { session_id: 's', transcript_path: '/child' }, {})).toBeNull()
  }
})

test.each([
  ['fix it', 'fix it'],
  ['# Context from my IDE setup:\n\n## Active file: a.ts\n\n## My request for Codex:\nfix it\n', 'fix it'],
  ['<hook_prompt hook_run_id="stop:1">go on</hook_prompt>', undefined],
  ['<b>bold</b> is broken', '<b>bold</b> is broken'],
])('the prompt is what was typed: %j', (prompt, typed) => {
  const event = codex.parseHook('user-prompt-submit', { session_id: 's', prompt }, {})
  expect(event).toMatchObject({ type: 'turn-start' })
  expect(event?.prompt).toBe(typed as string)
})

test('hooks of tools and after a compaction mean nothing', () => {
  for (const verb of ['pre-tool-use', 'post-tool-use', 'permission-request', 'post-compact'])
    expect(codex.parseHook(verb, { session_id: 's', tool_name: 'collaborationspawn_agent' }, {})).toBeNull()
})

test('a payload without a session and an unknown hook are refused', () => {
  expect(() => codex.parseHook('stop', {}, {})).toThrow(expect.objectContaining({ code: 'bad-payload' }))
  expect(() => codex.parseHook('pre-model-request', { session_id: 's' }, {})).toThrow(
    expect.objectContaining({ code: 'unknown-hook' }),
  )
})

test('any values in a payload give an event or null', () => {
  const keys = [
    'transcript_path',
    'prompt',
    'model',
    'source',
    'trigger',
    'agent_type',
    'agent_transcript_path',
    'future',
  ]
  const dictionary = fc.dictionary(fc.constantFrom(...keys), fc.jsonValue())
  fc.assert(
    fc.property(fc.constantFrom(...codex.hookNames), dictionary, fc.boolean(), (verb, payload, isChild) => {
      const event = codex.parseHook(
        verb,
        { ...payload, session_id: 's', ...(isChild ? { agent_id: 'a' } : {}) } as never,
        {},
      )
      for (const field of ['transcript', 'prompt', 'model', 'subagentTranscript'] as const)
        expect(['string', 'undefined']).toContain(typeof event?.[field])
    }),
  )
})

test('the banner is a JSON message without leading blank lines', () => {
  expect(codex.hookResponse('\n\nPowered by Entire:\n  x')).toBe(
    '{"systemMessage":"Powered by Entire:\\n  x"}\n',
  )
})

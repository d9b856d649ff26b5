import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import type { AgentEvent } from '../../model/event.ts'
import { cursor } from './index.ts'

const fixtures = join(import.meta.dir, '../../../test/fixtures/agents/cursor')
const ide = '3f1c7a52-6b0e-4d57-9a0c-5d1f0a6e2b11'
const cli = '9a4e2c10-1d77-4f0b-8e63-0c2b7d5f4a99'
const model = 'gpt-5.2'
const transcripts = '/home/dev/.cursor/projects/home-dev-app/agent-transcripts'
// The directory of the conversation is not there on this machine, so the path that is expected of it is that
// of the command line.
const expectedOf = (session: string) => ({ session, transcript: `${transcripts}/${session}.jsonl` })
const named = { session: ide, transcript: `${transcripts}/${ide}/${ide}.jsonl` }
const task = {
  toolUse: 'sub-7',
  subagent: 'sub-7',
  subagentType: 'explore',
  taskDescription: 'look for other greetings',
}

const expected: Record<string, (AgentEvent | null)[]> = {
  'ide-create': [
    { type: 'session-start', ...expectedOf(ide), opensTurn: true, model },
    { type: 'turn-start', ...expectedOf(ide), prompt: 'create hello.txt', model },
    { type: 'turn-end', ...named, model },
  ],
  'ide-edit': [
    { type: 'turn-start', ...named, prompt: 'edit hello.txt', model },
    { type: 'compaction', ...named },
    { type: 'subagent-start', ...named, ...task },
    null,
    {
      type: 'subagent-end',
      ...named,
      ...task,
      subagentTranscript: `${transcripts}/${ide}/subagents/sub-7.jsonl`,
    },
    { type: 'turn-end', ...named, model },
    { type: 'session-end', ...named, model },
  ],
  'headless-create': [
    { type: 'session-start', ...expectedOf(cli), opensTurn: true, model },
    { type: 'session-end', ...expectedOf(cli), model },
  ],
}

test.each(Object.entries(expected))('the hooks of %s become the expected events', (scenario, events) => {
  const dir = join(fixtures, scenario, 'hooks')
  const parsed = readdirSync(dir)
    .toSorted()
    .map((file) => {
      const verb = (/^\d+-(\w+)\.json$/.exec(file)?.[1] ?? '').replace(/[A-Z]/g, '-$&').toLowerCase()
      return cursor.parseHook(verb, JSON.parse(readFileSync(join(dir, file), 'utf8')), { HOME: '/home/dev' })
    })
  expect(parsed).toEqual(events)
})

test('without a transcript in the payload, the environment names it', () => {
  const payload = { conversation_id: 'c', transcript_path: null, workspace_roots: ['/r'] }
  expect(cursor.parseHook('stop', payload, { CURSOR_TRANSCRIPT_PATH: '/t.jsonl' })).toEqual({
    type: 'turn-end',
    session: 'c',
    transcript: '/t.jsonl',
  })
  expect(cursor.parseHook('stop', { conversation_id: 'c' }, {})).toEqual({ type: 'turn-end', session: 'c' })
})

test('the id of a subagent becomes a valid file name, and a missing one is derived from its task', () => {
  const payload = { conversation_id: 'c', task: 'look', subagent_type: 'explore' }
  const id = (verb: string, fields: object) => cursor.parseHook(verb, { ...payload, ...fields }, {})?.toolUse
  expect(id('subagent-start', { subagent_id: 'call_1\nfc_2' })).toBe('call_1_fc_2')
  expect(id('subagent-stop', { tool_call_id: 'call.1' })).toBe('call_1')
  expect(id('subagent-start', {})).toMatch(/^cursortask_[0-9a-f]{16}$/)
  expect(id('subagent-start', {})).toBe(id('subagent-stop', { status: 'completed' }) as string)
})

test('a payload without a session and an unknown hook are refused', () => {
  expect(() => cursor.parseHook('stop', { workspace_roots: ['/r'] }, {})).toThrow(
    expect.objectContaining({ code: 'bad-payload' }),
  )
  expect(() => cursor.parseHook('future', { conversation_id: 'c' }, {})).toThrow(
    expect.objectContaining({ code: 'unknown-hook' }),
  )
})

test('any values in a payload give an event or null', () => {
  const keys = [
    'transcript_path',
    'prompt',
    'model',
    'workspace_roots',
    'task',
    'subagent_id',
    'subagent_type',
    'description',
    'future',
  ]
  fc.assert(
    fc.property(
      fc.constantFrom(...cursor.hookNames),
      fc.dictionary(fc.constantFrom(...keys), fc.jsonValue()),
      (verb, fields) => {
        const event = cursor.parseHook(verb, { ...fields, conversation_id: '../c' } as never, {
          HOME: '/nowhere',
        })
        for (const field of ['transcript', 'prompt', 'model', 'subagentType'] as const)
          expect(['string', 'undefined']).toContain(typeof event?.[field])
      },
    ),
  )
})

test('the session belongs to the directory that is open in the editor', () => {
  expect(cursor.projectDir({ workspace_roots: ['/repo', '/other'], cwd: '/x' }, {})).toBe('/repo')
  expect(cursor.projectDir({ workspace_roots: ['/repo'] }, { CURSOR_PROJECT_DIR: '/open' })).toBe('/open')
  expect(cursor.projectDir({ workspace_roots: [], cwd: '/x' }, {})).toBe('/x')
})

test('a hook of Claude Code that Cursor ran is known by the version in its payload', () => {
  const { borrowed } = cursor
  expect(borrowed.isSender({ session_id: 's', cursor_version: '3.24.18' })).toBe(true)
  expect(borrowed.isSender({ session_id: 's', cursor_version: '' })).toBe(false)
  expect(borrowed.isSender({ session_id: 's' })).toBe(false)
  for (const verb of Object.values(borrowed.verbs)) expect(cursor.hookNames).toContain(verb)
})

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { AgentEvent } from '../../model/event.ts'
import type { JsonObject } from '../../std/json.ts'
import { opencode } from './index.ts'

const parse = (verb: string, payload: JsonObject = {}) =>
  opencode.parseHook(verb, { session_id: 'ses_1', cwd: '/r', ...payload }, {})
const session = 'ses_1'

const table: [string, JsonObject, AgentEvent | null][] = [
  ['session-start', {}, { type: 'session-start', session }],
  [
    'turn-start',
    { prompt: '"create hello.txt"', model: 'm' },
    { type: 'turn-start', session, prompt: 'create hello.txt', model: 'm' },
  ],
  [
    'turn-start',
    { prompt: 'go', since: 'msg_1' },
    { type: 'turn-start', session, prompt: 'go', firstMetadata: { since: 'msg_1' } },
  ],
  ['turn-start', { prompt: '' }, { type: 'turn-start', session }],
  ['turn-end', { model: 'm' }, { type: 'turn-end', session, model: 'm' }],
  ['compaction', {}, { type: 'compaction', session }],
  ['session-end', {}, { type: 'session-end', session }],
  [
    'subagent-start',
    { tool_use_id: 'call_1', subagent_type: 'general', description: 'Look' },
    { type: 'subagent-start', session, toolUse: 'call_1', subagentType: 'general', taskDescription: 'Look' },
  ],
  [
    'subagent-stop',
    {
      tool_use_id: 'call_1',
      subagent_id: 'ses_2',
      usage: { input: 5, output: 4, cache_read: 3, cache_write: 2, calls: 1 },
    },
    {
      type: 'subagent-end',
      session,
      toolUse: 'call_1',
      subagent: 'ses_2',
      metadata: { 'task-call_1': '[5,2,3,4,1]' },
    },
  ],
  [
    'subagent-stop',
    { tool_use_id: 'functions.task:0', usage: null },
    { type: 'subagent-end', session, toolUse: 'functions_task_0' },
  ],
  ['subagent-start', {}, null],
]

test.each(table)('%s %j becomes the expected event', (verb, payload, event) => {
  expect(parse(verb, payload)).toEqual(event)
})

test('a payload without a session and an unknown hook are refused', () => {
  expect(() => opencode.parseHook('turn-end', {}, {})).toThrow(
    expect.objectContaining({ code: 'bad-payload' }),
  )
  expect(() => parse('stop')).toThrow(
    expect.objectContaining({ code: 'unknown-hook', hint: expect.stringContaining('turn-end') }),
  )
})

test('any values in a payload give an event or null', () => {
  const keys = [
    'prompt',
    'model',
    'since',
    'tool_use_id',
    'subagent_id',
    'subagent_type',
    'description',
    'usage',
    'future',
  ]
  fc.assert(
    fc.property(
      fc.constantFrom(...opencode.hookNames),
      fc.dictionary(fc.constantFrom(...keys), fc.jsonValue()),
      (verb, payload) => {
        const event = parse(verb, payload as JsonObject)
        for (const field of ['prompt', 'model', 'toolUse', 'subagent'] as const)
          expect(['string', 'undefined']).toContain(typeof event?.[field])
        for (const value of Object.values(event?.metadata ?? {})) expect(value).toBeString()
      },
    ),
  )
})

test('the session belongs to the directory that the plugin names', () => {
  expect(opencode.projectDir({ cwd: '/repo/sub' })).toBe('/repo/sub')
  expect(opencode.projectDir({})).toBeUndefined()
})

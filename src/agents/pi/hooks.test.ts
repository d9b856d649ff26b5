import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentEvent } from '../../model/event.ts'
import { given } from '../../std/given.ts'
import type { JsonObject } from '../../std/json.ts'
import { parsePiHook } from './hooks.ts'

const session = '01a1e0b2-7cac-759b-b11e-c3ad235bf442'
const file = `/home/dev/.pi/agent/sessions/--home-dev-app--/2026-11-15T19-32-36-141Z_${session}.jsonl`
const payload = (more: JsonObject = {}): JsonObject => ({
  cwd: '/home/dev/app',
  session_id: session,
  session_file: file,
  model: 'm',
  ...more,
})
const parse = (verb: string, more: JsonObject) => parsePiHook(verb, more, {})
const base = { session, transcript: file }

test.each<[string, JsonObject, AgentEvent | null]>([
  ['session_start', { reason: 'startup' }, { type: 'session-start', ...base, model: 'm' }],
  [
    'before_agent_start',
    { prompt: 'create hello.txt' },
    { type: 'turn-start', ...base, model: 'm', prompt: 'create hello.txt' },
  ],
  ['before_agent_start', { prompt: '' }, { type: 'turn-start', ...base, model: 'm' }],
  ['agent_start', {}, { type: 'turn-start', ...base, model: 'm' }],
  ['agent_end', {}, { type: 'turn-end', ...base, model: 'm' }],
  ['session_compact', {}, { type: 'compaction', ...base, model: 'm' }],
  ['session_shutdown', { reason: 'quit' }, { type: 'session-end', ...base }],
  ['session_shutdown', { reason: 'new' }, { type: 'session-end', ...base }],
  ['session_shutdown', { reason: 'reload' }, null],
])('%s %j', (verb, more, event) => {
  expect(parse(verb, payload(more))).toEqual(event)
})

test('a fork starts like any session, and its parent tells it apart', () => {
  const parent = '/s/2026-11-15T19-00-00-000Z_11111111-2222-3333-4444-555555555555.jsonl'
  expect(parse('session_start', payload({ reason: 'startup', parent_session: parent }))).toMatchObject({
    type: 'session-start',
    previousSession: '11111111-2222-3333-4444-555555555555',
  })
  expect(parse('session_start', payload())).not.toHaveProperty('previousSession')
})

test('a tool that starts a subagent is a task', () => {
  const tool = { tool_name: 'subagent', tool_use_id: 'call_1|fc_2' }
  const one = { agent: 'scout', task: 'look around' }
  expect(parse('tool_call', payload({ ...tool, tool_input: one }))).toEqual({
    type: 'subagent-start',
    ...base,
    toolUse: 'call_1_fc_2',
    toolName: 'subagent',
    toolInput: one,
    subagentType: 'scout',
    taskDescription: 'look around',
  })
  for (const input of [{ tasks: [one, { agent: 'b', task: 'c' }] }, { chain: [one] }])
    expect(parse('tool_result', payload({ ...tool, tool_input: input }))).toMatchObject({
      type: 'subagent-end',
      toolUse: 'call_1_fc_2',
      subagentType: 'scout',
      taskDescription: 'look around',
    })
  expect(parse('tool_call', payload({ tool_name: 'subagent', tool_input: 7 }))).toMatchObject({
    type: 'subagent-start',
  })
})

test('the extension of the reference program names only the file of a session, and nothing at its end', () => {
  expect(parse('session_start', { type: 'session_start', cwd: '/x', session_file: file })).toEqual({
    type: 'session-start',
    ...base,
  })
  expect(parse('session_shutdown', { type: 'session_shutdown' })).toBeNull()
  const nested = '/s/2026-11-15T19-32-36-141Z_aaaa-bbbb/scout/run-0/session.jsonl'
  expect(parse('agent_end', { session_file: nested })).toMatchObject({ session: 'aaaa-bbbb_scout_run-0' })
  expect(parse('agent_end', { session_file: '/tmp/mine.jsonl' })).toMatchObject({ session: 'mine' })
  expect(parse('agent_end', { session_file: 'C:\\s\\2026_abc.jsonl' })).toMatchObject({ session: 'abc' })
})

test('a payload without a session and an unknown hook are refused, with a hint', () => {
  expect(() => parse('before_agent_start', { prompt: 'x' })).toThrow('has no session id in its payload')
  expect(() => parse('agent_end', { session_id: '', session_file: '' })).toThrow(
    'has no session id in its payload',
  )
  expect(() => parse('hologram', payload())).toThrow('Unknown pi hook "hologram"')
})

test('unknown fields change nothing', () => {
  expect(parse('agent_end', payload({ hologram: { deep: [1] }, model: 7, parent_session: false }))).toEqual({
    type: 'turn-end',
    ...base,
  })
})

// The captures are what Pi gives to its extensions; Entire's passes on what it takes from the context.
describe.each(['run1-create', 'run2-resume-edit', 'run3-commit-continue'])('%s', (scenario) => {
  const dir = join(import.meta.dir, '../../../test/fixtures/agents/pi', scenario, 'hooks')
  const prompts: Record<string, string> = {
    'run1-create': 'create hello.txt',
    'run2-resume-edit': 'edit hello.txt',
    'run3-commit-continue': 'commit the work',
  }

  test('a turn is a prompt and its end, between the start and the end of a session', () => {
    const meanings = readdirSync(dir)
      .toSorted()
      .map((name) => {
        const { event, ctx } = JSON.parse(readFileSync(join(dir, name), 'utf8'))
        return { event, ctx }
      })
      .filter(({ event }) =>
        ['session_start', 'before_agent_start', 'agent_end', 'session_shutdown'].includes(event.type),
      )
      .map(({ event, ctx }) =>
        parse(event.type, {
          cwd: ctx.cwd,
          session_id: ctx.sessionId,
          session_file: ctx.sessionFile,
          model: ctx.model.id,
          ...given({ prompt: event.prompt }),
          ...given({ reason: event.reason }),
        }),
      )
    expect(meanings).toEqual([
      { type: 'session-start', ...base, model: 'mock-model' },
      { type: 'turn-start', ...base, model: 'mock-model', prompt: prompts[scenario] as string },
      { type: 'turn-end', ...base, model: 'mock-model' },
      { type: 'session-end', ...base },
    ])
  })
})

// What holds for the hooks of every agent: agents of tomorrow say more, less and other things than those of
// today.
import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir } from '../../test/support/repo.ts'
import type { Agent } from '../model/agent.ts'
import { type AgentEvent, eventTypes } from '../model/event.ts'
import { EntireError } from '../std/errors.ts'
import type { Json, JsonObject } from '../std/json.ts'
import { agents } from './all.ts'

const place = tempDir()
afterAll(() => place[Symbol.asyncDispose]())
const env = { HOME: place.base }

const garbage = join(place.base, 'garbage.jsonl')
const directory = join(place.base, 'a directory.jsonl')
writeFileSync(garbage, '{"type":"user"\n\0\xff null\n[]\n7\n"\n')
mkdirSync(directory)

const input = {
  subagent_type: 'worker',
  description: 'Write a',
  prompt: 'write a',
  task: 'write a',
  agent: 'worker',
  file_path: '/r/a',
}

/** Every field that any agent is known to have, all at once. */
const everything: JsonObject = {
  ...{
    session_id: 's-1',
    sessionId: 's-1',
    conversation_id: 's-1',
    hook_event_name: 'Any',
    timestamp: '2026-11-15T20:00:00.000Z',
  },
  ...{
    transcript_path: garbage,
    transcriptPath: garbage,
    session_file: garbage,
    cwd: '/r',
    workspace_roots: ['/r'],
  },
  ...{
    prompt: 'write a',
    model: 'm-1',
    source: 'startup',
    trigger: 'manual',
    reason: 'other',
    status: 'completed',
    turn_id: 't',
  },
  ...{
    tool_name: 'Task',
    toolName: 'Task',
    tool_input: input,
    toolArgs: input,
    tool_use_id: 'u-1',
    tool_call_id: 'u-1',
  },
  ...{
    tool_response: { agentId: 'a-1', status: 'completed' },
    last_assistant_message: 'Done.',
    stop_hook_active: false,
  },
  ...{
    agent_id: 'a-1',
    agentId: 'a-1',
    agent_type: 'worker',
    agentType: 'worker',
    agent_transcript_path: garbage,
  },
  ...{
    background_tasks: [{ id: 'a-1', description: 'Write a' }],
    subagent_id: 'a-1',
    subagent_type: 'worker',
    task: 'write a',
  },
  ...{
    description: 'Write a',
    previous_session_id: 's-0',
    parent_session: '/x/2026_s-0.jsonl',
    since: 'msg_1',
    usage: { input: 1 },
  },
}

/** The same without the fields of a subagent. */
const { agent_id: _id, agentId: _agentId, ...ofTheSession } = everything

const values: Json[] = [
  null,
  7,
  -1,
  true,
  '',
  '\0',
  [],
  [null],
  {},
  { session_id: 's' },
  'x'.repeat(100_000),
  garbage,
  directory,
]

const future: JsonObject = {
  ...{
    schema_version: 99,
    hookEventNameV2: 'Any',
    nested: { deep: [{ er: null }] },
    '': '',
    constructor: 'x',
    toString: 7,
    'ünïcode key': [],
  },
}

/** The event or the refusal that a payload gives. Other exceptions fail the test. */
async function meaning(
  agent: Agent,
  verb: string,
  payload: JsonObject,
): Promise<AgentEvent | null | EntireError> {
  try {
    return await agent.parseHook(verb, payload, env)
  } catch (error) {
    if (error instanceof EntireError) return error
    throw error
  }
}

const texts = [
  'session',
  'previousSession',
  'transcript',
  'prompt',
  'model',
  'timestamp',
  'toolUse',
  'subagent',
  'toolName',
] as const
const moreTexts = [
  'subagentTranscript',
  'subagentType',
  'taskDescription',
  'lastMessage',
  'responseMessage',
] as const

function expectSound(event: AgentEvent | null | EntireError): void {
  if (event === null) return
  if (event instanceof EntireError) {
    expect(event.code).toBe('bad-payload')
    return
  }
  expect(eventTypes).toContain(event.type)
  expect(event.session).not.toBe('')
  for (const name of [...texts, ...moreTexts])
    if (name in event) expect([name, typeof event[name]]).toEqual([name, 'string'])
  for (const [name, value] of Object.entries(event.metadata ?? {}))
    expect([name, typeof value]).toEqual([name, 'string'])
}

const rows = agents.flatMap((agent) =>
  agent.hookNames.map((verb): [string, string, Agent] => [agent.name, verb, agent]),
)

describe.each(rows)('%s %s', (_name, verb, agent) => {
  const kinds = [everything, ofTheSession]

  test('unknown fields change nothing', async () => {
    for (const payload of kinds) {
      const now = await meaning(agent, verb, payload)
      expectSound(now)
      expect(now).not.toBeInstanceOf(EntireError)
      expect(await meaning(agent, verb, { ...payload, ...future })).toEqual(now)
    }
  })

  test('an unknown event or source is accepted', async () => {
    for (const payload of kinds)
      for (const field of ['hook_event_name', 'source', 'trigger', 'reason', 'status', 'permission_mode'])
        expectSound(await meaning(agent, verb, { ...payload, [field]: 'OfTheFuture' }))
  })

  test('a field that is empty or of the wrong type counts as missing', async () => {
    for (const payload of kinds)
      for (const field of Object.keys(payload)) {
        const { [field]: _gone, ...rest } = payload
        expectSound(await meaning(agent, verb, rest))
        for (const value of values) expectSound(await meaning(agent, verb, { ...payload, [field]: value }))
      }
  })

  test('a payload whose fields all have the wrong type, or an empty one, is accepted', async () => {
    for (const value of values) {
      const all = Object.fromEntries(Object.keys(everything).map((field) => [field, value]))
      expectSound(await meaning(agent, verb, all))
      expectSound(
        await meaning(agent, verb, { ...all, session_id: 's-1', sessionId: 's-1', conversation_id: 's-1' }),
      )
    }
    expect(
      await meaning(agent, verb, { session_id: 's-1', sessionId: 's-1', conversation_id: 's-1' }),
    ).not.toBeInstanceOf(EntireError)
    expectSound(await meaning(agent, verb, {}))
  })

  test('the directory of the project is a string or undefined', () => {
    for (const value of values) {
      const dir = agent.projectDir({ ...everything, cwd: value, workspace_roots: value }, {})
      expect(['string', 'undefined']).toContain(typeof dir)
    }
  })
})

test.each(agents.map((agent) => [agent.name, agent] as const))(
  '%s refuses unknown hooks',
  async (_name, agent) => {
    for (const verb of ['', 'of-the-future', '__proto__', 'constructor', 'toString', 'hasOwnProperty'])
      expect(await meaning(agent, verb, everything)).toMatchObject({ code: 'unknown-hook' })
  },
)

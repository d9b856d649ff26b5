import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import type { AgentEvent } from '../../model/event.ts'
import { factoryaiDroid } from './index.ts'

const fixtures = join(import.meta.dir, '../../../test/fixtures/agents/factoryai-droid')
const created = 'f5a5cb64-e9dc-455b-baed-0520bda13f0b'
const scenarios: Record<string, string> = {
  'run1-create': created,
  'run2-resume-edit': created,
  'run3-commit': '19b38113-561b-4ac2-bc7f-08167e059ebc',
  'run7-todo': 'bd7bf77c-17d3-4705-bc28-8360c3243822',
}

function expected(session: string, hook: string): AgentEvent | null {
  const base = { session, transcript: `/home/dev/.factory/sessions/-home-dev-app/${session}.jsonl` }
  const events: Record<string, AgentEvent> = {
    SessionStart: { type: 'session-start', ...base, opensTurn: true },
    Stop: { type: 'turn-end', ...base },
    SessionEnd: { type: 'session-end', ...base },
  }
  return events[hook] ?? null
}

const rows = Object.entries(scenarios).flatMap(([scenario, session]) =>
  readdirSync(join(fixtures, scenario, 'hooks')).map((file) => [scenario, file, session] as const),
)

test.each(rows)('%s %s becomes the expected event', (scenario, file, session) => {
  const hook = /^\d+-(\w+)\.json$/.exec(file)?.[1] ?? ''
  const verb = hook.replace(/(?!^)[A-Z]/g, '-$&').toLowerCase()
  const payload = JSON.parse(readFileSync(join(fixtures, scenario, 'hooks', file), 'utf8'))
  // The plain values of a payload are in the environment too; those of another hook must not be used for this
  // one.
  const env = {
    session_id: 'other',
    transcript_path: '/other.jsonl',
    prompt: 'other',
    hook_event_name: 'Stop',
    tool_name: 'Task',
  }
  expect(factoryaiDroid.parseHook(verb, payload, env)).toEqual(expected(session, hook))
})

const payload = { session_id: 's', transcript_path: '/t.jsonl' }
const base = { session: 's', transcript: '/t.jsonl' }

test('the start of a session begins a turn, because `droid exec` reports no prompt; the prompt hook beside it adds nothing', () => {
  const start = { ...payload, hook_event_name: 'SessionStart', source: 'startup' }
  expect(factoryaiDroid.parseHook('session-start', start, {})).toEqual({
    type: 'session-start',
    ...base,
    opensTurn: true,
  })
  expect(factoryaiDroid.parseHook('user-prompt-submit', start, {})).toBeNull()
})

test('a prompt begins a turn', () => {
  const prompt = {
    ...payload,
    hook_event_name: 'UserPromptSubmit',
    prompt: 'go<system-reminder>x</system-reminder>',
  }
  expect(factoryaiDroid.parseHook('user-prompt-submit', prompt, {})).toEqual({
    type: 'turn-start',
    ...base,
    prompt: 'go',
  })
})

test('a fork names the session it continues, although it calls itself a resume', () => {
  const fork = { ...payload, source: 'resume', previous_session_id: 'p' }
  expect(factoryaiDroid.parseHook('session-start', fork, {})).toMatchObject({
    type: 'session-start',
    previousSession: 'p',
  })
})

test('a compaction is reported before it happens, and the session start after it means nothing', () => {
  expect(factoryaiDroid.parseHook('pre-compact', { ...payload, trigger: 'auto' }, {})).toEqual({
    type: 'compaction',
    ...base,
  })
  expect(factoryaiDroid.parseHook('session-start', { ...payload, source: 'compact' }, {})).toBeNull()
})

test('the id of a subagent is derived from its task, and is the same at its start and its end', () => {
  const task = {
    ...payload,
    tool_name: 'Task',
    tool_input: { subagent_type: 'worker', description: 'Look', prompt: 'look around' },
  }
  const about = {
    ...base,
    // sha256 of the session, the tool and its input, each on a line
    toolUse: `factorytask_${new Bun.CryptoHasher('sha256')
      .update(`s\nTask\n${JSON.stringify(task.tool_input)}`)
      .digest('hex')
      .slice(0, 16)}`,
    toolName: 'Task',
    toolInput: task.tool_input,
    subagentType: 'worker',
    taskDescription: 'Look',
  }
  expect(factoryaiDroid.parseHook('pre-tool-use', task, {})).toEqual({ type: 'subagent-start', ...about })
  expect(factoryaiDroid.parseHook('post-tool-use', { ...task, tool_response: 'done' }, {})).toEqual({
    type: 'subagent-end',
    ...about,
  })
  expect(factoryaiDroid.parseHook('pre-tool-use', { ...task, tool_use_id: 'call/1' }, {})).toMatchObject({
    toolUse: 'call_1',
  })
})

test('other tools, the end of a subagent and notifications mean nothing', () => {
  for (const verb of ['pre-tool-use', 'post-tool-use', 'subagent-stop', 'notification'])
    expect(
      factoryaiDroid.parseHook(verb, { ...payload, tool_name: 'Execute', tool_input: {} }, {}),
    ).toBeNull()
})

test('a payload without a session and an unknown hook are refused', () => {
  expect(() => factoryaiDroid.parseHook('stop', { session_id: '' }, { session_id: 's' })).toThrow(
    expect.objectContaining({ code: 'bad-payload' }),
  )
  expect(() => factoryaiDroid.parseHook('future', payload, {})).toThrow(
    expect.objectContaining({ code: 'unknown-hook' }),
  )
})

test('any values in a payload give an event or null', () => {
  const keys = [
    'transcript_path',
    'prompt',
    'source',
    'previous_session_id',
    'tool_use_id',
    'tool_input',
    'hook_event_name',
    'future',
  ]
  fc.assert(
    fc.property(
      fc.constantFrom(...factoryaiDroid.hookNames),
      fc.dictionary(fc.constantFrom(...keys), fc.jsonValue()),
      (verb, fields) => {
        const event = factoryaiDroid.parseHook(
          verb,
          { tool_name: 'Task', ...fields, session_id: 's' } as never,
          {},
        )
        for (const field of ['transcript', 'prompt', 'previousSession'] as const)
          expect(['string', 'undefined']).toContain(typeof event?.[field])
        expect(event?.toolUse ?? '_').toMatch(/^[A-Za-z0-9_-]+$/)
      },
    ),
  )
})

test('the session belongs to the directory it was started in', () => {
  expect(factoryaiDroid.projectDir({ cwd: '/repo/sub' }, { FACTORY_PROJECT_DIR: '/repo' })).toBe('/repo')
  expect(factoryaiDroid.projectDir({ cwd: '/repo/sub' }, { cwd: '/other' })).toBe('/repo/sub')
})

test('a message for the user is plain text', () => {
  expect(factoryaiDroid.hookResponse('\n\nHello.')).toBe('Hello.\n')
})

import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import type { AgentEvent } from '../../model/event.ts'
import { gemini } from './index.ts'

const fixtures = join(import.meta.dir, '../../../test/fixtures/agents/gemini')
const chats = '/home/dev/.gemini/tmp/proj/chats'

interface Scenario {
  session: string
  transcript: string
  prompt: string
  resumed?: boolean
}

const scenarios: Record<string, Scenario> = {
  'run1-create': {
    session: 'c6e3dc5e-7c40-4655-b6db-87627775080b',
    transcript: `${chats}/session-2026-11-15T19-21-c6e3dc5e.jsonl`,
    prompt: 'create hello.txt',
  },
  'run2-resume-edit': {
    session: 'c6e3dc5e-7c40-4655-b6db-87627775080b',
    transcript: `${chats}/session-2026-11-15T19-21-c6e3dc5e.jsonl`,
    prompt: 'edit hello.txt',
    resumed: true,
  },
  'run3-commit': {
    session: '31bb86db-bcbb-4be1-bd15-f60bac2d4a74',
    transcript: `${chats}/session-2026-11-15T19-22-31bb86db.jsonl`,
    prompt: 'commit the work',
  },
  'run9-commit-githooks': {
    session: '201c8775-12bb-40f5-8217-b2886f8f9455',
    transcript: `${chats}/session-2026-11-15T19-24-201c8775.jsonl`,
    prompt: 'commit the work',
  },
  'run10-subagent': {
    session: '89118801-b5d5-4081-9f53-49cd1e72ce65',
    transcript: `${chats}/session-2026-11-15T19-46-89118801.jsonl`,
    prompt: 'delegate it',
  },
}

/**
 * What each hook of a scenario means. A resume begins with a stub in place of the transcript, which is not
 * passed on.
 */
function expected(
  { session, transcript, prompt, resumed }: Scenario,
  hook: string,
): Omit<AgentEvent, 'timestamp'> | null {
  const events: Record<string, Omit<AgentEvent, 'timestamp'>> = {
    SessionStart: { type: 'session-start', session, ...(resumed ? {} : { transcript }) },
    BeforeAgent: { type: 'turn-start', session, transcript, prompt },
    AfterAgent: { type: 'turn-end', session, transcript },
    SessionEnd: { type: 'session-end', session, transcript },
  }
  return events[hook] ?? null
}

const rows = Object.entries(scenarios).flatMap(([scenario, facts]) =>
  readdirSync(join(fixtures, scenario, 'hooks')).map((file) => [scenario, file, facts] as const),
)

test.each(rows)('%s %s becomes the expected event', (scenario, file, facts) => {
  const hook = /^\d+-(\w+)\.json$/.exec(file)?.[1] ?? ''
  const verb = hook.replace(/(?!^)[A-Z]/g, '-$&').toLowerCase()
  const payload = JSON.parse(readFileSync(join(fixtures, scenario, 'hooks', file), 'utf8'))
  const event = expected(facts, hook)
  expect(gemini.parseHook(verb, payload, {})).toEqual(event && { ...event, timestamp: payload.timestamp })
})

test('compression is a compaction when the user asks for it; the automatic hook fires before every call and means nothing', () => {
  const payload = { session_id: 's', transcript_path: '/t.jsonl' }
  expect(gemini.parseHook('pre-compress', { ...payload, trigger: 'manual' }, {})).toEqual({
    type: 'compaction',
    session: 's',
    transcript: '/t.jsonl',
  })
  expect(gemini.parseHook('pre-compress', payload, {})).toMatchObject({ type: 'compaction' })
  expect(gemini.parseHook('pre-compress', { ...payload, trigger: 'auto' }, {})).toBeNull()
})

test('context that a hook injected is not part of the prompt', () => {
  const payload = { session_id: 's', prompt: 'go\n<hook_context>be quick</hook_context>' }
  expect(gemini.parseHook('before-agent', payload, {})).toEqual({
    type: 'turn-start',
    session: 's',
    prompt: 'go',
  })
})

test('a payload without a session and an unknown hook are refused', () => {
  expect(() => gemini.parseHook('after-agent', { session_id: '' }, {})).toThrow(
    expect.objectContaining({ code: 'bad-payload' }),
  )
  expect(() => gemini.parseHook('stop', { session_id: 's' }, {})).toThrow(
    expect.objectContaining({ code: 'unknown-hook', hint: expect.stringContaining('before-agent') }),
  )
})

test('any values in a payload give an event or null', () => {
  const keys = [
    'transcript_path',
    'prompt',
    'timestamp',
    'source',
    'trigger',
    'reason',
    'tool_name',
    'future',
  ]
  fc.assert(
    fc.property(
      fc.constantFrom(...gemini.hookNames),
      fc.dictionary(fc.constantFrom(...keys), fc.jsonValue()),
      (verb, payload) => {
        const event = gemini.parseHook(verb, { ...payload, session_id: 's' } as never, {})
        for (const field of ['transcript', 'prompt', 'timestamp'] as const)
          expect(['string', 'undefined']).toContain(typeof event?.[field])
      },
    ),
  )
})

test('the session belongs to the directory it was started in', () => {
  expect(gemini.projectDir({ cwd: '/repo/sub' }, { GEMINI_PROJECT_DIR: '/repo' })).toBe('/repo')
  expect(gemini.projectDir({ cwd: '/repo/sub' }, {})).toBe('/repo/sub')
})

import { afterAll, expect, test } from 'bun:test'
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import type { JsonObject } from '../../std/json.ts'
import { copilotCli } from './index.ts'

const fixtures = join(import.meta.dir, '../../../test/fixtures/agents/copilot-cli')
const home = mkdtempSync(join(tmpdir(), 'entire-copilot-hooks-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** The payload of a captured hook, with the transcript as it was when the hook ran. */
function replayed(scenario: string, file: string): JsonObject {
  cpSync(join(fixtures, scenario, 'home'), home, { recursive: true })
  const payload = JSON.parse(readFileSync(join(fixtures, scenario, 'hooks', `${file}.json`), 'utf8'))
  const path = join(home, '.copilot/session-state', payload.sessionId, 'events.jsonl')
  const lines = readFileSync(path, 'utf8').split('\n')
  const at = lines.findIndex(
    (line) => line.includes('"hook.start"') && line.includes(`"timestamp":${payload.timestamp}`),
  )
  writeFileSync(path, `${lines.slice(0, at + 1).join('\n')}\n`)
  return { ...payload, ...(payload.transcriptPath === undefined ? {} : { transcriptPath: path }) }
}

test('when a hook kept the agent from stopping, a turn begins without a prompt', async () => {
  const event = await copilotCli.parseHook(
    'user-prompt-submitted',
    replayed('stop-blocked', '007-userPromptSubmitted'),
    { HOME: home },
  )
  expect(event).toMatchObject({ type: 'turn-start', session: '6cd05bf4-1855-4f23-8403-1dfc88615a76' })
  expect(event).not.toHaveProperty('prompt')
})

test('parsing waits for a reason that is written late', async () => {
  const payload = replayed('stop-blocked', '007-userPromptSubmitted')
  const path = join(home, '.copilot/session-state', String(payload.sessionId), 'events.jsonl')
  const lines = readFileSync(path, 'utf8').split('\n')
  const stop = lines.findIndex((line) => line.includes('"hook.start"') && line.includes('"agentStop"'))
  writeFileSync(path, `${lines.slice(0, stop + 1).join('\n')}\n`)
  const event = copilotCli.parseHook('user-prompt-submitted', payload, { HOME: home })
  appendFileSync(path, lines.slice(stop + 1).join('\n'))
  expect(await event).not.toHaveProperty('prompt')
})

test('text that the user types after a blocked stop is a prompt', async () => {
  const payload = { ...replayed('stop-blocked', '007-userPromptSubmitted'), prompt: 'stop it' }
  expect(await copilotCli.parseHook('user-prompt-submitted', payload, { HOME: home })).toMatchObject({
    prompt: 'stop it',
  })
  const later = {
    ...replayed('stop-blocked', '009-sessionEnd'),
    prompt: 'Please say nothing special instead.',
  }
  expect(await copilotCli.parseHook('user-prompt-submitted', later, { HOME: home })).toMatchObject({
    prompt: later.prompt,
  })
})

test('the task of a subagent is found in the transcript', async () => {
  const start = replayed('subagent', '004-subagentStart')
  expect(await copilotCli.parseHook('subagent-start', start, { HOME: home })).toMatchObject({
    taskDescription: 'Write two files',
  })
  const stop = replayed('subagent', '013-subagentStop')
  expect(await copilotCli.parseHook('subagent-stop', stop, { HOME: home })).toMatchObject({
    taskDescription: 'Write two files',
  })
})

test.each([
  ['camelCase', { sessionId: 's', timestamp: 1794771246448, transcriptPath: '/t/s/events.jsonl' }],
  [
    'snake_case',
    {
      session_id: 's',
      timestamp: '2026-11-15T19:34:06.448Z',
      transcript_path: '/t/s/events.jsonl',
      hook_event_name: 'Stop',
    },
  ],
  [
    'the mixture of VS Code',
    {
      sessionId: 's',
      timestamp: '2026-11-15T19:34:06.448Z',
      transcript_path: '/t/s/events.jsonl',
      hookEventName: 'Stop',
    },
  ],
])('payloads of every spelling give the same event: %s', async (_name, payload) => {
  const base = { session: 's', transcript: '/t/s/events.jsonl', timestamp: '2026-11-15T19:34:06.448Z' }
  expect(await copilotCli.parseHook('agent-stop', payload, {})).toEqual({ type: 'turn-end', ...base })
})

test('the path of the transcript follows from a valid session id, except in VS Code', () => {
  const env = { COPILOT_HOME: '/c', HOME: '/h' }
  const start = (payload: JsonObject) => copilotCli.parseHook('session-start', payload, env)
  expect(start({ sessionId: 'a-1' })).toMatchObject({ transcript: '/c/session-state/a-1/events.jsonl' })
  expect(start({ session_id: 'a-1', hook_event_name: 'SessionStart' })).toMatchObject({
    transcript: '/c/session-state/a-1/events.jsonl',
  })
  expect(start({ sessionId: 'a-1', hookEventName: 'SessionStart' })).not.toHaveProperty('transcript')
  expect(start({ sessionId: '../../x' })).not.toHaveProperty('transcript')
})

test('the work of nested subagents counts for the session', async () => {
  const payload = {
    sessionId: 'inner-parent',
    agentId: 'inner',
    agentName: 'explore',
    parentAgentId: 'inner-parent',
    transcriptPath: '/home/dev/.copilot/session-state/outer/events.jsonl',
  }
  const task = {
    session: 'outer',
    toolUse: 'inner',
    subagent: 'inner',
    subagentType: 'explore',
    transcript: payload.transcriptPath,
  }
  expect(await copilotCli.parseHook('subagent-stop', payload, {})).toEqual({ type: 'subagent-end', ...task })
  expect(await copilotCli.parseHook('subagent-stop', { ...payload, transcriptPath: '' }, {})).toMatchObject({
    session: 'inner-parent',
  })
})

test('a session whose id is that of a tool call belongs to a subagent', async () => {
  const payload = { sessionId: 'toolu_01', prompt: 'go' }
  for (const verb of [
    'session-start',
    'user-prompt-submitted',
    'agent-stop',
    'session-end',
    'pre-compact',
    'subagent-stop',
  ])
    expect(await copilotCli.parseHook(verb, payload, {})).toBeNull()
  const stop = {
    ...payload,
    agentId: 'a1',
    transcriptPath: '/home/dev/.copilot/session-state/s1/events.jsonl',
  }
  expect(await copilotCli.parseHook('subagent-stop', stop, {})).toMatchObject({
    type: 'subagent-end',
    session: 's1',
    subagent: 'a1',
  })
})

test('text that the agent puts around a prompt is removed', async () => {
  const prompt = '<current_datetime>2026-11-15T19:34:06Z</current_datetime>\n\ngo\n<reminder>tests</reminder>'
  expect(await copilotCli.parseHook('user-prompt-submitted', { sessionId: 's', prompt }, {})).toMatchObject({
    prompt: 'go',
  })
})

test('a payload without a session and an unknown hook are refused', () => {
  expect(() => copilotCli.parseHook('agent-stop', { sessionId: '' }, {})).toThrow(
    expect.objectContaining({ code: 'bad-payload' }),
  )
  expect(() => copilotCli.parseHook('stop', { sessionId: 's' }, {})).toThrow(
    expect.objectContaining({ code: 'unknown-hook', hint: expect.stringContaining('agent-stop') }),
  )
})

test('any values in a payload give an event or null', async () => {
  const keys = [
    'timestamp',
    'transcriptPath',
    'prompt',
    'agentId',
    'agentType',
    'parentAgentId',
    'hookEventName',
    'stopReason',
    'future',
  ]
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...copilotCli.hookNames),
      fc.dictionary(fc.constantFrom(...keys), fc.jsonValue()),
      async (verb, payload) => {
        const event = await copilotCli.parseHook(verb, { ...payload, sessionId: 's' } as never, {
          HOME: home,
        })
        for (const field of ['transcript', 'prompt', 'timestamp', 'subagent'] as const)
          expect(['string', 'undefined']).toContain(typeof event?.[field])
      },
    ),
  )
})

test('the session belongs to the repository whose hooks run, wherever it was started', () => {
  expect(copilotCli.projectDir({ cwd: '/repo/sub' }, { COPILOT_PROJECT_DIR: '/repo' })).toBe('/repo')
  expect(copilotCli.projectDir({ cwd: '/repo/sub' }, {})).toBe('/repo/sub')
})

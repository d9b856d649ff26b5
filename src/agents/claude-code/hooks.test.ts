import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { claudeCode } from './index.ts'

const fixtures = join(import.meta.dir, '../../../test/fixtures/agents/claude-code')
const home = mkdtempSync(join(tmpdir(), 'entire-claude-hooks-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** The background scenario with its files, as they were on disk when the subagent ended. */
function backgroundPayload(name: string, meta?: string) {
  const dir = join(home, name)
  const payload = JSON.parse(readFileSync(join(fixtures, 's4-subagent/013-SubagentStop.json'), 'utf8'))
  mkdirSync(join(dir, 'subagents'), { recursive: true })
  writeFileSync(
    join(dir, 'main.jsonl'),
    readFileSync(join(fixtures, 's4-subagent/013-SubagentStop.transcript-at-hook.jsonl')),
  )
  if (meta !== undefined) writeFileSync(join(dir, 'subagents/agent-a0dbc9b03db2772af.meta.json'), meta)
  return {
    ...payload,
    transcript_path: join(dir, 'main.jsonl'),
    agent_transcript_path: join(dir, 'subagents/agent-a0dbc9b03db2772af.jsonl'),
  }
}

test.each([
  [
    'the description beside its transcript',
    '{"agentType":"general-purpose","description":"From meta","toolUseId":"toolu_meta"}',
    'toolu_meta',
    'From meta',
  ],
  [
    'the result of its launch in the main transcript',
    undefined,
    'toolu_01ykKVNfVxiiuMgvSRbPMfBJ',
    'Write sub.txt',
  ],
  [
    'the launch, when the description is broken',
    '{"toolUseId":',
    'toolu_01ykKVNfVxiiuMgvSRbPMfBJ',
    'Write sub.txt',
  ],
  [
    'the launch, when the description names no tool call',
    '{"toolUseId":7}',
    'toolu_01ykKVNfVxiiuMgvSRbPMfBJ',
    'Write sub.txt',
  ],
])('the tool call of a background subagent is found in %s', (name, meta, toolUse, taskDescription) => {
  expect(claudeCode.parseHook('subagent-stop', backgroundPayload(name, meta), {})).toMatchObject({
    toolUse,
    taskDescription,
  })
})

test('a resume keeps its transcript when the file exists', () => {
  const transcript = join(home, 'there.jsonl')
  writeFileSync(transcript, '')
  const event = claudeCode.parseHook(
    'session-start',
    { session_id: 's', source: 'resume', transcript_path: transcript },
    {},
  )
  expect(event).toEqual({ type: 'session-start', session: 's', transcript })
})

test('an id that leads out of the directory gives no path', () => {
  const payload = {
    session_id: 's',
    transcript_path: '/t/s.jsonl',
    tool_use_id: 't',
    tool_response: { agentId: '../../etc/passwd' },
  }
  expect(claudeCode.parseHook('post-task', payload, {})).toEqual({
    type: 'subagent-end',
    session: 's',
    transcript: '/t/s.jsonl',
    toolUse: 't',
    subagent: '../../etc/passwd',
  })
})

test('a payload without a session is refused', () => {
  for (const payload of [{}, { session_id: '' }, { session_id: 7 }, { session_id: null }])
    expect(() => claudeCode.parseHook('stop', payload, {})).toThrow(
      expect.objectContaining({ code: 'bad-payload' }),
    )
})

test('an unknown hook is refused with the known ones', () => {
  for (const verb of ['nope', 'toString', '__proto__', ''])
    expect(() => claudeCode.parseHook(verb, { session_id: 's' }, {})).toThrow(
      expect.objectContaining({ code: 'unknown-hook', hint: expect.stringContaining('user-prompt-submit') }),
    )
})

test('any values in a payload give an event or null', () => {
  const keys = [
    'transcript_path',
    'prompt',
    'tool_use_id',
    'tool_input',
    'tool_response',
    'tool_name',
    'agent_id',
    'agent_type',
    'background_tasks',
    'last_assistant_message',
    'source',
    'model',
    'future',
  ]
  const odd = fc.oneof(
    fc.jsonValue(),
    fc.record({
      id: fc.jsonValue(),
      agentId: fc.jsonValue(),
      status: fc.jsonValue(),
      description: fc.jsonValue(),
    }),
  )
  fc.assert(
    fc.property(
      fc.constantFrom(...claudeCode.hookNames),
      fc.dictionary(fc.constantFrom(...keys), odd),
      (verb, payload) => {
        const event = claudeCode.parseHook(verb, { ...payload, session_id: 's' } as never, {})
        expect(event === null || event.session === 's').toBe(true)
        for (const field of [
          'transcript',
          'prompt',
          'toolUse',
          'subagent',
          'subagentType',
          'taskDescription',
          'model',
          'lastMessage',
        ] as const)
          expect(['string', 'undefined']).toContain(typeof event?.[field])
      },
    ),
  )
})

test('the session belongs to the directory it was started in, wherever the agent changes to', () => {
  expect(claudeCode.projectDir({ cwd: '/repo/sub' }, { CLAUDE_PROJECT_DIR: '/repo' })).toBe('/repo')
  expect(claudeCode.projectDir({ cwd: '/repo/sub' }, {})).toBe('/repo/sub')
  expect(claudeCode.projectDir({}, {})).toBeUndefined()
})

test('a git hook of a commit by the agent sees the variables that identify the agent', () => {
  const env = Object.fromEntries(
    readFileSync(join(fixtures, 's17-commit-githookenv/git-post-commit.env'), 'utf8')
      .split('\n')
      .map((line) => line.split('=') as [string, string]),
  )
  for (const name of claudeCode.callerEnv) expect(env[name]).toBeTruthy()
  expect(env[claudeCode.callerSessionEnv ?? '']).toBe('7a1f5a4b-2a4b-493d-addb-8449cd93294d')
})

test('a message for the user is a systemMessage', () => {
  expect(claudeCode.hookResponse?.('two\n"lines"')).toBe('{"systemMessage":"two\\n\\"lines\\""}\n')
})

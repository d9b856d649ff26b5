import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentEvent } from '../../model/event.ts'
import { copilotCli } from './index.ts'

const fixtures = join(import.meta.dir, '../../../test/fixtures/agents/copilot-cli')
const pascal: Record<string, string> = { UserPromptSubmit: 'user-prompt-submitted', Stop: 'agent-stop' }
const verbOf = (hook: string) => pascal[hook] ?? hook.replace(/(?!^)[A-Z]/g, '-$&').toLowerCase()

const main = 'dfe59430-ad73-4e15-af15-a9a2b70ebb91'
const withPascal = '79048a6c-a2b0-4937-b0f1-dbc75487d1f6'
const helper = '4bff2ad4-c1ee-43da-8700-b956c1a714d9'
const background = '2c8fe67c-338e-42df-8553-f2fa7ca485fa'
const origin = '35203ed2-f7ed-488a-bec7-6964b7ce4f0d'
const fork = 'b172b09e-9ccb-4000-8c79-6d34c3ae6cda'
const task = (subagent: string) => ({ toolUse: subagent, subagent, subagentType: 'general-purpose' })

type Meaning = Omit<AgentEvent, 'session' | 'transcript' | 'timestamp'>

/** The session, and the event of each hook; hooks that are not named mean nothing. */
const scenarios: Record<
  string,
  [session: string, meanings: Record<string, Meaning | [session: string, Meaning]>]
> = {
  'run1-create': [
    main,
    {
      '001-sessionStart': { type: 'session-start' },
      '002-userPromptSubmitted': { type: 'turn-start', prompt: 'create hello.txt' },
      '006-agentStop': { type: 'turn-end' },
      '007-sessionEnd': { type: 'session-end' },
    },
  ],
  'run2-resume-edit': [
    main,
    {
      '001-sessionStart': { type: 'session-start' },
      '002-userPromptSubmitted': { type: 'turn-start', prompt: 'edit hello.txt' },
      '008-agentStop': { type: 'turn-end' },
      '009-sessionEnd': { type: 'session-end' },
    },
  ],
  'run3-commit-continue': [
    main,
    {
      '001-sessionStart': { type: 'session-start' },
      '002-userPromptSubmitted': { type: 'turn-start', prompt: 'commit the work' },
      '006-agentStop': { type: 'turn-end' },
      '007-sessionEnd': { type: 'session-end' },
    },
  ],
  'run9-pascal-create': [
    withPascal,
    {
      '001-SessionStart': { type: 'session-start' },
      '002-UserPromptSubmit': { type: 'turn-start', prompt: 'create hello.txt' },
      '003-Stop': { type: 'turn-end' },
      '004-SessionEnd': { type: 'session-end' },
    },
  ],
  // 005 and 012 are a prompt and a stop of the subagent, under its own id.
  subagent: [
    '4bbac332-8302-4a9c-870e-9453f98709ad',
    {
      '001-sessionStart': { type: 'session-start' },
      '002-userPromptSubmitted': { type: 'turn-start', prompt: 'write via helper' },
      '004-subagentStart': { type: 'subagent-start', ...task(helper) },
      '013-subagentStop': { type: 'subagent-end', ...task(helper) },
      '015-agentStop': { type: 'turn-end' },
      '016-sessionEnd': { type: 'session-end' },
    },
  ],
  // The session ends before its subagent does, and continues when the subagent has finished.
  'subagent-background': [
    'e7da70ab-1e20-4df5-a6b7-33c135e86f4b',
    {
      '001-sessionStart': { type: 'session-start' },
      '002-userPromptSubmitted': { type: 'turn-start', prompt: 'helper in background' },
      '005-subagentStart': { type: 'subagent-start', ...task(background) },
      '006-agentStop': { type: 'turn-end' },
      '008-sessionEnd': { type: 'session-end' },
      '016-subagentStop': { type: 'subagent-end', ...task(background) },
      '017-userPromptSubmitted': { type: 'turn-start' },
      '019-agentStop': { type: 'turn-end' },
      '020-sessionEnd': { type: 'session-end' },
    },
  ],
  // Without a transcript, the reason of a hook cannot be told from a prompt.
  'stop-blocked': [
    '6cd05bf4-1855-4f23-8403-1dfc88615a76',
    {
      '001-sessionStart': { type: 'session-start' },
      '002-userPromptSubmitted': { type: 'turn-start', prompt: 'create hello.txt' },
      '006-agentStop': { type: 'turn-end' },
      '007-userPromptSubmitted': { type: 'turn-start', prompt: 'Please say nothing special instead.' },
      '008-agentStop': { type: 'turn-end' },
      '009-sessionEnd': { type: 'session-end' },
    },
  ],
  // The second turn has no end.
  interrupted: [
    'd48964a3-08fe-47bc-9a75-409eafff9065',
    {
      '001-sessionStart': { type: 'session-start' },
      '002-userPromptSubmitted': { type: 'turn-start', prompt: 'say nothing special' },
      '003-agentStop': { type: 'turn-end' },
      '004-userPromptSubmitted': { type: 'turn-start', prompt: 'take your time' },
      '010-userPromptSubmitted': { type: 'turn-start', prompt: 'say nothing special again' },
      '011-agentStop': { type: 'turn-end' },
      '012-sessionEnd': { type: 'session-end' },
    },
  ],
  'compact-fork': [
    origin,
    {
      '001-sessionStart': { type: 'session-start' },
      '002-userPromptSubmitted': { type: 'turn-start', prompt: 'create hello.txt' },
      '006-agentStop': { type: 'turn-end' },
      '007-preCompact': { type: 'compaction' },
      '008-userPromptSubmitted': { type: 'turn-start', prompt: 'edit hello.txt' },
      '014-agentStop': { type: 'turn-end' },
      '015-userPromptSubmitted': { type: 'turn-start', prompt: 'take your time' },
      '021-sessionStart': [fork, { type: 'session-start' }],
      '022-userPromptSubmitted': [fork, { type: 'turn-start', prompt: 'say nothing special' }],
      '023-agentStop': [fork, { type: 'turn-end' }],
      '024-sessionEnd': [fork, { type: 'session-end' }],
      '025-sessionEnd': { type: 'session-end' },
    },
  ],
  'tool-failed': [
    'd7ef5fab-fd2a-4b31-a4dc-403f4f3229dd',
    {
      '001-sessionStart': { type: 'session-start' },
      '002-userPromptSubmitted': { type: 'turn-start', prompt: 'write badly' },
      '005-agentStop': { type: 'turn-end' },
      '006-sessionEnd': { type: 'session-end' },
    },
  ],
  anthropic: [
    '795f0b2f-031c-4bf8-b042-83b15fe87e1a',
    {
      '001-sessionStart': { type: 'session-start' },
      '002-userPromptSubmitted': { type: 'turn-start', prompt: 'create hello.txt' },
      '006-agentStop': { type: 'turn-end' },
      '007-sessionEnd': { type: 'session-end' },
    },
  ],
}

const rows = Object.entries(scenarios).flatMap(([scenario, [session, meanings]]) =>
  readdirSync(join(fixtures, scenario, 'hooks')).map((file) => {
    const meaning = meanings[file.replace('.json', '')]
    const [of, means] = Array.isArray(meaning) ? meaning : [session, meaning]
    return [scenario, file, of, means] as const
  }),
)

test.each(rows)('%s %s becomes the expected event', async (scenario, file, session, meaning) => {
  const payload = JSON.parse(readFileSync(join(fixtures, scenario, 'hooks', file), 'utf8'))
  const event = await copilotCli.parseHook(verbOf(file.slice(4, -5)), payload, { HOME: '/home/dev' })
  const timestamp = new Date(payload.timestamp).toISOString()
  const transcript = `/home/dev/.copilot/session-state/${session}/events.jsonl`
  expect(event).toEqual(meaning === undefined ? null : { ...meaning, session, transcript, timestamp })
})

test('every row of the table was captured', () => {
  for (const [scenario, [, meanings]] of Object.entries(scenarios)) {
    const captured = readdirSync(join(fixtures, scenario, 'hooks')).map((file) => file.replace('.json', ''))
    expect(captured).toEqual(expect.arrayContaining(Object.keys(meanings)))
  }
})

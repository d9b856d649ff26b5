import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentEvent } from '../../model/event.ts'
import { claudeCode } from './index.ts'

const fixtures = join(import.meta.dir, '../../../test/fixtures/agents/claude-code')

const projects = '/home/dev/.claude/projects/-home-dev-app'
const ids = {
  a: 'aaaaaaaa-0001-4000-8000-000000000001',
  commit: '7a1f5a4b-2a4b-493d-addb-8449cd93294d',
  todo: '96da8732-c6a3-40e9-85de-dc0a976802cc',
  background: 'f7e03d23-f3b9-4298-adcd-de4c2fe456a6',
  foreground: '880c319a-38f8-4cf8-9e97-1cd5be3e4127',
  failing: '56b00090-beb3-4904-94c0-99cfc2c4f867',
}
const base = (session: string) => ({ session, transcript: `${projects}/${session}.jsonl` })
const task = {
  description: 'Write sub.txt',
  prompt: 'SUBAGENT-WRITE sub.txt',
  subagent_type: 'general-purpose',
}
const described = { toolName: 'Agent', subagentType: 'general-purpose', taskDescription: 'Write sub.txt' }
const steps = (first: string, second: string) => ({
  todos: [
    { content: 'First step', status: first, activeForm: 'Doing first step' },
    { content: 'Second step', status: second, activeForm: 'Doing second step' },
  ],
})

// Every payload of a scenario in order of arrival. A resume has no transcript here, because the paths are
// those of another machine.
const scenarios: Record<string, [string, string, AgentEvent | null][]> = {
  'A1-create': [
    ['001-SessionStart', 'session-start', { type: 'session-start', ...base(ids.a) }],
    [
      '002-UserPromptSubmit',
      'user-prompt-submit',
      { type: 'turn-start', ...base(ids.a), prompt: 'create hello.txt' },
    ],
    ['008-Stop', 'stop', { type: 'turn-end', ...base(ids.a), lastMessage: 'Created hello.txt.' }],
    ['009-SessionEnd', 'session-end', { type: 'session-end', ...base(ids.a) }],
  ],
  'A2-resume-edit': [
    ['001-SessionStart', 'session-start', { type: 'session-start', session: ids.a }],
    [
      '002-UserPromptSubmit',
      'user-prompt-submit',
      { type: 'turn-start', ...base(ids.a), prompt: 'edit hello.txt' },
    ],
    ['012-Stop', 'stop', { type: 'turn-end', ...base(ids.a), lastMessage: 'Edited hello.txt.' }],
    ['013-SessionEnd', 'session-end', { type: 'session-end', ...base(ids.a) }],
  ],
  'A3-continue-commit': [
    ['001-SessionStart', 'session-start', { type: 'session-start', session: ids.a }],
    [
      '002-UserPromptSubmit',
      'user-prompt-submit',
      { type: 'turn-start', ...base(ids.a), prompt: 'commit the changes' },
    ],
    ['008-Stop', 'stop', { type: 'turn-end', ...base(ids.a), lastMessage: 'Committed.' }],
    ['009-SessionEnd', 'session-end', { type: 'session-end', ...base(ids.a) }],
  ],
  'A4-compact': [
    ['001-SessionStart', 'session-start', { type: 'session-start', session: ids.a }],
    ['002-PreCompact', 'pre-compact', { type: 'compaction', ...base(ids.a) }],
    ['003-SubagentStop', 'subagent-stop', null],
    ['004-SessionStart', 'session-start', null],
    ['006-SessionEnd', 'session-end', { type: 'session-end', ...base(ids.a) }],
  ],
  's17-commit-githookenv': [
    ['001-SessionStart', 'session-start', { type: 'session-start', ...base(ids.commit) }],
    [
      '002-UserPromptSubmit',
      'user-prompt-submit',
      { type: 'turn-start', ...base(ids.commit), prompt: 'commit everything' },
    ],
    ['008-Stop', 'stop', { type: 'turn-end', ...base(ids.commit), lastMessage: 'Committed.' }],
    ['009-SessionEnd', 'session-end', { type: 'session-end', ...base(ids.commit) }],
  ],
  's23-todo-tools0': [
    ['001-SessionStart', 'session-start', { type: 'session-start', ...base(ids.todo) }],
    [
      '002-UserPromptSubmit',
      'user-prompt-submit',
      { type: 'turn-start', ...base(ids.todo), prompt: 'make a todo list' },
    ],
    [
      '005-PostToolUse',
      'post-todo',
      {
        type: 'subagent-end',
        ...base(ids.todo),
        final: false,
        toolUse: 'toolu_01NlCxyTpwQycxFpAwN2mTtw',
        toolName: 'TodoWrite',
        toolInput: steps('in_progress', 'pending'),
      },
    ],
    [
      '008-PostToolUse',
      'post-todo',
      {
        type: 'subagent-end',
        ...base(ids.todo),
        final: false,
        toolUse: 'toolu_01BHcyIHqqwD3inDygGpZ3xi',
        toolName: 'TodoWrite',
        toolInput: steps('completed', 'completed'),
      },
    ],
    ['011-Stop', 'stop', { type: 'turn-end', ...base(ids.todo), lastMessage: 'Plan recorded.' }],
    ['012-SessionEnd', 'session-end', { type: 'session-end', ...base(ids.todo) }],
  ],
  's4-subagent': [
    ['001-SessionStart', 'session-start', { type: 'session-start', ...base(ids.background) }],
    [
      '002-UserPromptSubmit',
      'user-prompt-submit',
      { type: 'turn-start', ...base(ids.background), prompt: 'spawn a subagent' },
    ],
    [
      '004-PreToolUse',
      'pre-task',
      {
        type: 'subagent-start',
        ...base(ids.background),
        ...described,
        toolUse: 'toolu_01ykKVNfVxiiuMgvSRbPMfBJ',
        toolInput: task,
      },
    ],
    ['005-PostToolUse', 'post-task', null],
    [
      '011-Stop',
      'stop',
      { type: 'turn-end', ...base(ids.background), lastMessage: 'The subagent wrote sub.txt.' },
    ],
    [
      '013-SubagentStop',
      'subagent-stop',
      {
        type: 'subagent-end',
        ...base(ids.background),
        subagent: 'a0dbc9b03db2772af',
        subagentTranscript: `${projects}/${ids.background}/subagents/agent-a0dbc9b03db2772af.jsonl`,
        subagentType: 'general-purpose',
        taskDescription: 'Write sub.txt',
        lastMessage: 'Subagent done: wrote sub.txt.',
      },
    ],
    ['014-UserPromptSubmit', 'user-prompt-submit', { type: 'turn-start', ...base(ids.background) }],
    [
      '016-Stop',
      'stop',
      { type: 'turn-end', ...base(ids.background), lastMessage: 'The subagent wrote sub.txt.' },
    ],
    ['017-SessionEnd', 'session-end', { type: 'session-end', ...base(ids.background) }],
  ],
  's4b-subagent-fg': [
    ['001-SessionStart', 'session-start', { type: 'session-start', ...base(ids.foreground) }],
    [
      '002-UserPromptSubmit',
      'user-prompt-submit',
      { type: 'turn-start', ...base(ids.foreground), prompt: 'spawn a subagent' },
    ],
    [
      '004-PreToolUse',
      'pre-task',
      {
        type: 'subagent-start',
        ...base(ids.foreground),
        ...described,
        toolUse: 'toolu_01vWaMkBwIs8V24uw5n0UCtQ',
        toolInput: { ...task, run_in_background: false },
      },
    ],
    ['009-SubagentStop', 'subagent-stop', null],
    [
      '010-PostToolUse',
      'post-task',
      {
        type: 'subagent-end',
        ...base(ids.foreground),
        ...described,
        toolUse: 'toolu_01vWaMkBwIs8V24uw5n0UCtQ',
        toolInput: { ...task, run_in_background: false },
        subagent: 'aa0288694bcbf428d',
        subagentTranscript: `${projects}/${ids.foreground}/subagents/agent-aa0288694bcbf428d.jsonl`,
      },
    ],
    [
      '013-Stop',
      'stop',
      { type: 'turn-end', ...base(ids.foreground), lastMessage: 'The subagent wrote sub.txt.' },
    ],
    ['014-SessionEnd', 'session-end', { type: 'session-end', ...base(ids.foreground) }],
  ],
  's8-bashfail': [
    ['001-SessionStart', 'session-start', { type: 'session-start', ...base(ids.failing) }],
    [
      '002-UserPromptSubmit',
      'user-prompt-submit',
      { type: 'turn-start', ...base(ids.failing), prompt: 'run a failing command' },
    ],
    ['008-Stop', 'stop', { type: 'turn-end', ...base(ids.failing), lastMessage: 'It failed with exit 3.' }],
    ['009-SessionEnd', 'session-end', { type: 'session-end', ...base(ids.failing) }],
  ],
}

const payloadOf = (scenario: string, name: string) =>
  JSON.parse(readFileSync(join(fixtures, scenario, `${name}.json`), 'utf8'))
const rows = Object.entries(scenarios).flatMap(([scenario, events]) =>
  events.map(([name, verb, event]) => [scenario, name, verb, event] as const),
)

test.each(rows)('%s %s becomes the expected event', (scenario, name, verb, event) => {
  const payload = payloadOf(scenario, name)
  const first =
    event?.type === 'turn-start' && event.prompt !== undefined
      ? { firstMetadata: { firstPrompt: payload.prompt_id } }
      : {}
  expect(claudeCode.parseHook(verb, payload, {})).toEqual(event && { ...event, ...first })
})

test('every captured payload of an installed hook is in the table', () => {
  const ourHooks = /^\d+-(SessionStart|SessionEnd|UserPromptSubmit|Stop|SubagentStop|PreCompact)\.json$/
  for (const scenario of Object.keys(scenarios)) {
    const captured = readdirSync(join(fixtures, scenario)).filter((file) => ourHooks.test(file))
    expect(scenarios[scenario]?.map(([name]) => `${name}.json`)).toEqual(expect.arrayContaining(captured))
  }
})

import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentEvent } from '../../model/event.ts'
import { codex } from './index.ts'

const fixtures = join(import.meta.dir, '../../../test/fixtures/agents/codex')

const day = '/home/dev/.codex/sessions/2026/11/15'
const a = '01a1e0bb-f7e9-71d1-9885-c8386c66670e'
const compacted = '01a1e0b6-defd-7b70-9b1d-0cc44e161e4a'
const parent = '01a1e0aa-c180-75d2-9568-6000a8e1bc6f'
const child = '01a1e0aa-c2b2-73c0-8c7e-a95a0806d6f7'
const six = '01a1e0aa-d9f2-7501-93d7-ecc3f7ad64db'
const rollouts: Record<string, string> = {
  [a]: `${day}/rollout-2026-11-15T19-42-57-${a}.jsonl`,
  [compacted]: `${day}/rollout-2026-11-15T19-37-23-${compacted}.jsonl`,
  [parent]: `${day}/rollout-2026-11-15T19-24-09-${parent}.jsonl`,
  [child]: `${day}/rollout-2026-11-15T19-24-09-${child}.jsonl`,
  [six]: `${day}/rollout-2026-11-15T19-24-15-${six}.jsonl`,
}
const base = (session: string) => ({ session, transcript: String(rollouts[session]) })

/** The events of a run with one turn; hooks that are not named mean nothing. */
function turn(session: string, model: string, prompt: string): Record<string, AgentEvent> {
  return {
    SessionStart: { type: 'session-start', ...base(session), model },
    UserPromptSubmit: { type: 'turn-start', ...base(session), model, prompt },
    Stop: { type: 'turn-end', ...base(session), model },
    SessionEnd: { type: 'session-end', ...base(session) },
  }
}

const subagent = { session: parent, toolUse: child, subagent: child, subagentType: 'default' }

/** By the kind of hook, or by its number where two of a kind differ. */
const scenarios: Record<string, Record<string, AgentEvent | null>> = {
  'A1-create': turn(a, 'gpt-5.5', 'create hello.txt'),
  'A2-resume-edit': turn(a, 'gpt-5.5', 'edit hello.txt'),
  'A3-resume-last-commit': turn(a, 'gpt-5.5', 'commit the changes'),
  'c5-create-gpt6': turn(six, 'gpt-6-sol', 'create six.txt'),
  // The start after a compaction is in the middle of a turn.
  'c12-autocompact': {
    ...turn(compacted, 'gpt-5.5-codex', 'edit hello.txt'),
    PreCompact: { type: 'compaction', ...base(compacted), model: 'gpt-5.5-codex' },
    '007-SessionStart': null,
  },
  // A subagent submits a prompt of its own, under the id of the session and with a rollout of its own.
  'c4-subagent-gpt55': {
    ...turn(parent, 'gpt-5.5', 'spawn a subagent'),
    '006-UserPromptSubmit': null,
    SubagentStart: { type: 'subagent-start', ...subagent },
    SubagentStop: { type: 'subagent-end', ...subagent, subagentTranscript: String(rollouts[child]) },
  },
}

const rows = Object.entries(scenarios).flatMap(([scenario, events]) =>
  readdirSync(join(fixtures, scenario))
    .filter((file) => /^\d{3}-\w+\.json$/.test(file))
    .map((file) => {
      const name = file.replace('.json', '')
      return [
        scenario,
        name,
        events[name] !== undefined ? events[name] : (events[name.slice(4)] ?? null),
      ] as const
    }),
)

test.each(rows)('%s %s becomes the expected event', (scenario, name, event) => {
  const payload = JSON.parse(readFileSync(join(fixtures, scenario, `${name}.json`), 'utf8'))
  const verb = name
    .slice(4)
    .replace(/(?!^)[A-Z]/g, '-$&')
    .toLowerCase()
  expect(codex.parseHook(verb, payload, {})).toEqual(event)
})

// Calls every hook of every agent with payloads of future versions: the agent keeps working, the repository
// stays sound.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { agents } from '../../src/agents/all.ts'
import type { Json } from '../../src/std/json.ts'
import { recordedRepo } from '../support/recorded-repo.ts'
import { rotatingRows, rotationTitle } from '../support/rotation.ts'
import { readUserState } from '../support/user-state.ts'

setDefaultTimeout(120_000)

const names = ['session_id', 'sessionId', 'conversation_id']
const paths = ['transcript_path', 'transcriptPath', 'session_file', 'agent_transcript_path']
const others = [
  'cwd',
  'workspace_roots',
  'prompt',
  'model',
  'source',
  'tool_name',
  'tool_input',
  'tool_response',
  'tool_use_id',
  'timestamp',
]
const more = [
  'agent_id',
  'agentId',
  'agent_type',
  'background_tasks',
  'subagent_id',
  'task',
  'usage',
  'since',
  'last_assistant_message',
]

const named = (session: string) => Object.fromEntries(names.map((name) => [name, session]))
const all = (value: Json, fields = [...paths, ...others, ...more]) =>
  Object.fromEntries(fields.map((field) => [field, value]))

describe.each(
  agents
    .filter(({ hookNames }) => hookNames.length > 0)
    .map((agent) => [agent.name, agent.hookNames] as const),
)('%s', (agent, verbs) => {
  test(`neither more fields, nor null, nor values of another kind break a hook (${rotationTitle})`, async () => {
    await using repo = await recordedRepo({
      agent,
      env: { ENTIRE_TEST_OPENCODE_MOCK_EXPORT: '1' },
      isCommitted: true,
    })
    repo.write('mine.txt', 'mine\n')
    const before = readUserState(repo.repo).filter((line) => !line.includes('/.entire/'))
    const said: Record<string, object> = {
      future: {
        ...named('future'),
        cwd: repo.root,
        prompt: 'do it',
        of_the_future: { deep: [null] },
        hook_event_name: 'OfTheFuture',
      },
      nothing: { ...named('nothing'), ...all(null) },
      numbers: { ...named('numbers'), ...all(7) },
      lists: { ...named('lists'), ...all([{ id: {} }, null, 7]) },
      // Paths that lead to a directory, and names that are none.
      places: {
        ...named('places'),
        cwd: repo.root,
        ...all(join(repo.root, '.git'), paths),
        ...all('../../\0', more),
      },
    }
    for (const [number, verb] of verbs.entries())
      for (const payload of rotatingRows(Object.values(said), number)) {
        const { code, err } = await repo.entire(['hooks', agent, verb], { stdin: JSON.stringify(payload) })
        expect([verb, code, /\bat .*\.ts:\d+|TypeError|E[A-Z]{3,}:/.exec(err)?.[0]]).toEqual([
          verb,
          0,
          undefined,
        ])
      }
    expect(readUserState(repo.repo).filter((line) => !line.includes('/.entire/'))).toEqual(before)
    const refused = /is not a valid value for the id of a tool or subagent$/
    expect(repo.log().filter(({ level, msg }) => level === 'ERROR' && !refused.test(String(msg)))).toEqual([])
    expect((await repo.entire(['status', '--json'])).code).toBe(0)
    expect(await repo.git('fsck', '--no-dangling')).toBe('')
  })
})

import { expect, test } from 'bun:test'
import { given } from '../../std/given.ts'
import { claudeTranscript } from './transcript.ts'

const line = (entry: object) => JSON.stringify(entry)
const user = (content: unknown, rest: object = {}) =>
  line({ type: 'user', message: { role: 'user', content }, ...rest })
const read = (...lines: string[]) => claudeTranscript.readLines(lines, undefined)
const result = (content: unknown, toolUseResult?: unknown) =>
  user([{ type: 'tool_result', tool_use_id: 't1', content }], {
    uuid: 'u-result',
    ...given({ toolUseResult }),
  })

test.each([
  ['completed', result('done', { status: 'completed', agentId: 'a1' }), ['a1']],
  ['launched', result('agentId: a1', { status: 'async_launched', agentId: 'a1' }), []],
  ['launched, told as text only', result('Async agent launched successfully.\nagentId: a1'), []],
  ['told as text', result('All done.\nagentId: a1b2 (for resuming)'), ['a1b2']],
  [
    'told as text blocks',
    result([
      { type: 'text', text: 'done' },
      { type: 'text', text: 'agentId: a1b2' },
    ]),
    ['a1b2'],
  ],
  [
    'notified',
    user('<task-notification>\n<task-id>a1</task-id>\n<status>completed</status>\n</task-notification>'),
    ['a1'],
  ],
  [
    'notified while a turn ran',
    line({
      type: 'attachment',
      attachment: {
        type: 'queued_command',
        prompt: '<task-notification><task-id>a1</task-id><status>failed</status></task-notification>',
      },
    }),
    ['a1'],
  ],
  [
    'still running',
    user('<task-notification><task-id>a1</task-id><status>running</status></task-notification>'),
    [],
  ],
  ['an id that is a path', result('x', { status: 'completed', agentId: '../../x' }), []],
  ['an error', result('x', 'Error: no such agent'), []],
])('finished subagents: %s', (_name, entry, subagents) => {
  expect(read(entry).subagents).toEqual(subagents)
})

test('a subagent that got another task and finished again is named again', () => {
  const first = read(result('done', { status: 'completed', agentId: 'a1' }))
  const second = claudeTranscript.readLines(
    [
      result('done', { status: 'completed', agentId: 'a1' }),
      result('done', { status: 'completed', agentId: 'a2' }),
    ],
    first.carry,
  )
  expect(second.subagents).toEqual(['a1', 'a2'])
})

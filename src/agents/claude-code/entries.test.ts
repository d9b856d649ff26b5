import { expect, test } from 'bun:test'
import { readEntries } from './transcript.ts'

const lines = (...entries: unknown[]) =>
  entries.map((entry) => (typeof entry === 'string' ? entry : JSON.stringify(entry))).join('\n')
const user = (content: unknown, more: object = {}) => ({
  type: 'user',
  message: { role: 'user', content },
  ...more,
})
const assistant = (content: unknown[], more: object = {}) => ({
  type: 'assistant',
  message: { role: 'assistant', content, ...more },
})

test('what was said and done is told in order', () => {
  const transcript = lines(
    user('add a parser'),
    assistant([{ type: 'thinking', thinking: 'hm' }]),
    assistant([{ type: 'text', text: 'On it.' }]),
    assistant([{ type: 'tool_use', name: 'Bash', input: { command: 'ls', description: 'List files' } }]),
    assistant([{ type: 'tool_use', name: 'Write', input: { file_path: '/r/a.ts', content: 'x' } }]),
    assistant([{ type: 'tool_use', name: 'TodoWrite', input: { todos: [] } }]),
    user([{ type: 'tool_result', content: 'ok' }]),
    '{ half a li',
    { type: 'attachment', attachment: { type: 'queued_command', prompt: 'and tests' } },
  )
  expect(readEntries(transcript, 0)).toEqual([
    { role: 'user', text: 'add a parser' },
    { role: 'assistant', text: 'On it.' },
    { role: 'tool', name: 'Bash', text: 'List files' },
    { role: 'tool', name: 'Write', text: '/r/a.ts' },
    { role: 'tool', name: 'TodoWrite', text: '' },
    { role: 'user', text: 'and tests' },
  ])
})

test('what nobody typed or said is left out', () => {
  const transcript = lines(
    user('Base directory for this skill: /home/x\n\nDo as follows.'),
    user('<system-reminder>be brief</system-reminder>'),
    user('a note', { isMeta: true }),
    user('in a subagent', { isSidechain: true }),
    { ...assistant([{ type: 'text', text: 'in a subagent' }]), isSidechain: true },
    assistant([{ type: 'text', text: 'API Error' }], { model: '<synthetic>' }),
  )
  expect(readEntries(transcript, 0)).toEqual([])
})

test('a checkpoint begins at a line, whatever the lines before it are', () => {
  const transcript = lines(user('one'), 'garbage', user('two'), user('three'))
  expect(readEntries(transcript, 2).map(({ text }) => text)).toEqual(['two', 'three'])
  expect(readEntries(transcript, 9)).toEqual([])
})

test('text that is no transcript is refused, an empty one is empty', () => {
  expect(() => readEntries('hello\nworld', 0)).toThrow('no line that is JSON')
  expect(readEntries('', 0)).toEqual([])
  expect(readEntries('\n', 0)).toEqual([])
})

import { expect, test } from 'bun:test'
import { claudeTranscript } from './transcript.ts'

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

test('messages and tool calls are entries, in order', () => {
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
  expect(claudeTranscript.readEntries?.(transcript, 0)).toEqual([
    { role: 'user', text: 'add a parser' },
    { role: 'assistant', text: 'On it.' },
    { role: 'tool', name: 'Bash', text: 'List files' },
    { role: 'tool', name: 'Write', text: '/r/a.ts' },
    { role: 'tool', name: 'TodoWrite', text: '' },
    { role: 'user', text: 'and tests' },
  ])
})

test('injected text is left out', () => {
  const transcript = lines(
    user('Base directory for this skill: /home/x\n\nDo as follows.'),
    user('<system-reminder>be brief</system-reminder>'),
    user('a note', { isMeta: true }),
    user('in a subagent', { isSidechain: true }),
    { ...assistant([{ type: 'text', text: 'in a subagent' }]), isSidechain: true },
    assistant([{ type: 'text', text: 'API Error' }], { model: '<synthetic>' }),
  )
  expect(claudeTranscript.readEntries?.(transcript, 0)).toEqual([])
})

test('entries begin at the given line, whatever the lines before it are', () => {
  const transcript = lines(user('one'), 'garbage', user('two'), user('three'))
  expect(claudeTranscript.readEntries?.(transcript, 2).map(({ text }) => text)).toEqual(['two', 'three'])
  expect(claudeTranscript.readEntries?.(transcript, 9)).toEqual([])
})

test('text that is not a transcript is refused, an empty one has no entries', () => {
  expect(() => claudeTranscript.readEntries?.('hello\nworld', 0)).toThrow('no line that is JSON')
  expect(claudeTranscript.readEntries?.('', 0)).toEqual([])
  expect(claudeTranscript.readEntries?.('\n', 0)).toEqual([])
})

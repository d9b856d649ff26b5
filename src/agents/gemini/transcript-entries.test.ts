import { expect, test } from 'bun:test'
import { geminiTranscript } from './transcript.ts'

const read = (text: string, from: number) => geminiTranscript.readEntries?.(text, from)
const lines = (...records: unknown[]) => `${records.map((record) => JSON.stringify(record)).join('\n')}\n`
const call = (name: string, args: object) => ({ id: name, name, args, status: 'success' })

test('a message that is written again adds only its new parts', () => {
  const log = lines(
    { sessionId: 's', kind: 'main' },
    { id: 'u1', type: 'user', content: [{ text: '<session_context>x</session_context>' }] },
    { id: 'u2', type: 'user', content: 'create hello.txt' },
    { id: 'g1', type: 'gemini', content: 'I will.' },
    {
      id: 'g1',
      type: 'gemini',
      content: 'I will.',
      toolCalls: [call('write_file', { file_path: 'hello.txt' })],
    },
    { id: 'u3', type: 'user', content: [{ functionResponse: {} }] },
    { $set: { messages: [{ id: 'u2', type: 'user', content: [{ text: 'create hello.txt' }] }] } },
    { id: 'g2', type: 'gemini', content: [{ text: 'thinking', thought: true }, { text: 'Done.' }] },
  )
  const entries = [
    { role: 'user', text: 'create hello.txt' },
    { role: 'assistant', text: 'I will.' },
    { role: 'tool', name: 'write_file', text: 'hello.txt' },
    { role: 'assistant', text: 'Done.' },
  ] as const
  expect(read(log, 0)).toEqual([...entries])
  expect(read(log, 4)).toEqual(entries.slice(2))
})

test('a document is read from a message on', () => {
  const document = JSON.stringify({
    messages: [
      { id: '1', type: 'user', content: 'one' },
      { id: '2', type: 'gemini', content: 'two', toolCalls: [call('run_shell_command', { command: 'ls' })] },
    ],
  })
  expect(read(document, 1)).toEqual([
    { role: 'assistant', text: 'two' },
    { role: 'tool', name: 'run_shell_command', text: 'ls' },
  ])
  expect(read(JSON.stringify(JSON.parse(document), null, 2), 0)).toHaveLength(3)
})

test('text that is not a transcript is refused', () => {
  expect(() => read('hello\nworld', 0)).toThrow('no line that is JSON')
  expect(() => read('{\n "messages": [', 0)).toThrow('not a JSON document')
  expect(read('', 0)).toEqual([])
})

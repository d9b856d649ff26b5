import { expect, test } from 'bun:test'
import { fixtureLines } from '../../../test/fixtures/agents/read-transcripts.ts'
import { copilotTranscript } from './transcript.ts'

const lines = (scenario: string, session: string) =>
  fixtureLines(`copilot-cli/${scenario}/home/.copilot/session-state/${session}/events.jsonl`)
const blocked = lines('stop-blocked', '6cd05bf4-1855-4f23-8403-1dfc88615a76')

test('the conversation has prompts, answers and tool calls, without text from hooks', () => {
  expect(copilotTranscript.readEntries?.(blocked.join('\n'), 0)).toEqual([
    { role: 'user', text: 'create hello.txt' },
    { role: 'assistant', text: 'Working on it.' },
    { role: 'tool', name: 'create', text: '/home/dev/app/hello.txt' },
    { role: 'assistant', text: 'Created hello.txt with a greeting.' },
    { role: 'assistant', text: 'Nothing special.' },
  ])
  expect(copilotTranscript.readEntries?.(blocked.join('\n'), 26)).toEqual([
    { role: 'assistant', text: 'Nothing special.' },
  ])
})

test('a subagent is a tool call; its messages are not part of the conversation', () => {
  expect(
    copilotTranscript.readEntries?.(lines('subagent', '4bbac332-8302-4a9c-870e-9453f98709ad').join('\n'), 0),
  ).toEqual([
    { role: 'user', text: 'write via helper' },
    { role: 'assistant', text: 'Working on it.' },
    { role: 'tool', name: 'task', text: 'Write two files' },
    { role: 'assistant', text: 'The helper wrote them.' },
  ])
})

test('text that is not a transcript is refused', () => {
  expect(() => copilotTranscript.readEntries?.('nonsense\n', 0)).toThrow(
    expect.objectContaining({ code: 'corrupt-state' }),
  )
  expect(copilotTranscript.readEntries?.('', 0)).toEqual([])
})

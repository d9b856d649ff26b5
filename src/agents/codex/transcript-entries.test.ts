import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { codexTranscript } from './transcript.ts'

const fixtures = join(import.meta.dir, '../../../test/fixtures/agents/codex')
const day = 'home/.codex/sessions/2026/11/15'
const read = (text: string, from: number) => codexTranscript.readEntries?.(text, from)

function fixture(scenario: string): string {
  const dir = join(fixtures, scenario, day)
  return readFileSync(join(dir, readdirSync(dir).sort()[0] ?? ''), 'utf8')
}

test('a conversation can be read from its beginning or from a line on', () => {
  const log = fixture('A3-resume-last-commit')
  const entries = [
    { role: 'user', text: 'create hello.txt' },
    { role: 'assistant', text: "I'll create hello.txt." },
    { role: 'tool', name: 'apply_patch', text: 'hello.txt' },
    { role: 'assistant', text: 'Created hello.txt.' },
    { role: 'user', text: 'edit hello.txt' },
    { role: 'assistant', text: 'Reading hello.txt first.' },
    { role: 'tool', name: 'exec_command', text: 'cat hello.txt' },
    { role: 'assistant', text: 'Now editing.' },
    { role: 'tool', name: 'apply_patch', text: 'hello.txt' },
    { role: 'assistant', text: 'Edited hello.txt.' },
    { role: 'user', text: 'commit the changes' },
    { role: 'assistant', text: 'Committing.' },
    { role: 'tool', name: 'exec_command', text: 'git add -A && git commit -m "mock: agent commit"' },
    { role: 'assistant', text: 'Committed.' },
  ] as const
  expect(read(log, 0)).toEqual([...entries])
  expect(read(log, 47)).toEqual(entries.slice(10))
})

test('the tools that a script called are entries', () => {
  expect(read(fixture('c5-create-gpt6'), 0)).toEqual([
    { role: 'user', text: 'create six.txt' },
    { role: 'assistant', text: "I'll create six.txt." },
    { role: 'tool', name: 'apply_patch', text: '/home/dev/app/six.txt' },
    { role: 'assistant', text: 'Created six.txt.' },
  ])
})

test('subagents are tools, and what Codex sends in the user’s name is left out', () => {
  expect(read(fixture('c4-subagent-gpt55'), 0)).toEqual([
    { role: 'user', text: 'spawn a subagent' },
    { role: 'assistant', text: 'I will delegate to a subagent.' },
    { role: 'tool', name: 'spawn_agent', text: 'SUBAGENT-WRITE sub.txt' },
    { role: 'tool', name: 'wait_agent', text: '' },
    { role: 'assistant', text: 'The subagent wrote sub.txt.' },
  ])
})

test('the summary that a compaction wrote for the model is left out', () => {
  expect(JSON.stringify(read(fixture('c12-autocompact'), 0))).not.toContain('Mock analysis')
})

test('text that is not a transcript is refused', () => {
  expect(() => read('hello\nworld', 0)).toThrow('no line that is JSON')
  expect(read('', 0)).toEqual([])
})

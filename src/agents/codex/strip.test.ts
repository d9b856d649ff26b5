import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fixtureLines } from '../../../test/fixtures/agents/read-transcripts.ts'
import { codexTranscript } from './transcript.ts'
import { strip } from './usage.ts'

const sealed = 'gAAAAABsecret=='
const item = (payload: object) =>
  JSON.stringify({ timestamp: 't', ordinal: 1, type: 'response_item', payload })

test('what the model thought is emptied, and everything else stays as it is', () => {
  const reasoning = (encrypted_content: string | null) =>
    item({ type: 'reasoning', summary: [{ text: 'plain' }], encrypted_content })
  expect(strip(reasoning(sealed))).toBe(reasoning(null))
})

test('where Codex wants a text, an empty one stays', () => {
  const message = (encrypted_content: string) =>
    item({
      type: 'agent_message',
      author: '/root',
      content: [{ type: 'encrypted_content', encrypted_content }],
    })
  expect(strip(message(sealed))).toBe(message(''))
  const compaction = (encrypted_content: string) => item({ type: 'compaction', encrypted_content })
  expect(strip(compaction(sealed))).toBe(compaction(''))
})

test('of a compacted history, what is nothing but the cipher goes, with what is told of it', () => {
  const compacted = (replacement_history: object[], replacement_history_metadata: object[]) =>
    JSON.stringify({
      type: 'compacted',
      payload: { message: 'm', replacement_history, replacement_history_metadata },
    })
  const message = { type: 'message', role: 'user', content: [] }
  const reasoning = (encrypted_content: string | null) => ({ type: 'reasoning', encrypted_content })
  expect(
    strip(
      compacted(
        [message, { type: 'compaction', encrypted_content: sealed }, reasoning(sealed)],
        [{ n: 1 }, { n: 2 }, { n: 3 }],
      ),
    ),
  ).toBe(compacted([message, reasoning(null)], [{ n: 1 }, { n: 3 }]))
})

test('lines without a cipher, and lines that are no JSON, are not touched', () => {
  const quoted = item({
    type: 'message',
    role: 'user',
    content: [{ text: `say {"encrypted_content":"${sealed}"}` }],
  })
  for (const line of ['', '{', '  {"a" : 1}', `{"encrypted_content":`, quoted]) expect(strip(line)).toBe(line)
})

test('a captured rollout says the same without what nobody can read', () => {
  const dir = 'codex/A3-resume-last-commit/home/.codex/sessions/2026/11/15'
  const [name = ''] = readdirSync(join(import.meta.dir, '../../../test/fixtures/agents', dir))
  const lines = fixtureLines(`${dir}/${name}`)
  const stripped = lines.map(strip)
  expect(lines.join('\n')).toContain('bW9jay1lbmNyeXB0ZWQ=')
  expect(stripped.join('\n')).not.toContain('bW9jay1lbmNyeXB0ZWQ=')
  expect(codexTranscript.readLines(stripped, undefined)).toEqual(codexTranscript.readLines(lines, undefined))
})

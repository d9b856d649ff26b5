import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fixtureLines } from '../../../test/fixtures/agents/read-transcripts.ts'
import { codexTranscript, stripEncrypted } from './transcript.ts'

const sealed = 'gAAAAABsecret=='
const item = (payload: object) =>
  JSON.stringify({ timestamp: 't', ordinal: 1, type: 'response_item', payload })

test('encrypted thoughts are removed, and everything else stays as it is', () => {
  const reasoning = (encrypted_content: string | null) =>
    item({ type: 'reasoning', summary: [{ text: 'plain' }], encrypted_content })
  expect(stripEncrypted(reasoning(sealed))).toBe(reasoning(null))
})

test('where Codex requires a text, an empty one stays', () => {
  const message = (encrypted_content: string) =>
    item({
      type: 'agent_message',
      author: '/root',
      content: [{ type: 'encrypted_content', encrypted_content }],
    })
  expect(stripEncrypted(message(sealed))).toBe(message(''))
  const compaction = (encrypted_content: string) => item({ type: 'compaction', encrypted_content })
  expect(stripEncrypted(compaction(sealed))).toBe(compaction(''))
})

test('items of a compacted history that are only encrypted content are removed, with their metadata', () => {
  const compacted = (replacement_history: object[], replacement_history_metadata: object[]) =>
    JSON.stringify({
      type: 'compacted',
      payload: { message: 'm', replacement_history, replacement_history_metadata },
    })
  const message = { type: 'message', role: 'user', content: [] }
  const reasoning = (encrypted_content: string | null) => ({ type: 'reasoning', encrypted_content })
  expect(
    stripEncrypted(
      compacted(
        [message, { type: 'compaction', encrypted_content: sealed }, reasoning(sealed)],
        [{ n: 1 }, { n: 2 }, { n: 3 }],
      ),
    ),
  ).toBe(compacted([message, reasoning(null)], [{ n: 1 }, { n: 3 }]))
})

test('lines without encrypted content, and lines that are not JSON, stay as they are', () => {
  const quoted = item({
    type: 'message',
    role: 'user',
    content: [{ text: `say {"encrypted_content":"${sealed}"}` }],
  })
  for (const line of ['', '{', '  {"a" : 1}', `{"encrypted_content":`, quoted])
    expect(stripEncrypted(line)).toBe(line)
})

test('a captured rollout reads the same without its encrypted content', () => {
  const dir = 'codex/A3-resume-last-commit/home/.codex/sessions/2026/11/15'
  const [name = ''] = readdirSync(join(import.meta.dir, '../../../test/fixtures/agents', dir))
  const lines = fixtureLines(`${dir}/${name}`)
  const stripped = lines.map(stripEncrypted)
  expect(lines.join('\n')).toContain('bW9jay1lbmNyeXB0ZWQ=')
  expect(stripped.join('\n')).not.toContain('bW9jay1lbmNyeXB0ZWQ=')
  expect(codexTranscript.readLines(stripped, undefined)).toEqual(codexTranscript.readLines(lines, undefined))
})

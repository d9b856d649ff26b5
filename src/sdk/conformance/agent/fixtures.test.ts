import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { on } from '../../../../test/support/plugin-defects.ts'
import { writePlugin } from '../../../../test/support/sh-plugin.ts'
import { checkAgent } from './check-agent.ts'
import { readAgentFixtures } from './fixtures.ts'

let dir: string
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'fixtures-'))
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const correct = {
  hooks: [
    {
      hook: 'stop',
      payload: { session_id: 'a', timestamp: '2026-01-13T12:00:00Z' },
      event: { type: 3, session_id: 'a' },
    },
    { hook: 'start', file: 'start.json', event: { type: 1, session_id: 'from-file' } },
    { hook: 'other', payload: {}, event: null },
  ],
  transcripts: [
    {
      file: 'session.log',
      position: 3,
      files: [],
      prompts: [],
      summary: null,
      tokens: { input_tokens: 0 },
      from: [{ offset: 2, prompts: [] }],
    },
    { text: 'in {repo}\n', session: 'other' },
  ],
  settings: [{ path: '.sample/settings.json', text: '{"theme":"dark"}\n' }],
  resume: { session: 'a', command: 'sample --resume a' },
  generate: { prompt: 'Summarise.', model: 'small' },
}

type Changes = Partial<Record<keyof typeof correct, unknown>>

async function check(changes: Changes = {}, defect = '') {
  const place = mkdtempSync(join(dir, 'run-'))
  writeFileSync(join(place, 'fixtures.json'), JSON.stringify({ ...correct, ...changes }))
  writeFileSync(join(place, 'start.json'), '{"session_id":"from-file"}')
  writeFileSync(join(place, 'session.log'), 'one\ntwo\nthree\n')
  const fixtures = readAgentFixtures(join(place, 'fixtures.json'))
  const results = await checkAgent(writePlugin(place, 'sample', defect), {
    env: { PATH: process.env.PATH },
    fixtures,
    only: ['fixtures', 'generate-text'],
  })
  return results.filter(({ id }) => id.startsWith('fixtures/') || id.startsWith('generate-text/'))
}

const failed = (results: Awaited<ReturnType<typeof check>>) =>
  results.filter(({ status }) => status === 'failed').map(({ id }) => id)

test('samples that the plugin reads as expected pass, each as a rule of its own', async () => {
  const results = await check()
  expect(failed(results)).toEqual([])
  expect(results.map(({ id, status }) => `${id} ${status}`)).toEqual([
    'generate-text/answers passed',
    'fixtures/hooks/1 passed',
    'fixtures/hooks/2 passed',
    'fixtures/hooks/3 passed',
    ...['bytes', 'analysis', 'tokens', 'compact'].map((part) => `fixtures/transcripts/1/${part} passed`),
    ...['bytes', 'analysis', 'tokens', 'compact'].map((part) => `fixtures/transcripts/2/${part} passed`),
    'fixtures/settings passed',
    'fixtures/resume passed',
  ])
})

const disagreements: [string, Changes, string][] = [
  [
    'another type of event',
    { hooks: [{ hook: 'stop', payload: { session_id: 'a' }, event: { type: 2 } }] },
    'fixtures/hooks/1',
  ],
  [
    'an event where there is none',
    { hooks: [{ hook: 'other', payload: {}, event: { type: 2 } }] },
    'fixtures/hooks/1',
  ],
  [
    'no event where there is one',
    { hooks: [{ hook: 'stop', payload: { session_id: 'a' }, event: null }] },
    'fixtures/hooks/1',
  ],
  ['another position', { transcripts: [{ text: 'one\n', position: 2 }] }, 'fixtures/transcripts/1/analysis'],
  [
    'files that are not found',
    { transcripts: [{ text: 'one\n', files: ['a.ts'] }] },
    'fixtures/transcripts/1/analysis',
  ],
  [
    'prompts that are not found',
    { transcripts: [{ text: 'one\n', prompts: ['Hello'] }] },
    'fixtures/transcripts/1/analysis',
  ],
  [
    'a summary that is not found',
    { transcripts: [{ text: 'one\n', summary: 'Done.' }] },
    'fixtures/transcripts/1/analysis',
  ],
  [
    'prompts from a later position',
    { transcripts: [{ text: 'one\n', from: [{ offset: 1, prompts: ['x'] }] }] },
    'fixtures/transcripts/1/analysis',
  ],
  [
    'other tokens',
    { transcripts: [{ text: 'one\n', tokens: { input_tokens: 5 } }] },
    'fixtures/transcripts/1/tokens',
  ],
  ['another command', { resume: { session: 'a', command: 'sample resume a' } }, 'fixtures/resume'],
]

test.each(disagreements)('fixtures that expect %s break one rule', async (_title, changes, rule) => {
  const results = await check({ hooks: [], transcripts: [], ...changes })
  expect(failed(results)).toEqual([rule])
  expect(results.find(({ id }) => id === rule)?.failure?.expected).toBeString()
})

test('a plugin that removes the settings of the user fails', async () => {
  const results = await check({}, on('uninstall-hooks', 'rm -rf "$ENTIRE_REPO_ROOT/.sample"; exit 0'))
  expect(failed(results)).toEqual(['fixtures/settings'])
})

test('a plugin that generates an empty text fails', async () => {
  const results = await check({}, on('generate-text', `cat >/dev/null; echo '{"text":""}'; exit 0`))
  expect(failed(results)).toEqual(['generate-text/answers'])
})

test('a file with another form is refused with the path of the wrong field', () => {
  const path = join(dir, 'bad.json')
  writeFileSync(path, '{"hooks":[{"hook":1,"event":null}]}')
  expect(() => readAgentFixtures(path)).toThrow('hooks.0.hook')
  writeFileSync(path, '{')
  expect(() => readAgentFixtures(path)).toThrow('cannot be read')
  expect(() => readAgentFixtures(join(dir, 'absent.json'))).toThrow('cannot be read')
})

test('a missing sample is named', async () => {
  expect(check({ transcripts: [{ file: 'absent.jsonl' }] })).rejects.toThrow('absent.jsonl cannot be read')
})

import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { geminiResume, geminiSubagentTranscript } from './session-files.ts'

const home = mkdtempSync(join(tmpdir(), 'entire-gemini-files-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))
const fixtures = join(import.meta.dir, '../../../test/fixtures/agents/gemini')

test('the transcript of a subagent is in a directory named after its session', () => {
  const chats = join(fixtures, 'run10-subagent/home/.gemini/tmp/proj/chats')
  const subagent = '26d4eb6a-7253-427d-aa99-028a20ae5178'
  expect(geminiSubagentTranscript(join(chats, 'session-2026-11-15T19-46-89118801.jsonl'), subagent)).toBe(
    join(chats, '89118801-b5d5-4081-9f53-49cd1e72ce65', `${subagent}.jsonl`),
  )
  expect(geminiSubagentTranscript('/d/session-2026-11-15T19-46-89118801.jsonl', 'x')).toBe(
    '/d/89118801/x.jsonl',
  )
})

test('the directory of a project is the one the agent noted, else one named like the project', () => {
  mkdirSync(join(home, '.gemini'))
  writeFileSync(join(home, '.gemini/projects.json'), JSON.stringify({ projects: { '/w/app': 'app-1' } }))
  expect(geminiResume.sessionDir('/w/app', { HOME: home })).toBe(join(home, '.gemini/tmp/app-1/chats'))
  expect(geminiResume.sessionDir('/w/My_Proj.v2 x', { HOME: home })).toBe(
    join(home, '.gemini/tmp/my-proj-v2-x/chats'),
  )
  expect(geminiResume.sessionDir('/w/app', { HOME: '/nowhere', GEMINI_CLI_HOME: home })).toBe(
    join(home, '.gemini/tmp/app-1/chats'),
  )
  expect(geminiResume.sessionDir('/w/app', { HOME: home, ENTIRE_TEST_GEMINI_PROJECT_DIR: '/test' })).toBe(
    '/test',
  )
})

test('the file of a session is found by the beginning of its id, and the stub of a resume is ignored', () => {
  const chats = join(fixtures, 'run2-resume-edit/home/.gemini/tmp/proj/chats')
  expect(geminiResume.sessionFile(chats, 'c6e3dc5e-7c40-4655-b6db-87627775080b')).toBe(
    join(chats, 'session-2026-11-15T19-21-c6e3dc5e.jsonl'),
  )
  expect(geminiResume.sessionFile(chats, 'ffffffff-0000')).toBe(join(chats, 'ffffffff-0000.json'))
  expect(geminiResume.sessionFile('/nowhere', 'abc')).toBe('/nowhere/abc.json')
  expect(geminiResume.command('abc')).toBe('gemini --resume abc')
})

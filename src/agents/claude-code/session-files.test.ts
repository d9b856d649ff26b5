import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { claudeResume, claudeSubagentTranscript } from './session-files.ts'

const home = mkdtempSync(join(tmpdir(), 'entire-claude-files-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

test.each([
  ['/home/dev/app', { HOME: '/home/dev' }, '/home/dev/.claude/projects/-home-dev-app'],
  ['/x/we ird_dir.é', { HOME: '/home/dev' }, '/home/dev/.claude/projects/-x-we-ird-dir--'],
  ['/home/dev/app', { HOME: '/home/dev', CLAUDE_CONFIG_DIR: '/cfg' }, '/cfg/projects/-home-dev-app'],
  ['/home/dev/app', { HOME: '/home/dev', ENTIRE_TEST_CLAUDE_PROJECT_DIR: '/test' }, '/test'],
])('sessions of %s with %j are in %s', (root, env, dir) => {
  expect(claudeResume.sessionDir(root, env)).toBe(dir)
})

test('the name of a long path is cut, and an existing directory decides its ending', () => {
  const root = `/${'long/'.repeat(60)}end`
  const cut = root.replace(/[^A-Za-z0-9]/g, '-').slice(0, 200)
  expect(claudeResume.sessionDir(root, { HOME: home })).toMatch(new RegExp(`/projects/${cut}-[0-9a-z]{1,6}$`))
  mkdirSync(join(home, `.claude/projects/${cut}-abc123`), { recursive: true })
  expect(claudeResume.sessionDir(root, { HOME: home })).toBe(join(home, `.claude/projects/${cut}-abc123`))
})

test('a session is a file of its own, and is resumed by its id', () => {
  expect(claudeResume.sessionFile('/d', 'abc')).toBe('/d/abc.jsonl')
  expect(claudeResume.command('abc')).toBe('claude -r abc')
})

test('transcripts of subagents are below the session, in older versions beside it', () => {
  expect(claudeSubagentTranscript('/d/s1.jsonl', 'a1')).toBe('/d/s1/subagents/agent-a1.jsonl')
  writeFileSync(join(home, 'agent-a1.jsonl'), '')
  expect(claudeSubagentTranscript(join(home, 's1.jsonl'), 'a1')).toBe(join(home, 'agent-a1.jsonl'))
})

import { expect, test } from 'bun:test'
import { copilotGenerator } from './index.ts'
import { copilotResume, copilotSessionOf } from './session-files.ts'

test.each([
  [{ HOME: '/home/dev' }, '/home/dev/.copilot/session-state'],
  [{ HOME: '/home/dev', COPILOT_HOME: '/cfg' }, '/cfg/session-state'],
  [{ HOME: '/home/dev', ENTIRE_TEST_COPILOT_SESSION_DIR: '/test' }, '/test'],
])('with %j, sessions are in %s, whatever the project is called', (env, dir) => {
  for (const root of ['/home/dev/app', '/x/we ird_dir.é'])
    expect(copilotResume.sessionDir(root, env)).toBe(dir)
})

test('a session is a directory with a log in it, and is resumed by its id', () => {
  expect(copilotResume.sessionFile('/d', 'abc')).toBe('/d/abc/events.jsonl')
  expect(copilotResume.sessionFile('/d/abc', 'abc')).toBe('/d/abc/events.jsonl')
  expect(copilotSessionOf('/d/abc/events.jsonl')).toBe('abc')
  expect(copilotSessionOf('/d/abc/other.jsonl')).toBeUndefined()
  expect(copilotResume.command('abc')).toBe('copilot --resume=abc')
})

test('the answer is the output; the model is passed in one word with its flag', () => {
  expect(copilotGenerator.parseAnswer('Nothing special.\n\n')).toBe('Nothing special.')
  expect(() => copilotGenerator.parseAnswer(' \n')).toThrow('It printed no answer.')
  expect(copilotGenerator.command({ model: '-x' }).at(-1)).toBe('--model=-x')
  expect(copilotGenerator.command({}).join(' ')).not.toContain('--model')
})

import { expect, test } from 'bun:test'
import { hookCommandLine, hookRecogniser } from './hook-command.ts'

const isOurs = hookRecogniser(['claude-code', 'claudecode'], ['rewind\\s+claude-hook'])

test('a hook is silent and succeeds where the program is not installed', () => {
  const command = hookCommandLine('/nowhere/at/all/entire', 'claude-code', 'stop')
  const result = Bun.spawnSync(['sh', '-c', command])
  expect({ code: result.exitCode, out: result.stdout.toString(), err: result.stderr.toString() }).toEqual({
    code: 0,
    out: '',
    err: '',
  })
})

test('a hook runs the program with agent and verb, also when its path needs quotes', () => {
  const command = hookCommandLine('/bin/echo', 'claude-code', 'stop')
  expect(Bun.spawnSync(['sh', '-c', command]).stdout.toString()).toBe('hooks claude-code stop\n')
  expect(hookCommandLine('entire', 'claude-code', 'stop')).toBe(
    "sh -c 'if ! command -v entire >/dev/null 2>&1; then exit 0; fi; exec entire hooks claude-code stop'",
  )
  expect(isOurs(hookCommandLine("/it's a dir/entire", 'claude-code', 'stop'))).toBe(true)
})

test.each([
  'entire hooks claude-code stop',
  'entire hooks claudecode stop',
  'entire rewind claude-hook --stop',
  '/usr/local/bin/entire hooks claude-code session-start',
  '"/Program Files/entire/entire.exe" hooks claude-code stop',
  'go run ' + '$' + '{CLAUDE_PROJECT_DIR}/cmd/entire/main.go hooks claude-code stop',
  'go run /home/dev/entire/cmd/entire/main.go rewind claude-hook --stop',
  hookCommandLine('entire', 'claude-code', 'pre-task'),
  hookCommandLine('/opt/with space/entire', 'claude-code', 'pre-task'),
  `sh -c 'if ! command -v entire >/dev/null 2>&1; then printf "{\\"systemMessage\\":\\"x\\"}"; exit 0; fi; exec entire hooks claude-code session-start'`,
  'cmd.exe /d /s /c "where.exe entire >nul 2>nul & if errorlevel 1 (ver>nul) else (entire hooks claude-code stop)"',
])('recognises as Entire’s: %s', (command) => {
  expect(isOurs(command)).toBe(true)
})

test.each([
  'entire status',
  'entire hooks gemini before-agent',
  'entire hooks claude-codex stop',
  'echo entire hooks claude-code stop',
  'my-entire hooks claude-code stop',
  'notify "entire hooks claude-code stop ran"',
  "sh -c 'exec my-entire hooks claude-code stop'",
  'entirely hooks claude-code stop',
  '',
])('recognises as foreign: %s', (command) => {
  expect(isOurs(command)).toBe(false)
})

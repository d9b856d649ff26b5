// Feeds bad input to hooks: each gives a clear message and exit code 0, and nothing is half-written or lost.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type FakeAgent, fakeAgent } from '../support/fake-agent.ts'
import { runProgram } from '../support/process.ts'
import { binary, type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { tempDir, tempRepo } from '../support/repo.ts'
import { readUserState } from '../support/user-state.ts'

setDefaultTimeout(60_000)

const text = (name: string) => `the first line of ${name}\nthe second line of ${name}\n`

const payloadOf = (repo: RecordedRepo, agent: FakeAgent, fields: object = {}) =>
  JSON.stringify({ session_id: agent.session, transcript_path: agent.transcript, cwd: repo.root, ...fields })

// Arguments, standard input, and what the message must say.
const mistakes: Record<string, [args: string[], stdin: string, message: RegExp]> = {
  'malformed JSON': [['claude-code', 'stop'], '{"session_id": ', /not a JSON object/],
  'JSON that is not an object': [['claude-code', 'stop'], '[1, 2]', /not a JSON object/],
  'binary input': [['claude-code', 'stop'], '\0\x01\xff', /not a JSON object/],
  'empty input': [['claude-code', 'stop'], '', /no input/],
  'blank input': [['claude-code', 'stop'], ' \n ', /no input/],
  'an unknown hook': [['claude-code', 'stopp'], '{}', /Unknown Claude Code hook "stopp"/],
  'no hook': [
    ['claude-code'],
    '{}',
    /hooks claude-code requires the name of a hook. Use one of: session-start/,
  ],
  'no git hook': [['git'], '', /hooks git requires the name of a hook. Use one of: prepare-commit-msg/],
  'an unknown agent': [['cluade', 'stop'], '{}', /Unknown agent "cluade"/],
  'an unknown git hook': [['git', 'post-comit'], '', /Unknown git hook "post-comit"/],
  'a payload without a session': [['claude-code', 'stop'], '{"cwd": "/"}', /session/i],
  'an empty session id': [['claude-code', 'stop'], '{"session_id": ""}', /session/i],
  'a session id that climbs': [
    ['claude-code', 'user-prompt-submit'],
    '{"session_id": "../../evil", "prompt": "x"}',
    /not a valid value for a session id/,
  ],
  'a session id with a slash': [
    ['claude-code', 'user-prompt-submit'],
    '{"session_id": "a/b", "prompt": "x"}',
    /not a valid value for a session id/,
  ],
  'a session id with a newline': [
    ['claude-code', 'user-prompt-submit'],
    '{"session_id": "a\\nb", "prompt": "x"}',
    /not a valid value for a session id/,
  ],
  'a session id like an option': [
    ['claude-code', 'user-prompt-submit'],
    '{"session_id": "--help", "prompt": "x"}',
    /not a valid value for a session id/,
  ],
  'a session id of a thousand letters': [
    ['claude-code', 'user-prompt-submit'],
    JSON.stringify({ session_id: 'a'.repeat(1000), prompt: 'x' }),
    /not a valid value for a session id/,
  ],
  'a tool id that climbs': [
    ['claude-code', 'pre-task'],
    '{"session_id": "s", "tool_name": "Task", "tool_use_id": "../../x", "tool_input": {"description": "d"}}',
    /not a valid value for the id of a tool or subagent/,
  ],
  'fields of the wrong type': [
    ['claude-code', 'stop'],
    '{"session_id": {"a": 1}, "transcript_path": 5, "cwd": []}',
    /session/i,
  ],
}

test.each(Object.entries(mistakes))(
  '%s: a message of one line, exit code 0, and nothing changed',
  async (_name, [args, stdin, message]) => {
    await using repo = await recordedRepo()
    const before = everything(repo)
    const ran = await repo.entire(['hooks', ...args], { stdin })
    expect(ran.code).toBe(0)
    expect(ran.err).toMatch(message)
    expect(ran.err.trimEnd().split('\n')).toHaveLength(1)
    expect(everything(repo)).toEqual(before)
  },
)

test('the payload may come as the last argument', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  expect(
    await repo.entire([
      'hooks',
      'claude-code',
      'user-prompt-submit',
      payloadOf(repo, agent, { prompt: 'work' }),
    ]),
  ).toMatchObject({
    code: 0,
  })
  agent.write('a', text('a'))
  expect(await repo.entire(['hooks', 'claude-code', 'stop', payloadOf(repo, agent)])).toMatchObject({
    code: 0,
  })
  expect(repo.state(agent.session)).toMatchObject({ phase: 'idle', files_touched: ['a'] })
})

test('a pipe that stays open after the payload is not waited for', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  const child = spawn(binary, ['hooks', 'claude-code', 'user-prompt-submit'], {
    cwd: repo.root,
    env: repo.env as NodeJS.ProcessEnv,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.stdin?.write(payloadOf(repo, agent, { prompt: 'work' }))
  // The pipe is closed only after the hook has ended by itself.
  expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0)
  child.stdin?.end()
  expect(repo.state(agent.session)).toMatchObject({ phase: 'active' })
})

// How a shell can hand over what is in "$1".
const handedOver: Record<string, string> = {
  'a file': '<"$1"',
  'a pipe that was written before': 'cat "$1" |',
  'a pipe that is written late': '{ sleep 0.1; cat "$1"; } |',
  'a pipe that is written in pieces': '{ head -c 30 "$1"; sleep 0.1; tail -c +31 "$1"; } |',
}

test.each(Object.entries(handedOver))('a payload is read from %s', async (_, way) => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  for (const prompt of ['work', `more than a pipe holds: ${'é'.repeat(100_000)}`]) {
    repo.write('../payload', payloadOf(repo, agent, { prompt }))
    const call = '"$0" hooks claude-code user-prompt-submit'
    const script = way.endsWith('|') ? `${way} ${call}` : `${call} ${way}`
    const done = await runProgram(['sh', '-c', script, binary, join(repo.root, '../payload')], {
      cwd: repo.root,
      env: repo.env,
    })
    expect(done.stderr).not.toContain('[entire]')
    expect(repo.state(agent.session)).toMatchObject({
      phase: 'active',
      last_prompt: expect.stringContaining(prompt.slice(0, 20)),
    })
  }
})

test('a payload that comes in pieces is put together', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  const payload = payloadOf(repo, agent, {
    prompt: `work with {"nested": {"braces": {}}} ${'é'.repeat(100_000)}`,
  })
  const child = spawn(binary, ['hooks', 'claude-code', 'user-prompt-submit'], {
    cwd: repo.root,
    env: repo.env as NodeJS.ProcessEnv,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const bytes = Buffer.from(payload)
  const cut = payload.indexOf('}')
  for (const piece of [
    bytes.subarray(0, cut + 1),
    bytes.subarray(cut + 1, cut + 500_00),
    bytes.subarray(cut + 500_00),
  ]) {
    child.stdin?.write(piece)
    await Bun.sleep(20)
  }
  child.stdin?.end()
  expect(await ended).toBe(0)
  expect(repo.state(agent.session)).toMatchObject({ phase: 'active' })
})

test('closed standard input is read as no input', async () => {
  await using repo = await recordedRepo()
  const ran = await repo.run(['sh', '-c', `exec ${binary} hooks claude-code stop <&- 2>&1`])
  expect({ code: ran.code, out: ran.stdout.toString() }).toEqual({
    code: 0,
    out: expect.stringMatching(/^\[entire\] The hook got no input\..*\n$/),
  })
})

test('outside of a repository hooks are silent and commands say so', async () => {
  await using dir = tempDir()
  const run = (...args: string[]) =>
    runProgram([binary, ...args], { cwd: dir.base, env: dir.env, stdin: '{"session_id": "s"}' })
  const hook = await run('hooks', 'claude-code', 'stop')
  expect({ code: hook.code, out: hook.stdout.toString(), err: hook.stderr }).toEqual({
    code: 0,
    out: '',
    err: '',
  })
  const status = await run('enable', '--agent', 'claude-code')
  expect(status.code).not.toBe(0)
  expect(status.stderr + status.stdout.toString()).toMatch(/not a git repository/i)
  expect(readdirSync(dir.base)).toEqual(['home'])
})

test('a repository in a directory of any name, called from a subdirectory', async () => {
  await using plain = await tempRepo()
  const odd = join(plain.base, 'it\'s a\n"repo" -é')
  renameSync(plain.root, odd)
  mkdirSync(join(odd, 'sub'))
  const run = (args: string[], stdin?: string) =>
    runProgram([binary, ...args], {
      cwd: join(odd, 'sub'),
      env: plain.env,
      ...(stdin === undefined ? {} : { stdin }),
    })
  expect(await run(['enable', '--agent', 'claude-code'])).toMatchObject({ code: 0 })
  const payload = JSON.stringify({ session_id: 's', cwd: join(odd, 'sub'), prompt: 'x' })
  expect(await run(['hooks', 'claude-code', 'user-prompt-submit'], payload)).toMatchObject({ code: 0 })
  writeFileSync(join(odd, 'sub', 'a'), text('a'))
  expect(await run(['hooks', 'claude-code', 'stop'], payload)).toMatchObject({ code: 0 })
  const state = JSON.parse(readFileSync(join(odd, '.git/entire-sessions/s.json'), 'utf8'))
  expect(state.files_touched).toEqual(['sub/a'])
})

// The log may grow; nothing else.
function everything({ repo, base }: RecordedRepo): string[] {
  expect(existsSync(join(dirname(base), 'evil.json'))).toBe(false)
  const own = [
    ...new Bun.Glob('{entire-*,entire-sessions/*,refs/heads/entire/**}').scanSync({
      cwd: repo.commonDir,
      dot: true,
    }),
  ].sort()
  return [...readUserState(repo).filter((line) => !line.includes('/entire-logs/')), ...own]
}

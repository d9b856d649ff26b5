// `entire session list|info|current|tokens` shows recorded sessions to people and programs.
import { expect, test } from 'bun:test'
import { appendFileSync, rmSync } from 'node:fs'
import { fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { openTerminal } from '../support/terminal.ts'

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000 - 5_000).toISOString()

function putState(repo: RecordedRepo, id: string, more: object = {}): void {
  const state = {
    session_id: id,
    base_commit: '',
    worktree_path: repo.root,
    agent_type: 'Claude Code',
    started_at: minutesAgo(5),
    ...more,
  }
  repo.write(`.git/entire-sessions/${id}.json`, JSON.stringify(state))
}

test('the list shows a card for each session, newest first', async () => {
  await using repo = await recordedRepo()
  expect(await repo.entire(['session', 'list'])).toEqual({ code: 0, out: 'No sessions.\n', err: '' })
  expect((await repo.entire(['session', 'list', '--json'])).out).toBe('[]\n')
  putState(repo, 'older-one', {
    started_at: minutesAgo(200),
    last_interaction_time: minutesAgo(100),
    ended_at: minutesAgo(90),
    phase: 'ended',
    last_checkpoint_id: 'a3b2c4d5e6f7',
    model_name: 'opus',
    last_prompt: 'fix it',
    token_usage: {
      input_tokens: 12_345,
      cache_creation_tokens: 0,
      cache_read_tokens: 0,
      output_tokens: 0,
      api_call_count: 1,
    },
  })
  putState(repo, 'newer-one', {
    phase: 'active',
    last_interaction_time: minutesAgo(5),
    worktree_id: 'feature',
    agent_type: 'Gemini CLI',
  })
  expect((await repo.entire(['session', 'list'])).out).toBe(
    [
      'Gemini CLI · feature · session newer-one',
      '  active · started 5m ago',
      '',
      'Claude Code · opus · repo · session older-one · checkpoint a3b2c4d5e6f7',
      '  > "fix it"',
      '  ended · started 3h ago · active 1h ago · tokens 12.3k',
      '',
    ]
      .join('\n')
      .replace('repo', repo.root.slice(repo.root.lastIndexOf('/') + 1)),
  )
  const json = JSON.parse((await repo.entire(['session', 'list', '--json'])).out)
  expect(json.map((session: { session_id: string }) => session.session_id)).toEqual([
    'newer-one',
    'older-one',
  ])
  expect(json[1]).toMatchObject({
    status: 'ended',
    last_checkpoint_id: 'a3b2c4d5e6f7',
    tokens: { total: 12_345 },
  })
})

test('a long list is shortened for people, not for programs', async () => {
  await using repo = await recordedRepo()
  for (let index = 0; index < 23; index += 1) putState(repo, `s${index}`, { started_at: minutesAgo(index) })
  const short = await repo.entire(['session', 'list'])
  expect(short.out.match(/session s/g)).toHaveLength(20)
  expect(short.out).toStartWith('Claude Code · ')
  expect(short.err).toBe('\n20 of 23 sessions. See all with --all.\n')
  expect((await repo.entire(['session', 'list', '--all'])).out.match(/session s/g)).toHaveLength(23)
  expect(JSON.parse((await repo.entire(['session', 'list', '--json'])).out)).toHaveLength(23)
})

test('escape sequences are removed, and lines fit the terminal', async () => {
  await using repo = await recordedRepo()
  const evil = 'evil\x1b]0;owned\x07\x1b[2J\r\nforged \u202e line'
  putState(repo, 'hostile', {
    agent_type: evil,
    model_name: evil,
    last_prompt: evil,
    worktree_path: `/${evil}`,
    worktree_id: evil,
    files_touched: [evil],
  })
  putState(repo, 'odd\x1b[31mid', {})
  const commands = [
    ['list'],
    ['info', 'hostile'],
    ['info', 'odd'],
    ['tokens', 'hostile'],
    ['tokens', 'hostile', '--agent-brief'],
    ['info', 'nothing\x1b[31m'],
  ]
  for (const command of commands) {
    const { out, err } = await repo.entire(['session', ...command], { env: { COLUMNS: '50' } })
    expect(`${out}${err}`).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/)
    expect(out).not.toMatch(/^forged/m)
    expect(Math.max(...out.split('\n').map((line) => Bun.stringWidth(line)))).toBeLessThanOrEqual(50)
  }
  putState(repo, 'odd\x1b[32mid', {})
  const { code, err } = await repo.entire(['session', 'info', 'odd'])
  expect(code).toBe(1)
  expect(err).not.toContain('\x1b')
})

test('unreadable states are reported, and break nothing', async () => {
  await using repo = await recordedRepo()
  putState(repo, 'good')
  repo.write('.git/entire-sessions/bad.json', '{')
  const { code, out, err } = await repo.entire(['session', 'list'])
  expect({ code, err }).toEqual({ code: 0, err: "! 1 session state cannot be read · run 'entire doctor'\n" })
  expect(out).toContain('session good')
  expect(await repo.entire(['session', 'info', 'bad'])).toMatchObject({
    code: 1,
    err: 'error: The state of session bad cannot be read.\nhint: Run `entire doctor` to repair it.\n',
  })
  expect(repo.read('.git/entire-sessions/bad.json')).toBe('{')
})

test('a session is found by an unambiguous prefix of its id', async () => {
  await using repo = await recordedRepo()
  for (const id of ['abc', 'abcd-1', 'abcd-2', 'xyz']) putState(repo, id)
  const info = async (id: string) => repo.entire(['session', 'info', id, '--json'])
  expect(JSON.parse((await info('x')).out).session_id).toBe('xyz')
  expect(JSON.parse((await info('abc')).out).session_id).toBe('abc')
  expect(await info('abcd')).toEqual({
    code: 1,
    out: '',
    err: 'error: ambiguous session prefix "abcd" matches 2 sessions: abcd-1, abcd-2\nhint: Type more of the id.\n',
  })
  for (const id of ['nope', '../abc', ''])
    expect(await info(id)).toEqual({
      code: 1,
      out: '',
      err: `error: session not found: ${id}\nhint: \`entire session list --all\` shows the sessions.\n`,
    })
  expect((await repo.entire(['session', 'info'])).code).toBe(2)
})

test('info shows all facts, aligned', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo, { session: 'abcdef0123456789' })
  await agent.turn('write a', { 'a.ts': 'a\n', 'b.ts': 'b\n' })
  await repo.commitAs('human', 'a', 'a.ts')
  const { out } = await repo.entire(['session', 'info', 'abc'])
  const now = /\d{4}-\d\d-\d\d \d\d:\d\d \(just now\)/g
  expect(out.replaceAll(now, '<now>')).toBe(
    [
      'Session abcdef0123456789',
      '',
      'Agent:       Claude Code',
      'Model:       claude-test-1',
      'Status:      idle',
      `Worktree:    ${repo.root}`,
      'Started:     <now>',
      'Last active: <now>',
      'Turns:       1',
      'Steps:       1',
      'Tokens:      57',
      '  Input: 30 · Cache read: 15 · Cache write: 3 · Output: 9',
      'Last prompt: "write a"',
      'Files touched: (1)',
      '  - b.ts',
      '',
    ].join('\n'),
  )
  expect(JSON.parse((await repo.entire(['session', 'info', 'abc', '--json'])).out)).toEqual({
    session_id: 'abcdef0123456789',
    agent: 'Claude Code',
    model: 'claude-test-1',
    status: 'idle',
    worktree_path: repo.root,
    started_at: expect.any(String),
    last_active: expect.any(String),
    turns: 1,
    checkpoints: 1,
    tokens: { total: 57, input: 30, cache_read: 15, cache_write: 3, output: 9 },
    last_prompt: 'write a',
    files_touched: ['b.ts'],
  })
  expect((await repo.entire(['session', 'info', 'abc', '--json', '--transcript'])).code).toBe(2)
})

test('--transcript prints complete lines, byte for byte, and no control characters on a terminal', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': 'a\n' })
  const whole = `${agent.lines().join('\n')}\n`
  appendFileSync(agent.transcript, '{"type":"half')
  expect((await repo.entire(['session', 'info', agent.session, '--transcript'])).out).toBe(whole)
  appendFileSync(agent.transcript, '\x1b[2J\n')
  await using terminal = openTerminal(['entire', 'session', 'info', agent.session, '--transcript'], {
    cwd: repo.root,
    env: { ...repo.env, PAGER: 'cat' },
  })
  expect(await terminal.exited()).toBe(0)
  expect(terminal.raw()).not.toContain('\x1b[2J')
  rmSync(agent.transcript)
  const gone = await repo.entire(['session', 'info', agent.session, '--transcript'])
  expect(gone).toMatchObject({ code: 1, err: expect.stringContaining('is not on this machine') })
})

test('the current session is that of the calling agent, or the last active one of this work tree', async () => {
  await using repo = await recordedRepo()
  const current = async (env = {}) =>
    JSON.parse((await repo.entire(['session', 'current', '--json'], { env })).out)
  expect(await current()).toBeNull()
  expect((await repo.entire(['session', 'current'])).out).toBe('No session in this work tree.\n')
  putState(repo, 'elsewhere', { worktree_path: '/elsewhere', last_interaction_time: minutesAgo(0) })
  expect(await current()).toBeNull()
  putState(repo, 'first', { last_interaction_time: minutesAgo(1), started_at: minutesAgo(90) })
  putState(repo, 'second', { last_interaction_time: minutesAgo(20), started_at: minutesAgo(30) })
  expect(await current()).toMatchObject({ session_id: 'first' })
  expect(await current({ CLAUDE_CODE_SESSION_ID: 'second' })).toMatchObject({ session_id: 'second' })
  expect((await repo.entire(['session', 'current'])).out).toStartWith('Session first\n')
})

test('tokens shows the usage by kind, with recommendations', async () => {
  await using repo = await recordedRepo()
  expect(await repo.entire(['session', 'tokens'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('No session has run in this work tree.'),
  })
  const usage = {
    input_tokens: 1000,
    cache_creation_tokens: 200,
    cache_read_tokens: 90_000,
    output_tokens: 800,
    api_call_count: 25,
  }
  putState(repo, 'costly', { token_usage: usage, model_name: 'opus', phase: 'idle' })
  const { out } = await repo.entire(['session', 'tokens', 'cost'])
  expect(out).toStartWith(
    [
      'Session costly',
      'Claude Code · opus · idle',
      '',
      'Tokens: 92k in 25 model calls',
      '  Cache read   90k  98%',
      '  Input         1k   1%',
      '  Output       800   1%',
      '  Cache write  200   0%',
      '',
      '! Many model calls',
    ].join('\n'),
  )
  expect(JSON.parse((await repo.entire(['session', 'tokens', '--current', '--json'])).out)).toMatchObject({
    session_id: 'costly',
    source: 'session_state',
    tokens: { total: 92_000, api_calls: 25 },
    recommendations: [
      { id: 'api-call-amplification', severity: 'medium' },
      { id: 'summarize-before-boundary', severity: 'low' },
    ],
  })
  expect((await repo.entire(['session', 'tokens', '--agent-brief'])).out).toStartWith(
    'session costly, 92k tokens in 25 calls\n- api-call',
  )
  expect((await repo.entire(['session', 'tokens', 'costly', '--current'])).code).toBe(2)
})

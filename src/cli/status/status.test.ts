import { expect, test } from 'bun:test'
import { entire } from '../../../test/support/entire.ts'
import { tempDir, tempRepo } from '../../../test/support/repo.ts'
import { formatTime } from '../../std/time.ts'

const minutesAgo = (minutes: number) => formatTime(new Date(Date.now() - minutes * 60_000 - 5_000))

test('outside a set-up repository it says why there is nothing to show, with exit code 0', async () => {
  await using dir = tempDir()
  await using repo = await tempRepo()
  expect(await entire(dir, ['status'])).toEqual({ code: 0, out: '✕ not a git repository\n', err: '' })
  expect(await entire(repo, ['status'])).toEqual({
    code: 0,
    out: '○ not set up (run `entire enable` to get started)\n',
    err: '',
  })
  expect(JSON.parse((await entire(repo, ['status', '--json'])).out)).toEqual({
    enabled: false,
    agents: [],
    active_sessions: [],
    error: 'not set up (run `entire enable` to get started)',
  })
})

test('open sessions are shown by work tree, newest first, without ended ones', async () => {
  await using repo = await tempRepo()
  await entire(repo, ['enable', '--agent', 'claude-code'])
  const state = (id: string, more: object) =>
    repo.write(
      `.git/entire-sessions/${id}.json`,
      JSON.stringify({
        session_id: id,
        base_commit: '',
        worktree_path: repo.root,
        agent_type: 'Claude Code',
        ...more,
      }),
    )
  state('6f3c0e5aaaa', {
    started_at: minutesAgo(5),
    last_interaction_time: minutesAgo(2),
    phase: 'active',
    first_prompt: `fix\x1b[31m it\nnow ${'x'.repeat(80)}`,
    model_name: 'op\x1b]0;title\x07us',
    token_usage: {
      input_tokens: 1000,
      cache_creation_tokens: 0,
      cache_read_tokens: 200,
      output_tokens: 34,
      api_call_count: 1,
    },
  })
  state('oldest', {
    started_at: minutesAgo(180),
    last_interaction_time: minutesAgo(150),
    phase: 'active_committed',
  })
  state('gone', { started_at: minutesAgo(1), ended_at: minutesAgo(0), phase: 'ended' })
  state('far', {
    started_at: minutesAgo(1),
    worktree_path: '/!else\x1b[2Jwhere',
    agent_type: '',
    phase: 'idle',
  })

  expect((await entire(repo, ['status'])).out).toBe(
    [
      'Enabled (manual-commit)',
      '  Agents · Claude Code',
      '',
      'Active Sessions:',
      '  /!elsewhere (unknown)',
      '    [(unknown)] far       started 1m ago',
      '',
      `  ${repo.root} (main)`,
      '    [Claude Code] 6f3c0e5   started 5m ago, active 2m ago',
      `      "fix it now ${'x'.repeat(46)}..."`,
      '      opus · 1.2k tokens',
      '    [Claude Code] oldest    started 3h ago, active 2h ago',
      "      stale (run 'entire doctor')",
      '',
    ].join('\n'),
  )
  const json = JSON.parse((await entire(repo, ['status', '--json'])).out)
  expect(json).toMatchObject({
    enabled: true,
    strategy: 'manual-commit',
    agents: ['Claude Code'],
    git_hooks: 'all',
  })
  expect(
    json.active_sessions.toSorted((a: { agent: string }, b: { agent: string }) =>
      a.agent < b.agent ? -1 : 1,
    ),
  ).toEqual([
    { agent: '(unknown)', status: 'idle' },
    { agent: 'Claude Code', model: 'op\x1b]0;title\x07us', status: 'active' },
  ])
  expect(json.sessions).toHaveLength(3)
  expect(json.sessions).toContainEqual(
    expect.objectContaining({
      session_id: '6f3c0e5aaaa',
      status: 'active',
      worktree_path: repo.root,
      turns: 0,
      checkpoints: 0,
      tokens: { total: 1234, input: 1000, cache_read: 200, cache_write: 0, output: 34 },
    }),
  )
  expect(json.sessions).toContainEqual(expect.objectContaining({ session_id: 'oldest', trouble: 'stale' }))
  expect(json).not.toHaveProperty('unreadable_sessions')
})

test('sessions beyond the first 20 are counted, and active ones come first', async () => {
  await using repo = await tempRepo()
  await entire(repo, ['enable', '--agent', 'claude-code'])
  for (let index = 0; index < 25; index += 1) {
    const id = `s${String(index).padStart(2, '0')}`
    const phase = index === 0 ? 'active' : 'idle'
    const started = minutesAgo(30 - index)
    repo.write(
      `.git/entire-sessions/${id}.json`,
      JSON.stringify({ session_id: id, started_at: started, last_interaction_time: started, phase }),
    )
  }
  const { out } = await entire(repo, ['status'])
  expect(out.match(/started/g)).toHaveLength(20)
  expect(out).toContain(' s00 ')
  expect(out).toContain(' s24 ')
  expect(out).toEndWith('\n… and 5 more (entire session list --all)\n')
  expect(JSON.parse((await entire(repo, ['status', '--json'])).out).sessions).toHaveLength(25)
})

test('lines are cut to a narrow terminal', async () => {
  await using repo = await tempRepo()
  await entire(repo, ['enable', '--agent', 'claude-code'])
  const state = {
    session_id: 's',
    started_at: minutesAgo(5),
    phase: 'active',
    first_prompt: '漢'.repeat(60),
    last_interaction_time: minutesAgo(1),
  }
  repo.write('.git/entire-sessions/s.json', JSON.stringify(state))
  const { out } = await entire(repo, ['status'], { env: { COLUMNS: '40' } })
  const block = out.slice(out.indexOf('Active Sessions:')).split('\n')
  expect(Math.max(...block.map((line) => Bun.stringWidth(line)))).toBeLessThanOrEqual(40)
  expect(block.some((line) => line.endsWith('…'))).toBe(true)
})

test('unreadable states are counted, and do not stop the status', async () => {
  await using repo = await tempRepo()
  await entire(repo, ['enable', '--agent', 'claude-code'])
  repo.write(
    '.git/entire-sessions/good.json',
    JSON.stringify({ session_id: 'good', started_at: minutesAgo(5), phase: 'idle' }),
  )
  repo.write('.git/entire-sessions/bad.json', '{"session_id": "bad", ')
  repo.write('.git/entire-sessions/worse.json', Buffer.from([0xff, 0]))
  const { code, out } = await entire(repo, ['status'])
  expect(code).toBe(0)
  expect(out).toContain("  ! 2 session states cannot be read · run 'entire doctor'\n")
  expect(out).toContain(' good ')
  expect(JSON.parse((await entire(repo, ['status', '--json'])).out).unreadable_sessions).toEqual([
    'bad',
    'worse',
  ])
  expect(repo.read('.git/entire-sessions/bad.json')).toBe('{"session_id": "bad", ')
})

test('--detailed adds the files behind the facts', async () => {
  await using repo = await tempRepo()
  await entire(repo, ['enable', '--agent', 'claude-code'])
  repo.write('.entire/settings.local.json', '{"log_level": "debug"}')
  const { out } = await entire(repo, ['status', '--detailed'])
  expect(out).toStartWith(
    'Enabled (manual-commit)\n\nProject, enabled (manual-commit)\nLocal, enabled (manual-commit)\n\n  Agents · Claude Code\n',
  )
  expect(out).toMatch(/^ {2}Settings +\.entire\/settings\.json, \.entire\/settings\.local\.json$/m)
  expect(out).toMatch(/^ {2}Claude Code hooks +installed \(\.claude\/settings\.json\)$/m)
  expect(out).toMatch(/^ {2}Git hooks +installed \(\.git\/hooks\)$/m)
  expect(out).toMatch(/^ {2}Checkpoints +0 \(branch entire\/checkpoints\/v1\)$/m)
  expect(out).toMatch(/^ {2}Log +\.git\/entire-logs\/entire\.log \(debug\)$/m)
})

test('invalid settings are a warning for people, and a field for programs', async () => {
  await using repo = await tempRepo()
  repo.write('.entire/settings.json', '{"strategy": "magic"}')
  expect(await entire(repo, ['status'])).toMatchObject({
    code: 0,
    err: expect.stringContaining('Warning: "magic"'),
  })
  const { code, out } = await entire(repo, ['status', '--json'])
  expect(code).toBe(0)
  expect(JSON.parse(out)).toMatchObject({ enabled: true, error: expect.stringContaining('strategy') })
})

test('missing hooks are a warning', async () => {
  await using repo = await tempRepo()
  repo.write('.entire/settings.json', '{}')
  const { out } = await entire(repo, ['status'])
  expect(out).toContain("! no agent hooks installed · run 'entire enable'")
  expect(out).toContain("! git hooks missing · run 'entire enable'")
})

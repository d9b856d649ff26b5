import { expect, test } from 'bun:test'
import { entire } from '../../../test/support/entire.ts'
import { tempDir, tempRepo } from '../../../test/support/repo.ts'
import { formatTime } from '../../std/time.ts'

const minutesAgo = (minutes: number) => formatTime(new Date(Date.now() - minutes * 60_000 - 5_000))

test('where there is nothing to show it says so, and is no failure', async () => {
  await using dir = tempDir()
  await using repo = await tempRepo()
  expect(await entire(dir, ['status'])).toEqual({ code: 0, out: '✕ not a git repository\n', err: '' })
  expect(await entire(repo, ['status'])).toEqual({ code: 0, out: '○ not set up (run `entire enable` to get started)\n', err: '' })
  expect(JSON.parse((await entire(repo, ['status', '--json'])).out)).toEqual({
    enabled: false,
    agents: [],
    active_sessions: [],
    error: 'not set up (run `entire enable` to get started)',
  })
})

test('open sessions are shown by work tree, newest first, and ended ones are not', async () => {
  await using repo = await tempRepo()
  await entire(repo, ['enable', '--agent', 'claude-code'])
  const state = (id: string, more: object) =>
    repo.write(
      `.git/entire-sessions/${id}.json`,
      JSON.stringify({ session_id: id, base_commit: '', worktree_path: repo.root, agent_type: 'Claude Code', ...more }),
    )
  state('6f3c0e5aaaa', {
    started_at: minutesAgo(5),
    last_interaction_time: minutesAgo(2),
    phase: 'active',
    first_prompt: `fix\x1b[31m it\nnow ${'x'.repeat(80)}`,
    model_name: 'opus',
  })
  state('oldest', { started_at: minutesAgo(180), phase: 'idle' })
  state('gone', { started_at: minutesAgo(1), ended_at: minutesAgo(0), phase: 'ended' })
  state('far', { started_at: minutesAgo(1), worktree_path: '/elsewhere', agent_type: '', phase: 'idle' })

  expect((await entire(repo, ['status', '--detailed'])).out).toBe(
    [
      'Enabled (manual-commit)',
      '',
      'Project, enabled (manual-commit)',
      'Agents: Claude Code',
      '',
      'Active Sessions:',
      '  /elsewhere (unknown)',
      '    [(unknown)] far       started 1m ago',
      '',
      `  ${repo.root} (main)`,
      '    [Claude Code] 6f3c0e5   started 5m ago, active 2m ago',
      `      "fix it now ${'x'.repeat(46)}..."`,
      '    [Claude Code] oldest    started 3h ago',
      '',
    ].join('\n'),
  )
  expect(JSON.parse((await entire(repo, ['status', '--json'])).out)).toEqual({
    enabled: true,
    agents: ['Claude Code'],
    active_sessions: expect.arrayContaining([
      { agent: 'Claude Code', model: 'opus', status: 'active' },
      { agent: '(unknown)', status: 'idle' },
    ]),
    git_hooks: 'all',
  })
})

test('hooks that are missing are a warning, not a silence', async () => {
  await using repo = await tempRepo()
  repo.write('.entire/settings.json', '{}')
  const { out } = await entire(repo, ['status'])
  expect(out).toContain("! no agent hooks installed · run 'entire enable'")
  expect(out).toContain("! git hooks missing · run 'entire enable'")
})

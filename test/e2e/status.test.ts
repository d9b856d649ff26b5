// Tests what `entire status` shows while agents work, and commits are made and pushed.
import { expect, test } from 'bun:test'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { logFile } from '../../src/sessions/places.ts'
import { fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { openTerminal } from '../support/terminal.ts'

async function status(repo: RecordedRepo) {
  return JSON.parse((await repo.entire(['status', '--json'])).out)
}

async function addRemote(repo: RecordedRepo, name: string): Promise<void> {
  await repo.run(['git', 'init', '--quiet', '--bare', join(repo.base, `${name}.git`)])
  await repo.git('remote', 'add', name, join(repo.base, `${name}.git`))
}

test('in a disabled repository status says only that', async () => {
  await using repo = await recordedRepo()
  await fakeAgent(repo).turn('write a', { 'a.ts': 'a\n' })
  await repo.entire(['disable'])
  expect(await repo.entire(['status'])).toEqual({ code: 0, out: 'Disabled (manual-commit)\n', err: '' })
  expect((await repo.entire(['status', '--detailed'])).out).toContain('Local, disabled (manual-commit)\n')
  expect(await status(repo)).toMatchObject({ enabled: false, active_sessions: [], sessions: [] })
  expect(await status(repo)).not.toHaveProperty('error')
})

test('the status follows a session from its first prompt to its end', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo, { session: 'abcdef0123456789' })
  await agent.prompt('write the \x1b[31mparser')
  expect((await status(repo)).active_sessions).toEqual([{ agent: 'Claude Code', status: 'active' }])
  agent.write('a.ts', 'a\n')
  await agent.stop()
  const { out } = await repo.entire(['status'])
  expect(out).toBe(
    [
      'Enabled (manual-commit)',
      '  Agents · Claude Code',
      '',
      'Active Sessions:',
      `  ${repo.root} (main)`,
      '    [Claude Code] abcdef0   started just now',
      '      "write the parser"',
      '      claude-test-1 · 19 tokens',
      '',
    ].join('\n'),
  )
  expect((await status(repo)).active_sessions).toEqual([
    { agent: 'Claude Code', model: 'claude-test-1', status: 'idle' },
  ])
  expect((await status(repo)).sessions[0]).toMatchObject({
    session_id: 'abcdef0123456789',
    turns: 1,
    checkpoints: 1,
    files_touched: ['a.ts'],
  })
  await agent.end()
  expect((await repo.entire(['status'])).out).toBe('Enabled (manual-commit)\n  Agents · Claude Code\n')
})

test('checkpoints are counted as not pushed until they have been pushed', async () => {
  await using repo = await recordedRepo()
  await addRemote(repo, 'origin')
  expect((await repo.entire(['status'])).out).toContain('\n  Checkpoints sync to: origin\n')
  const agent = fakeAgent(repo)
  for (const name of ['a', 'b']) {
    await agent.turn(`write ${name}`, { [`${name}.ts`]: `${name}\n` })
    await repo.commitAs('human', name, `${name}.ts`)
  }
  expect((await repo.entire(['status'])).out).toContain(
    "\n  2 checkpoints not yet on origin — they sync with your next 'git push origin'\n",
  )
  expect(await status(repo)).toMatchObject({
    checkpoint_sync_remote: 'origin',
    checkpoint_sync_remote_source: 'default',
    unpushed_checkpoints: 2,
  })
  await repo.gitAs('human', ['push', '--quiet', 'origin', 'main'])
  expect((await repo.entire(['status'])).out).not.toContain('not yet on')
  expect((await status(repo)).unpushed_checkpoints).toBe(0)
})

test('with one ref per checkpoint, those in the queue are counted', async () => {
  await using repo = await recordedRepo()
  await addRemote(repo, 'origin')
  repo.write(
    '.entire/settings.local.json',
    JSON.stringify({ checkpoints: { primary: { type: 'git-refs' } } }),
  )
  await fakeAgent(repo).turn('write a', { 'a.ts': 'a\n' })
  await repo.commitAs('human', 'a', 'a.ts')
  expect((await repo.entire(['status'])).out).toContain(
    "  1 checkpoint not yet on origin — it syncs with your next 'git push origin'\n",
  )
  await repo.gitAs('human', ['push', '--quiet', 'origin', 'main'])
  expect((await status(repo)).unpushed_checkpoints).toBe(0)
})

test('the remote of checkpoints is shown, and why it was chosen', async () => {
  await using repo = await recordedRepo()
  expect(await status(repo)).not.toHaveProperty('checkpoint_sync_remote')
  await addRemote(repo, 'fork')
  expect(await status(repo)).toMatchObject({
    checkpoint_sync_remote: 'fork',
    checkpoint_sync_remote_source: 'sole',
  })
  await addRemote(repo, 'origin')
  await repo.git('config', 'branch.main.pushRemote', 'fork')
  expect((await repo.entire(['status'])).out).toContain(
    "  Checkpoints sync to: fork (follows your branch's push destination)\n",
  )
  repo.write(
    '.entire/settings.local.json',
    JSON.stringify({ strategy_options: { checkpoint_push_remote: 'private' } }),
  )
  expect((await repo.entire(['status'])).out).toContain(
    '  ! checkpoints cannot be synced: git remote not found: private\n',
  )
  expect(await status(repo)).toMatchObject({
    checkpoint_sync_remote: 'private',
    checkpoint_sync_error: 'git remote not found: private',
  })
  await addRemote(repo, 'private')
  expect((await repo.entire(['status'])).out).toContain(
    '  Checkpoints sync to: private (set by checkpoint_push_remote)\n',
  )
  repo.write('.entire/settings.local.json', JSON.stringify({ strategy_options: { push_sessions: false } }))
  expect((await repo.entire(['status'])).out).not.toContain('sync')
  expect((await repo.entire(['status', '--detailed'])).out).toMatch(
    /^ {2}Push +never \(push_sessions is off\)$/m,
  )
})

test('a setting that is ignored gives a warning', async () => {
  await using repo = await recordedRepo()
  await addRemote(repo, 'origin')
  repo.write(
    '.entire/settings.json',
    JSON.stringify({ strategy_options: { checkpoint_remote: { url: 'https://evil.example/x' } } }),
  )
  expect((await repo.entire(['status'])).out).toContain('  ! checkpoints are not pushed: ')
  expect(await status(repo)).toMatchObject({
    checkpoint_remote_ignored: true,
    checkpoint_remote_ignored_reason: expect.any(String),
  })
})

test('a session whose last hook failed is marked, until one succeeds', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': 'a\n' })
  const failure = {
    time: new Date().toISOString(),
    level: 'ERROR',
    msg: 'disk full',
    session_id: agent.session,
    hook: 'stop',
  }
  appendFileSync(logFile(repo.repo), `${JSON.stringify(failure)}\n`)
  expect((await status(repo)).active_sessions[0]).toMatchObject({
    agent: 'Claude Code',
    capture_degraded: true,
  })
  await agent.turn('write b', { 'b.ts': 'b\n' })
  expect((await status(repo)).active_sessions[0]).not.toHaveProperty('capture_degraded')
})

test('sessions of all work trees are shown, each with its branch', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const other = await repo.addWorktree('feature-x')
  await fakeAgent(repo, { session: 'here' }).turn('write a', { 'a.ts': 'a\n' })
  await fakeAgent(other, { session: 'there' }).turn('write b', { 'b.ts': 'b\n' })
  for (const place of [repo, other]) {
    const { out } = await place.entire(['status'])
    expect(out).toContain(`  ${repo.root} (main)\n    [Claude Code] here `)
    expect(out).toContain(`  ${other.root} (feature-x)\n    [Claude Code] there `)
  }
})

test('colours are for terminals, and NO_COLOR is respected', async () => {
  await using repo = await recordedRepo()
  const argv = ['entire', 'status']
  await using coloured = openTerminal(argv, { cwd: repo.root, env: { ...repo.env, TERM: 'xterm' } })
  expect(await coloured.exited()).toBe(0)
  expect(coloured.raw()).toContain('\x1b[32mEnabled')
  await using plain = openTerminal(argv, {
    cwd: repo.root,
    env: { ...repo.env, TERM: 'xterm', NO_COLOR: '1' },
  })
  expect(await plain.exited()).toBe(0)
  expect(plain.raw()).not.toContain('\x1b')
})

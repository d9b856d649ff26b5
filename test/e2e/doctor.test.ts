// `entire doctor` finds stuck sessions, describes them, and fixes them without losing anything.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { doctor } from '../support/doctor.ts'
import { type FakeAgent, fakeAgent } from '../support/fake-agent.ts'
import { binary, type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { replay } from '../support/replay.ts'
import { keys, openTerminal } from '../support/terminal.ts'

setDefaultTimeout(60_000)

const hourMs = 60 * 60 * 1000

async function ready(): Promise<RecordedRepo> {
  const repo = await recordedRepo({ isCommitted: true })
  return repo
}

/** Edits the state as if time had passed. */
function edit(repo: RecordedRepo, id: string, change: (state: Record<string, unknown>) => void): void {
  const path = join(repo.repo.commonDir, 'entire-sessions', `${id}.json`)
  const state = JSON.parse(readFileSync(path, 'utf8'))
  change(state)
  writeFileSync(path, JSON.stringify(state))
}

/** The agent died during its turn, hours ago. */
function die(repo: RecordedRepo, agent: FakeAgent, hours = 3): void {
  const then = new Date(Date.now() - hours * hourMs)
  edit(repo, agent.session, (state) => {
    state.last_interaction_time = then.toISOString()
  })
  if (existsSync(agent.transcript)) utimesSync(agent.transcript, then, then)
}

test('a healthy repository has no findings, and the exit code is 0', async () => {
  await using repo = await ready()
  await fakeAgent(repo).turn('write a', { 'a.txt': 'work of the agent\n' })
  await fakeAgent(repo).prompt('at work')
  const ran = await repo.entire(['doctor'])
  expect(ran).toEqual({ code: 0, out: 'No stuck sessions found.\n\n✓ No problems found.\n', err: '' })
  expect(await doctor(repo)).toEqual({ code: 0, ok: true, findings: [], fixed: [] })
})

test('a turn whose agent died is reported, and left alone without a terminal and without --force', async () => {
  await using repo = await ready()
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.txt': 'work of the agent\n' })
  await agent.prompt('write b')
  die(repo, agent)
  const ran = await repo.entire(['doctor'])
  expect(ran.code).toBe(1)
  expect(ran.out).toBe(
    [
      'Found 1 stuck session(s):',
      '',
      `  Session: ${agent.session}`,
      '  Phase: active',
      '  Reason: active, last interaction 3h0m ago',
      '  Agent: Claude Code',
      `  Last interaction: ${repo.state(agent.session).last_interaction_time}`,
      `  Shadow branch: exists (${repo.shadow(await repo.head())})`,
      '  Steps: 1, Files touched: 1',
      '',
      '1 problem left.',
      '',
    ].join('\n'),
  )
  expect(ran.err).toContain('entire doctor --force')
  expect(repo.state(agent.session)).toMatchObject({ phase: 'active', checkpoint_count: 1 })
  const { findings } = await doctor(repo)
  expect(findings).toMatchObject([
    { id: 'stuck-session', subject: agent.session, severity: 'warning', fixable: true },
  ])
})

test('a long turn is not stuck while its transcript grows', async () => {
  await using repo = await ready()
  const agent = fakeAgent(repo)
  await agent.prompt('a long task')
  die(repo, agent)
  agent.say('still thinking')
  expect(await doctor(repo)).toMatchObject({ code: 0, findings: [] })
  edit(repo, agent.session, (state) => {
    delete state.last_interaction_time
  })
  rmSync(agent.transcript)
  expect((await doctor(repo)).findings[0]?.title).toContain('active, no recorded interaction time')
})

test('a stuck session is saved under a new checkpoint id; its uncommitted work is still linked to its commit', async () => {
  await using repo = await ready()
  const agent = fakeAgent(repo)
  await agent.turn('write a and b', { 'a.txt': 'one line of a\n', 'b.txt': 'one line of b\n' })
  // One of the files is committed without hooks, by a program that the reflog does not call a commit.
  await repo.git('add', 'a.txt')
  const tree = await repo.git('write-tree')
  await repo.git('update-ref', 'HEAD', await repo.git('commit-tree', '-p', 'HEAD', '-m', 'a', tree))
  await agent.prompt('and then')
  agent.say('some words before the end')
  die(repo, agent)
  const old = (await repo.shadows())[0] ?? ''
  const tip = await repo.git('rev-parse', old)
  const ran = await repo.entire(['doctor', '--force'])
  expect(ran.code).toBe(0)
  expect(ran.out).toContain(`  -> Saved session ${agent.session} as checkpoint `)
  const id = /checkpoint ([0-9a-f]{12})/.exec(ran.out)?.[1] ?? ''
  expect(await repo.storedSession(id)).toMatchObject({
    session_id: agent.session,
    checkpoints_count: 1,
    files_touched: ['a.txt', 'b.txt'],
  })
  expect(await repo.transcript(id)).toContain('some words before the end')
  expect(await repo.stored(id, '0/prompt.txt')).toBe('write a and b\n\n---\n\nand then')
  expect(repo.state(agent.session)).toMatchObject({
    phase: 'idle',
    checkpoint_count: 0,
    last_checkpoint_id: id,
    files_touched: ['b.txt'],
  })
  expect(await repo.shadows()).toEqual([])
  expect(repo.temporary()).toEqual([])
  expect(await doctor(repo)).toMatchObject({ code: 0, findings: [] })
  await repo.commitAs('human', 'b')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({
    session_id: agent.session,
    files_touched: ['b.txt'],
  })
  // The steps can be restored.
  expect((await repo.entire(['clean', '--undo'])).out).toContain(old)
  expect(await repo.git('rev-parse', old)).toBe(tip)
  expect(await repo.git('fsck', '--no-dangling')).toBe('')
})

test('a session that ended with steps no commit will include is stuck; one with uncommitted files is not', async () => {
  await using repo = await ready()
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.txt': 'work of the agent\n' })
  await agent.end()
  const waiting = await doctor(repo, ['--force'])
  expect(waiting).toMatchObject({
    code: 0,
    ok: true,
    fixed: [],
    findings: [{ id: 'waiting-sessions', severity: 'info', fixable: false }],
  })
  expect(repo.state(agent.session)).toMatchObject({ checkpoint_count: 1 })
  await repo.git('add', 'a.txt')
  await repo.git('-c', 'core.hooksPath=/dev/null', 'commit', '--quiet', '-m', 'a')
  const stuck = await doctor(repo)
  expect(stuck).toMatchObject({ code: 1, findings: [{ id: 'stuck-session' }] })
  expect(stuck.findings[0]?.detail).toContain('Reason: ended with steps that no checkpoint holds')
  const fixed = await doctor(repo, ['--force'])
  expect(fixed).toMatchObject({ code: 0, ok: true, findings: [], fixed: [{ id: 'stuck-session' }] })
  expect(repo.state(agent.session)).toMatchObject({
    phase: 'ended',
    checkpoint_count: 0,
    fully_condensed: true,
  })
})

test('a stuck session without steps is discarded, and can be restored', async () => {
  await using repo = await ready()
  const agent = fakeAgent(repo)
  await agent.prompt('a question that killed it')
  die(repo, agent, 72)
  const state = repo.state(agent.session)
  const ran = await repo.entire(['doctor', '-f'])
  expect(ran.code).toBe(0)
  expect(ran.out).toContain('Reason: active, last interaction 3d ago')
  expect(ran.out).toContain('Shadow branch: not found')
  expect(ran.out).toContain(`  -> Discarded session ${agent.session}\n`)
  expect(ran.out).toContain('kept for 30 days: entire clean --undo')
  expect(repo.hasState(agent.session)).toBe(false)
  expect(repo.temporary()).toEqual([])
  await repo.entire(['clean', '--undo'])
  expect(repo.state(agent.session)).toEqual(state)
  expect(repo.temporary()).toEqual([`pre-prompt-${agent.session}.json`])
})

test('a session of a version that keeps the transcript only in its steps is saved from there, redacted', async () => {
  await using repo = await ready()
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.txt': 'work of the agent\n' })
  const key = ['AKIA', 'Q3EGRIJKLMNOP2QR'].join('')
  const spoken = `${agent.lines().join('\n')}\n${JSON.stringify({ type: 'user', message: { role: 'user', content: `the key is ${key}` } })}\n`
  const shadow = repo.shadow(await repo.head())
  const path = `.entire/metadata/${agent.session}/full.jsonl`
  const stream = `commit refs/heads/${shadow}\ncommitter A <a@b> 1770000000 +0000\ndata 3\nold\nfrom refs/heads/${shadow}^0\nM 100644 inline ${path}\ndata ${Buffer.byteLength(spoken)}\n${spoken}\n`
  expect((await repo.run(['git', 'fast-import', '--quiet'], { stdin: stream })).code).toBe(0)
  rmSync(agent.transcript)
  edit(repo, agent.session, (state) => {
    delete state.transcript_cursor
    state.phase = 'active'
    state.owner = { pid: 999_999_999 }
  })
  const ran = await repo.entire(['doctor', '--force'])
  expect(ran.out).toContain('Reason: agent process 999999999 exited (no longer running)')
  const id = /checkpoint ([0-9a-f]{12})/.exec(ran.out)?.[1] ?? ''
  const { stdout } = await repo.run([
    'git',
    'show',
    `entire/checkpoints/v1:${id.slice(0, 2)}/${id.slice(2)}/0/full.jsonl`,
  ])
  const stored = stdout.toString()
  expect(stored).toContain('the key is ')
  expect(stored).not.toContain(key)
  const hash = new Bun.CryptoHasher('sha256').update(stored).digest('hex')
  expect(await repo.stored(id, '0/content_hash.txt')).toBe(`sha256:${hash}`)
})

test('encrypted content in a step of another version is left out', async () => {
  await using repo = await recordedRepo({ agent: 'codex', isCommitted: true })
  const run = replay(repo, 'codex/A1-create')
  await run.rest()
  const line = JSON.stringify({
    type: 'response_item',
    payload: { type: 'reasoning', encrypted_content: 'sealed-words' },
  })
  const spoken = `${readFileSync(run.transcript, 'utf8')}${line}\n`
  const shadow = repo.shadow(await repo.head())
  const path = `.entire/metadata/${run.session}/full.jsonl`
  const stream = `commit refs/heads/${shadow}\ncommitter A <a@b> 1770000000 +0000\ndata 3\nold\nfrom refs/heads/${shadow}^0\nM 100644 inline ${path}\ndata ${Buffer.byteLength(spoken)}\n${spoken}\n`
  expect((await repo.run(['git', 'fast-import', '--quiet'], { stdin: stream })).code).toBe(0)
  rmSync(run.transcript)
  edit(repo, run.session, (state) => {
    delete state.transcript_cursor
    state.phase = 'active'
    state.owner = { pid: 999_999_999 }
  })
  const ran = await repo.entire(['doctor', '--force'])
  const stored = await repo.transcript(/checkpoint ([0-9a-f]{12})/.exec(ran.out)?.[1] ?? '')
  expect(stored.trimEnd().split('\n')).toHaveLength(spoken.trimEnd().split('\n').length)
  expect(stored).toContain('"type":"reasoning"')
  expect(stored).not.toContain('sealed-words')
})

test('a checkpoint whose turn never ended is completed with the current transcript', async () => {
  await using repo = await ready()
  const agent = fakeAgent(repo)
  await agent.prompt('write a')
  agent.write('a.txt', 'work of the agent\n')
  await repo.commitAs('agent', 'a', 'a.txt')
  const id = await repo.checkpointOf()
  agent.say('words after the commit')
  expect(await doctor(repo)).toMatchObject({ code: 0, findings: [] })
  die(repo, agent)
  expect(await repo.transcript(id)).not.toContain('words after the commit')
  const found = await doctor(repo)
  expect(found.findings.map((finding) => finding.id)).toEqual(['provisional-checkpoint', 'stuck-session'])
  const fixed = await doctor(repo, ['--force'])
  expect(fixed).toMatchObject({ code: 0, findings: [] })
  expect(await repo.transcript(id)).toContain('words after the commit')
  expect(await repo.subjects('entire/checkpoints/v1')).toContain(`Finalize transcript for Checkpoint: ${id}`)
})

test('a session of an unknown agent is reported, and discarded only by name or by force', async () => {
  await using repo = await ready()
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.txt': 'work of the agent\n' })
  await agent.prompt('more')
  die(repo, agent)
  edit(repo, agent.session, (state) => {
    state.agent_type = 'Agent of the future'
    state.turn_checkpoint_ids = ['abcdef012345']
  })
  const found = await doctor(repo)
  expect(found.findings).toMatchObject([
    { id: 'provisional-checkpoint', fixable: false },
    { id: 'stuck-session', fixable: true, fix: expect.stringContaining('discards it') },
  ])
})

test('on a terminal doctor asks about each stuck session: skip, discard, save', async () => {
  await using repo = await ready()
  const names = ['aa-skipped', 'bb-discarded', 'cc-saved']
  for (const session of names) {
    const agent = fakeAgent(repo, { session })
    await agent.turn(`work of ${session}`, { [`${session}.txt`]: `written by ${session}\n` })
    await agent.prompt('and more')
    die(repo, agent)
  }
  await using terminal = openTerminal([binary, 'doctor'], {
    cwd: repo.root,
    env: { ...repo.env, TERM: 'xterm-256color' },
  })
  expect(await terminal.sees('Fix session aa-skipped?')).toContain('Found 3 stuck session(s):')
  await terminal.press(keys.down, keys.down, keys.enter)
  expect(await terminal.sees('Fix session bb-discarded?')).toContain('-> Skipped')
  await terminal.press(keys.down, keys.enter)
  expect(await terminal.sees('Fix session cc-saved?')).toContain('-> Discarded session bb-discarded')
  await terminal.press(keys.enter)
  expect(await terminal.sees('1 problem left.')).toContain('-> Saved session cc-saved as checkpoint ')
  expect(await terminal.exited()).toBe(1)
  expect(names.map((id) => repo.hasState(id))).toEqual([true, false, true])
  expect(repo.state('aa-skipped')).toMatchObject({ phase: 'active', checkpoint_count: 1 })
  expect(repo.state('cc-saved')).toMatchObject({ phase: 'idle', checkpoint_count: 0 })
  // The skipped session still has its steps.
  expect(await repo.shadows()).toHaveLength(1)
})

test('leaving a question changes nothing more; plain prompts ask for a number', async () => {
  await using repo = await ready()
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.txt': 'work of the agent\n' })
  await agent.prompt('more')
  die(repo, agent)
  await using leaving = openTerminal([binary, 'doctor'], {
    cwd: repo.root,
    env: { ...repo.env, TERM: 'xterm-256color' },
  })
  await leaving.sees('Fix session')
  await leaving.press(keys.interrupt)
  await leaving.sees('Stopped. Nothing else was changed.')
  expect(await leaving.exited()).toBe(1)
  expect(repo.state(agent.session)).toMatchObject({ phase: 'active' })
  await using plain = openTerminal([binary, 'doctor'], {
    cwd: repo.root,
    env: { ...repo.env, ACCESSIBLE: '1' },
  })
  const asked = await plain.sees('Number:')
  expect(asked).toContain('1. Save as a checkpoint\r\n  2. Discard\r\n  3. Skip')
  await plain.press('1', keys.enter)
  await plain.sees('✓ No problems found.')
  expect(await plain.exited()).toBe(0)
})

test('a session of another work tree is fixed from here, and hooks running meanwhile lose nothing', async () => {
  await using repo = await ready()
  const other = await repo.addWorktree('other')
  const dead = fakeAgent(other)
  await dead.turn('write a', { 'a.txt': 'work in the other work tree\n' })
  await dead.prompt('more')
  die(repo, dead)
  const alive = fakeAgent(repo)
  await alive.prompt('write b')
  alive.write('b.txt', 'work here, meanwhile\n')
  const [fixed] = await Promise.all([doctor(repo, ['--force']), alive.stop()])
  expect(fixed).toMatchObject({ code: 0, fixed: [{ id: 'stuck-session' }] })
  expect(repo.state(dead.session)).toMatchObject({
    phase: 'idle',
    checkpoint_count: 0,
    files_touched: ['a.txt'],
  })
  expect(repo.state(alive.session)).toMatchObject({
    phase: 'idle',
    checkpoint_count: 1,
    files_touched: ['b.txt'],
  })
  await other.commitAs('human', 'a', 'a.txt')
  expect(await other.checkpointsOf()).toHaveLength(1)
})

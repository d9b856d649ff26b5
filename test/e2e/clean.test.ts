// Tests `entire clean`: it removes ended sessions, keeps those in use with the reason, and can restore all it
// removed.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fakeAgent } from '../support/fake-agent.ts'
import { binary, type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { openTerminal } from '../support/terminal.ts'

setDefaultTimeout(60_000)

const orphan = 'entire/0123456-e3b0c4'

async function putOrphan(repo: RecordedRepo, name = orphan): Promise<string> {
  await repo.git('branch', name, await repo.git('commit-tree', '-m', 'an old step', 'HEAD^{tree}'))
  return repo.git('rev-parse', name)
}

test('an ended session without work is removed; running, idle and uncommitted ones are kept with the reason', async () => {
  await using repo = await recordedRepo({ isCommitted: true })
  const [over, idle, working, running] = ['over', 'idle', 'working', 'running'].map((session) =>
    fakeAgent(repo, { session }),
  )
  await over?.prompt('just a question')
  await over?.stop()
  await over?.end()
  await idle?.prompt('another question')
  await idle?.stop()
  await working?.turn('write a', { 'a.txt': 'work\n' })
  await working?.end()
  await running?.prompt('still at it')
  const branch = repo.shadow(await repo.head())

  const dry = await repo.entire(['clean', '--dry-run'])
  expect(dry).toMatchObject({ code: 0, err: '' })
  expect(dry.out).toBe(
    [
      'Would clean the following items:',
      '',
      'Session states (1):',
      '  over (steps: 0)',
      '',
      'Still in use (4):',
      '  idle: has not ended',
      '  running: a turn is running',
      '  working: holds work that is not committed yet',
      `  ${branch}: has steps of running, working`,
      '',
      'Run without --dry-run to clean these items.',
      '',
    ].join('\n'),
  )
  expect(repo.hasState('over')).toBe(true)
  const done = await repo.entire(['clean', '--force'])
  expect(done.out).toContain('Cleared session state for over\n')
  expect(['over', 'idle', 'working', 'running'].map((id) => repo.hasState(id))).toEqual([
    false,
    true,
    true,
    true,
  ])
  expect(await repo.shadows()).toEqual([branch])
  const again = await repo.entire(['clean', '-f'])
  expect(again.out).toStartWith('Nothing to clean for current HEAD.\n')
  await repo.commitAs('human', 'a', 'a.txt')
  expect(await repo.checkpointsOf()).toHaveLength(1)
})

test('--all finds branches without sessions, sessions of other commits and work trees, and leftovers of dead turns', async () => {
  await using repo = await recordedRepo({ isCommitted: true })
  const agent = fakeAgent(repo, { session: 'elsewhere' })
  await agent.turn('write a', { 'a.txt': 'work of the agent\n' })
  await repo.commitAs('human', 'a')
  await agent.end()
  const checkpoint = await repo.checkpointOf()
  repo.write('next.txt', 'not of the agent\n')
  await repo.commitAs('human', 'next')
  const other = await repo.addWorktree('other')
  const there = fakeAgent(other, { session: 'there' })
  await there.turn('write b', { 'b.txt': 'work there\n' })
  await putOrphan(repo)
  repo.write('.entire/tmp/pre-prompt-gone.json', '{"session_id":"gone"}')
  repo.write('.entire/tmp/notes-of-another-program.json', '{}')
  const before = await repo.git('rev-parse', 'entire/checkpoints/v1')

  const dry = await repo.entire(['clean', '--all', '-d'])
  expect(dry.out).toContain('Found 3 item(s) to clean:\n')
  expect(dry.out).toContain(`Shadow branches (1):\n  ${orphan}\n`)
  expect(dry.out).toContain('Session states (1):\n  elsewhere (steps: 0)\n')
  expect(dry.out).toContain('Temporary files (1):\n  .entire/tmp/pre-prompt-gone.json\n')
  expect(dry.out).toContain('there: holds work that is not committed yet')
  const json = JSON.parse((await repo.entire(['clean', '--all', '--dry-run', '--json'])).out)
  expect(json).toMatchObject({
    dry_run: true,
    sessions: [{ session_id: 'elsewhere', phase: 'ended', checkpoints: 0 }],
    shadow_branches: [{ branch: orphan }],
    temporary_files: ['.entire/tmp/pre-prompt-gone.json'],
    kept: [
      { kind: 'session', name: 'there' },
      { kind: 'branch', name: other.shadow(await other.head()) },
    ],
  })
  const done = await repo.entire(['clean', '--all', '--force'])
  expect(done.out).toContain('✓ Deleted 3 items:\n')
  expect(readdirSync(join(repo.root, '.entire/tmp'))).toEqual(['notes-of-another-program.json'])
  expect(await repo.shadows()).toEqual([other.shadow(await other.head())])
  expect(await repo.git('rev-parse', 'entire/checkpoints/v1')).toBe(before)
  expect(await repo.storedSession(checkpoint)).toMatchObject({ session_id: 'elsewhere' })
  expect((await repo.entire(['clean', '--all', '--force'])).out).toStartWith('No items to clean up.\n')
  await other.commitAs('human', 'b', 'b.txt')
  expect(await other.checkpointsOf()).toHaveLength(1)
})

test('--session removes a session that is in use, and --undo restores all of it', async () => {
  await using repo = await recordedRepo({ isCommitted: true })
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.txt': 'work of the agent\n' })
  const [state, tip] = [
    repo.state(agent.session),
    await repo.git('rev-parse', repo.shadow(await repo.head())),
  ]
  const refused = await repo.entire(['clean', '--session', agent.session])
  expect(refused.code).toBe(2)
  expect(refused.err).toContain(`entire clean --session ${agent.session} --force`)
  const done = await repo.entire(['clean', '--session', agent.session, '--force'])
  expect(done.out).toBe(
    `Cleared session state for ${agent.session}\nDeleted shadow branch ${repo.shadow(await repo.head())}\n`,
  )
  expect(await repo.shadows()).toEqual([])
  const undone = await repo.entire(['clean', '--undo'])
  expect(undone.out).toContain('Restored what `entire clean` removed:\n')
  expect(repo.state(agent.session)).toEqual(state)
  expect(await repo.git('rev-parse', repo.shadow(await repo.head()))).toBe(tip)
  const nothing = await repo.entire(['clean', '--undo'])
  expect(nothing).toMatchObject({ code: 1, err: expect.stringContaining('The trash is empty.') })
})

test('--undo restores one removal at a time, and never replaces something newer', async () => {
  await using repo = await recordedRepo({ isCommitted: true })
  const [first, second] = [await putOrphan(repo), await putOrphan(repo, 'entire/7654321-e3b0c4')]
  await repo.git('branch', '-D', 'entire/7654321-e3b0c4')
  await repo.entire(['clean', '--all', '--force'])
  await repo.git('branch', 'entire/7654321-e3b0c4', second)
  await repo.entire(['clean', '--all', '--force'])
  await repo.git('branch', 'entire/7654321-e3b0c4', 'HEAD')
  const blocked = await repo.entire(['clean', '--undo'])
  expect(blocked.err).toContain('entire/7654321-e3b0c4 was not restored, because it exists again')
  expect(await repo.git('rev-parse', 'entire/7654321-e3b0c4')).toBe(await repo.head())
  await repo.git('branch', '-D', 'entire/7654321-e3b0c4')
  await repo.entire(['clean', '--undo'])
  expect(await repo.git('rev-parse', 'entire/7654321-e3b0c4')).toBe(second)
  await repo.entire(['clean', '--undo'])
  expect(await repo.git('rev-parse', orphan)).toBe(first)
  expect(await repo.refs('refs/entire/trash')).toEqual([])
})

test('clean deletes removed items that were kept for 30 days', async () => {
  await using repo = await recordedRepo({ isCommitted: true })
  const day = 86_400_000
  const [old, recent] = [`${Date.now() - 31 * day}-aaaaaa`, `${Date.now() - day}-bbbbbb`]
  for (const name of [old, recent]) await repo.git('update-ref', `refs/entire/trash/${name}`, 'HEAD')
  await putOrphan(repo)
  await repo.entire(['clean', '--all', '--force'])
  const left = await repo.refs('refs/entire/trash')
  expect(left).toHaveLength(2)
  expect(left.some((ref) => ref.endsWith(recent))).toBe(true)
})

test('a turn that ends while clean runs is recorded, whichever comes first', async () => {
  await using repo = await recordedRepo({ isCommitted: true })
  const agents = Array.from({ length: 4 }, (_, index) => fakeAgent(repo, { session: `agent-${index}` }))
  for (const [round, agent] of agents.entries()) {
    await putOrphan(repo)
    await agent.prompt('work')
    agent.write(`file-${round}.txt`, `work of agent number ${round}\n`)
    const [cleaned] = await Promise.all([repo.entire(['clean', '--all', '--force']), agent.stop()])
    expect(cleaned.code).toBe(0)
    expect(await repo.shadows()).not.toContain(orphan)
    expect(repo.state(agent.session)).toMatchObject({
      phase: 'idle',
      files_touched: [`file-${round}.txt`],
      checkpoint_count: 1,
    })
  }
  await repo.commitAs('human', 'all')
  const id = await repo.checkpointOf()
  expect(JSON.parse(await repo.stored(id, 'metadata.json')).sessions).toHaveLength(4)
  expect(await repo.git('fsck', '--no-dangling')).toBe('')
})

test('work that begins between the question and the answer is kept', async () => {
  await using repo = await recordedRepo({ isCommitted: true })
  const agent = fakeAgent(repo)
  await agent.prompt('a question')
  await agent.stop()
  await agent.end()
  await putOrphan(repo)
  await using terminal = openTerminal([binary, 'clean', '--all'], {
    cwd: repo.root,
    env: { ...repo.env, TERM: 'xterm-256color' },
  })
  await terminal.sees('Delete 2 items?')
  await agent.start('resume')
  await agent.turn('write a', { 'a.txt': 'work of the agent\n' })
  await terminal.press('y')
  await terminal.sees('✓ Deleted 1 items:')
  expect(await terminal.exited()).toBe(0)
  expect(repo.state(agent.session)).toMatchObject({ files_touched: ['a.txt'] })
  expect(await repo.shadows()).toEqual([repo.shadow(await repo.head())])
})

test('unreadable states and an unreadable index cause no removal', async () => {
  await using repo = await recordedRepo({ isCommitted: true })
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.txt': 'work of the agent\n' })
  const shadows = await repo.shadows()
  writeFileSync(join(repo.repo.commonDir, 'entire-sessions', `${agent.session}.json`), 'garbage')
  expect((await repo.entire(['clean', '--all', '--force'])).out).toContain(`has steps of ${agent.session}`)
  expect(await repo.shadows()).toEqual(shadows)
  // Its next event finds the steps again, through the index of the work tree.
  await agent.turn('write b', { 'b.txt': 'more work of the agent\n' })
  expect(repo.state(agent.session)).toMatchObject({ files_touched: ['a.txt', 'b.txt'] })
})

test('invalid combinations of flags, and places outside a repository, are errors', async () => {
  await using repo = await recordedRepo({ isCommitted: true })
  expect(await repo.entire(['clean', '--all', '--session', 'x'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('--all and --session cannot be used together'),
  })
  expect(await repo.entire(['clean', '--undo', '--all'])).toMatchObject({ code: 2 })
  expect(await repo.entire(['clean', '--session', 'x'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('session not found: x'),
  })
  await putOrphan(repo)
  expect(await repo.entire(['clean', '--all'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('entire clean --all --force'),
  })
  expect(await repo.shadows()).toEqual([orphan])
  expect(await repo.entire(['clean'], { cwd: repo.base })).toMatchObject({
    code: 1,
    err: expect.stringContaining('Not a git repository'),
  })
})

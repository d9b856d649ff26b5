// Recording works wherever git does: in linked work trees, each with its own sessions and shadow branches,
// and in every kind of repository.
import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fakeAgent } from '../support/fake-agent.ts'
import { recordedRepo } from '../support/recorded-repo.ts'
import { tempDir } from '../support/repo.ts'
import { availableKinds } from '../support/repo-kinds.ts'

test('sessions of two work trees have shadow branches of their own and never mix in a commit', async () => {
  await using repo = await recordedRepo()
  const h0 = await repo.commit('set up')
  const other = await repo.addWorktree('linked')
  const [here, there] = [fakeAgent(repo), fakeAgent(other)]
  await here.turn('write a here', { 'a.ts': 'export const here = 1\n' })
  await there.turn('write a there', { 'a.ts': 'export const there = 1\n' })
  const suffix = (id: string) => createHash('sha256').update(id).digest('hex').slice(0, 6)
  expect(await repo.shadows()).toEqual(
    [`entire/${h0.slice(0, 7)}-${suffix('')}`, `entire/${h0.slice(0, 7)}-${suffix('linked')}`].toSorted(),
  )
  // All work trees share one directory of states.
  expect(repo.state(there.session)).toMatchObject({
    worktree_path: other.root,
    worktree_id: 'linked',
    base_commit: h0,
  })
  expect(repo.state(here.session).worktree_id).toBeUndefined()
  expect(existsSync(join(other.root, '.entire/metadata', there.session))).toBe(true)
  expect(existsSync(join(repo.root, '.entire/metadata', there.session))).toBe(false)

  const before = repo.state(here.session)
  const h1 = await other.commitAs('human', 'there', 'a.ts')
  const id = await other.checkpointOf()
  expect(await repo.storedSession(id)).toMatchObject({ session_id: there.session, branch: 'linked' })
  expect(JSON.parse(await repo.stored(id, 'metadata.json')).sessions).toHaveLength(1)
  expect(repo.state(here.session)).toEqual(before)
  expect(await repo.shadows()).toEqual([repo.shadow(h0)])
  // Any git can read it.
  expect(await repo.git('cat-file', '-t', h1)).toBe('commit')
  expect(await repo.git('fsck', '--strict', '--no-progress', '--no-dangling')).toBe('')

  await repo.commitAs('human', 'here', 'a.ts')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({
    session_id: here.session,
    branch: 'main',
  })
  expect(await repo.shadows()).toEqual([])
})

test('two work trees that commit at the same time both get their checkpoints', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const trees = [repo, await repo.addWorktree('second'), await repo.addWorktree('third')]
  const agents = trees.map((tree) => fakeAgent(tree))
  await Promise.all(
    agents.map((agent, index) => agent.turn('write', { 'a.ts': `export const a = ${index}\n` })),
  )
  await Promise.all(trees.map((tree) => tree.commitAs('human', 'a', 'a.ts')))
  for (const [index, tree] of trees.entries()) {
    expect(await repo.storedSession(await tree.checkpointOf())).toMatchObject({
      session_id: agents[index]?.session,
    })
  }
})

await using probe = tempDir()
for (const kind of (await availableKinds(probe.base, probe.env)).filter((name) => name !== 'unborn')) {
  test(`turns and commits are recorded in a repository of the kind ${kind}`, async () => {
    await using repo = await recordedRepo({ kind })
    const agent = fakeAgent(repo)
    await agent.turn('please write a and b', {
      'a.ts': 'export const a = 1\n',
      'b.ts': 'export const b = 1\n',
    })
    const shadow = repo.shadow(await repo.head())
    expect(await repo.shadows()).toEqual([shadow])
    expect(await repo.git('show', `${shadow}:a.ts`)).toBe('export const a = 1')
    await repo.commitAs('human', 'a', 'a.ts')
    const first = await repo.checkpointOf()
    await agent.prompt('commit b')
    await repo.commitAs('agent', 'b', 'b.ts')
    const second = await repo.checkpointOf()
    agent.say('Committed.')
    await agent.stop()
    for (const [id, files] of [
      [first, ['a.ts', 'b.ts']],
      [second, ['b.ts']],
    ] as const) {
      expect(await repo.storedSession(id)).toMatchObject({ files_touched: files, session_id: agent.session })
    }
    expect(await repo.transcriptLines(second)).toEqual(agent.lines())
    expect(await repo.shadows()).toEqual([])
    expect(await repo.git('status', '--porcelain', 'a.ts', 'b.ts')).toBe('')
    if (kind === 'detached') expect((await repo.storedSession(first)).branch).toBeUndefined()
  })
}

test('a session continues in another work tree, and its earlier files are linked where they are', async () => {
  await using repo = await recordedRepo({ isCommitted: true })
  const other = await repo.addWorktree('other')
  const agent = fakeAgent(repo)
  const there = fakeAgent(other, { session: agent.session })
  await agent.turn('write a', { 'a.ts': 'export const a = 1\n' })
  await there.start('resume')
  await there.turn('write b', { 'b.ts': 'export const b = 1\n' })
  expect(repo.state(agent.session)).toMatchObject({
    worktree_path: other.root,
    worktree_id: 'other',
    files_touched: ['b.ts'],
  })
  expect((await repo.shadows()).sort()).toEqual(
    [repo.shadow(await repo.head()), other.shadow(await other.head())].sort(),
  )
  expect(await repo.paths(other.shadow(await other.head()))).not.toContain('a.ts')

  // Files in this work tree are linked here, although the session is elsewhere.
  await repo.commitAs('human', 'a', 'a.ts')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({
    session_id: agent.session,
    files_touched: ['a.ts'],
  })
  await other.commitAs('human', 'b', 'b.ts')
  expect(await other.storedSession(await other.checkpointOf())).toMatchObject({
    session_id: agent.session,
    files_touched: ['b.ts'],
  })
  expect(await repo.shadows()).toEqual([])
  expect((await repo.entire(['doctor'])).code).toBe(0)
})

test('a turn that was cut off is saved in its work tree when the session continues in another one', async () => {
  await using repo = await recordedRepo({ isCommitted: true })
  const other = await repo.addWorktree('other')
  const agent = fakeAgent(repo)
  const there = fakeAgent(other, { session: agent.session })
  await agent.prompt('write a, then be killed')
  agent.write('a.ts', 'export const a = 1\n')
  await there.prompt('write b')
  expect(await repo.paths(repo.shadow(await repo.head()))).toContain('a.ts')
  there.write('b.ts', 'export const b = 1\n')
  // An agent that reports from another directory than the one its turn began in.
  await there.hook('stop', { cwd: repo.root }, { cwd: repo.root, env: { CLAUDE_PROJECT_DIR: repo.root } })
  expect(repo.state(agent.session)).toMatchObject({
    phase: 'idle',
    worktree_id: 'other',
    files_touched: ['b.ts'],
  })
  await agent.turn('write c', { 'c.ts': 'export const c = 1\n' })
  expect(repo.state(agent.session)).toMatchObject({ files_touched: ['a.ts', 'c.ts'] })
  await repo.commitAs('human', 'a and c')
  await other.commitAs('human', 'b', 'b.ts')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({
    files_touched: ['a.ts', 'c.ts'],
  })
  expect(await other.storedSession(await other.checkpointOf())).toMatchObject({ files_touched: ['b.ts'] })
})

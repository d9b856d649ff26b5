// `entire explain` of a branch, a checkpoint, a step and a commit, with the compiled program.
import { expect, test } from 'bun:test'
import { fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'

async function repoWithCheckpoint(): Promise<{ repo: RecordedRepo; session: string; id: string }> {
  const repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('Can you please add a parser?', { 'src/parser.ts': 'export const parser = 1\n' })
  await repo.commitAs('human', 'feat: parser', 'src')
  return { repo, session: agent.session, id: await repo.checkpointOf() }
}

test('without a session the list is empty', async () => {
  await using repo = await recordedRepo()
  const { code, out } = await repo.entire(['explain'])
  expect(code).toBe(0)
  expect(out).toStartWith('Branch: main\nCheckpoints: 0\n\nNo checkpoints found on this branch.\n')
})

test('the list shows the checkpoint of a commit and an uncommitted step, each with its prompt', async () => {
  const { repo, session, id } = await repoWithCheckpoint()
  await using _repo = repo
  const agent = fakeAgent(repo)
  await agent.turn('Now tests', { 'src/parser.test.ts': 'test()\n' })
  const { out } = await repo.entire(['explain'])
  expect(out).toContain('Checkpoints: 1, uncommitted sessions: 1\n')
  expect(out).toContain(`[${agent.session.slice(0, 12)}] [step] "Now tests"\n`)
  expect(out).toMatch(
    new RegExp(
      `\\[${id}\\] "Can you please add a parser\\?"\\n {2}\\S+ \\S+ \\(${(await repo.head()).slice(0, 7)}\\) feat: parser\\n`,
    ),
  )
  const filtered = (await repo.entire(['explain', '--session', session])).out
  expect(filtered).toStartWith(`Branch: main\nCheckpoints: 1\nFiltered by session: ${session}\n\n[${id}]`)
  expect((await repo.entire(['explain', '--session', session.slice(0, 8), '--json'])).out).toContain(
    agent.session,
  )
  expect((await repo.entire(['explain', '--session', 'nobody'])).out).toContain(
    'No checkpoints found on this branch.',
  )
})

test('only one target can be explained at a time', async () => {
  await using repo = await recordedRepo()
  for (const [flags, typed] of [
    [['--session', 'a', '--commit', 'HEAD'], '--session and --commit'],
    [['--session', 'a', '--checkpoint', 'b'], '--session and --checkpoint'],
    [['--commit', 'HEAD', '-c', 'b'], '--commit and --checkpoint'],
    [['--session', 'a', '--commit', 'HEAD', '-c', 'b'], '--session, --commit and --checkpoint'],
  ] as const) {
    expect(await repo.entire(['explain', ...flags])).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining(`error: ${typed} cannot be used together`),
    })
  }
})

test('a missing checkpoint is reported', async () => {
  await using repo = await recordedRepo()
  expect(await repo.entire(['explain', '--checkpoint', 'abcdef123456'])).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining('checkpoint not found: abcdef123456'),
  })
})

test('explain reports that a commit has no checkpoint', async () => {
  await using repo = await recordedRepo()
  const head = await repo.commit('by hand')
  expect((await repo.entire(['explain', '--commit', 'HEAD'])).out).toBe(
    `No associated Entire checkpoint\n\nCommit ${head.slice(0, 7)} does not have an Entire-Checkpoint trailer.\nThis commit was not created during an Entire session, or the trailer was removed.\n`,
  )
  expect(await repo.entire(['explain', '--commit', 'nowhere'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('commit not found: nowhere'),
  })
})

test('the checkpoint of a commit is shown, by any name of the commit', async () => {
  const { repo, session, id } = await repoWithCheckpoint()
  await using _repo = repo
  await repo.git('tag', '-a', 'v1', '-m', 'first')
  const { out } = await repo.entire(['explain', '--commit', 'HEAD'])
  expect(out).toStartWith(
    `Checkpoint: ${id}\nSession: ${session}\nAgent: Claude Code (claude-test-1)\nCreated: `,
  )
  expect(out).toContain(`\nCommits: (1)\n  ${(await repo.head()).slice(0, 7)} `)
  expect(out).toContain(
    '\nIntent: Can you please add a parser?\nOutcome: (not generated)\n\nFiles: (1)\n  - src/parser.ts\n',
  )
  expect(out).toEndWith(
    `\nTranscript (checkpoint scope):\n[User] Can you please add a parser?\n\n[Tool] Write: ${repo.root}/src/parser.ts\n\n[Assistant] Done.\n`,
  )
  for (const name of ['main', 'v1', (await repo.head()).slice(0, 7), '@', 'HEAD^0'])
    expect((await repo.entire(['explain', '--commit', name])).out).toBe(out)
  for (const args of [['-c', id], [id.slice(0, 6)], ['HEAD']])
    expect((await repo.entire(['explain', ...args])).out).toBe(out)
})

test('a checkpoint shows only its part of a long session', async () => {
  const { repo } = await repoWithCheckpoint()
  await using _repo = repo
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': 'export const a = 1\n' })
  await repo.commitAs('human', 'a', 'a.ts')
  await agent.turn('write b', { 'b.ts': 'export const b = 1\n' })
  await repo.commitAs('human', 'b', 'b.ts')
  const scoped = (await repo.entire(['explain', '--commit', 'HEAD'])).out
  expect(scoped).toContain('Intent: write b\n')
  expect(scoped).not.toContain('write a')
  const full = (await repo.entire(['explain', '--commit', 'HEAD', '--full'])).out
  expect(full).toContain('Intent: write b\n')
  expect(full).toContain('Transcript (full session):\n[User] write a\n')
  expect((await repo.entire(['explain', '--commit', 'HEAD', '--short'])).out).not.toContain('Files:')
  const raw = (await repo.entire(['explain', '-c', await repo.checkpointOf(), '--raw-transcript'])).out
  expect(raw.trimEnd().split('\n')).toEqual(agent.lines())
})

test('all sessions of a checkpoint are shown, the last one first', async () => {
  await using repo = await recordedRepo()
  const [one, two] = [fakeAgent(repo), fakeAgent(repo)]
  await one.turn('write a', { 'a.ts': 'export const a = 1\n' })
  await two.turn('write b', { 'b.ts': 'export const b = 1\n' })
  await repo.commitAs('human', 'both', 'a.ts', 'b.ts')
  const id = await repo.checkpointOf()
  const sessions = (
    JSON.parse((await repo.entire(['explain', id, '--json'])).out) as { sessions: { session_id: string }[] }
  ).sessions
  expect(sessions.map(({ session_id }) => session_id).toSorted()).toEqual(
    [one.session, two.session].toSorted(),
  )
  const { out } = await repo.entire(['explain', id])
  const [last, first] = [sessions[1]?.session_id, sessions[0]?.session_id]
  expect(out).toStartWith(`Checkpoint: ${id}\nSession: ${last}\n`)
  expect(out).toContain(`\nOther sessions of this checkpoint: (1)\n\nSession: ${first}\n`)
  expect(out.match(/^Transcript /gm)).toHaveLength(2)
  expect(out).toContain('Files: (2)\n  - a.ts\n  - b.ts\n')
})

test('the newest of several checkpoints of a commit is shown first', async () => {
  const { repo, id } = await repoWithCheckpoint()
  await using _repo = repo
  const agent = fakeAgent(repo)
  await agent.turn('write b', { 'b.ts': 'export const b = 1\n' })
  await repo.commitAs('human', 'b', 'b.ts')
  const second = await repo.checkpointOf()
  await repo.git(
    'commit',
    '--quiet',
    '--allow-empty',
    '--no-verify',
    '-m',
    `squash\n\nEntire-Checkpoint: ${id}\nEntire-Checkpoint: ${second}\nEntire-Checkpoint: ffffffffffff`,
  )
  const { out, err } = await repo.entire(['explain', '--commit', 'HEAD', '--short'])
  expect(out.match(/^Checkpoint: .*$/gm)).toEqual([`Checkpoint: ${second}`, `Checkpoint: ${id}`])
  expect(err).toContain('Checkpoint ffffffffffff of this commit cannot be read.')
  await repo.git(
    'commit',
    '--quiet',
    '--allow-empty',
    '--no-verify',
    '-m',
    'lost\n\nEntire-Checkpoint: ffffffffffff',
  )
  expect(await repo.entire(['explain', '--commit', 'HEAD'])).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining('checkpoint not found: ffffffffffff'),
  })
  expect((await repo.entire(['explain'])).err).toContain(
    'Not shown: 1 checkpoint that commits name but that cannot be read here',
  )
})

test('a step of a working agent is explained, with only its own part of the conversation', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': 'export const a = 1\n' })
  await agent.turn('write b', { 'b.ts': 'export const b = 1\n' })
  const step = await repo.git('rev-parse', repo.shadow(await repo.head()))
  const { out } = await repo.entire(['explain', '-c', step.slice(0, 10)])
  expect(out).toStartWith(`Step: ${step.slice(0, 7)}\nSession: ${agent.session}\nCreated: `)
  expect(out).toContain('\nTranscript (step scope):\n[User] write b\n')
  expect((await repo.entire(['explain', step, '--full'])).out).toContain(
    '\nTranscript (full session):\n[User] write a\n',
  )
})

test.each(['unborn', 'detached', 'shallow-clone', 'partial-clone', 'linked-worktree', 'sha256'] as const)(
  'every kind of repository has a list and checkpoints (%s)',
  async (kind) => {
    await using repo = await recordedRepo({ kind })
    expect((await repo.entire(['explain'])).out).toContain('Checkpoints: 0\n')
    if (kind === 'unborn') await repo.commit('first')
    const agent = fakeAgent(repo)
    await agent.turn('write a', { 'a.ts': 'export const a = 1\n' })
    expect((await repo.entire(['explain'])).out).toContain('[step] "write a"')
    await repo.commitAs('human', 'a', 'a.ts')
    const id = await repo.checkpointOf()
    const { out } = await repo.entire(['explain'])
    expect(out).toStartWith(kind === 'detached' ? 'Branch: (detached)\n' : 'Branch: ')
    expect(out).toContain(`[${id}] "write a"`)
    expect((await repo.entire(['explain', id])).out).toContain('[Assistant] Done.')
  },
)

test('one ref per checkpoint is explained like the branch', async () => {
  await using repo = await recordedRepo()
  repo.write(
    '.entire/settings.local.json',
    JSON.stringify({ checkpoints: { primary: { type: 'git-refs' } } }),
  )
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': 'export const a = 1\n' })
  await repo.commitAs('human', 'a', 'a.ts')
  const id = await repo.checkpointOf()
  expect((await repo.entire(['explain'])).out).toContain(`[${id}] "write a"`)
  for (const name of [id, id.slice(0, 8), id.toLowerCase()])
    expect((await repo.entire(['explain', name])).out).toStartWith(`Checkpoint: ${id}\n`)
})

test('in a disabled repository nothing is explained', async () => {
  await using repo = await recordedRepo()
  await repo.entire(['disable'])
  expect(await repo.entire(['explain'])).toMatchObject({
    code: 0,
    out: 'Entire is disabled. Run `entire enable` to re-enable.\n',
  })
})

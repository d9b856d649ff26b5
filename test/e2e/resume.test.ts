// Resuming a branch restores its conversation where the agent looks for it, and loses nothing newer.
import { expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { fakeAgent } from '../support/fake-agent.ts'
import { recordedRepo } from '../support/recorded-repo.ts'
import { featureWithSession, goOn } from '../support/resumable.ts'

const branchOf = (repo: { git(...args: string[]): Promise<string> }) => repo.git('branch', '--show-current')
const backups = (path: string) =>
  readdirSync(dirname(path)).filter((name) => name.startsWith(`${basename(path)}.backup-`))

test('a branch is checked out and its session restored, byte for byte, readable only by the user', async () => {
  await using story = await featureWithSession()
  const { repo, agent } = story
  const log = readFileSync(agent.transcript, 'utf8')
  rmSync(dirname(agent.transcript), { recursive: true })
  const ran = await repo.entire(['resume', 'feature'])
  expect(ran).toMatchObject({ code: 0, out: '' })
  expect(ran.err).toBe(
    [
      "Switched to branch 'feature'",
      `Writing transcript to: ${agent.transcript}`,
      `Session: ${agent.session}`,
      '',
      'To continue this session, run:',
      `  claude -r ${agent.session}  # add a parser`,
      '',
    ].join('\n'),
  )
  expect(await branchOf(repo)).toBe('feature')
  expect(readFileSync(agent.transcript, 'utf8')).toBe(log)
  expect(statSync(agent.transcript).mode & 0o777).toBe(0o600)
  expect(statSync(dirname(agent.transcript)).mode & 0o777).toBe(0o750)
})

test('the current branch is resumed with or without its name, from any directory', async () => {
  await using story = await featureWithSession()
  const { repo, agent } = story
  await repo.git('switch', '--quiet', 'feature')
  repo.write('sub/dir/x.txt', 'x\n')
  for (const args of [['resume', 'feature'], ['resume']]) {
    rmSync(agent.transcript)
    const ran = await repo.entire(args, { cwd: `${repo.root}/sub/dir` })
    expect(ran.code).toBe(0)
    expect(ran.err).not.toContain('Switched')
    expect(ran.err).toContain(`claude -r ${agent.session}`)
    expect(existsSync(agent.transcript)).toBe(true)
  }
})

test('with --json, standard output contains only JSON', async () => {
  await using story = await featureWithSession()
  const { repo, agent, checkpoint } = story
  rmSync(agent.transcript)
  const ran = await repo.entire(['resume', 'feature', '--json'])
  expect(JSON.parse(ran.out)).toEqual({
    branch: 'feature',
    checkpoint_id: checkpoint,
    sessions: [
      {
        session_id: agent.session,
        agent: 'Claude Code',
        path: agent.transcript,
        command: `claude -r ${agent.session}`,
        prompt: 'add a parser',
        state: 'new',
      },
    ],
  })
  expect(ran.err).toBe('')
})

test('a branch without a checkpoint is checked out, and the command succeeds', async () => {
  await using story = await featureWithSession()
  const { repo } = story
  await repo.git('switch', '--quiet', '-c', 'plain', 'main')
  repo.write('plain.txt', 'by hand\n')
  await repo.commit('by hand', 'plain.txt')
  await repo.git('switch', '--quiet', 'main')
  const ran = await repo.entire(['resume', 'plain'])
  expect(ran.code).toBe(0)
  expect(ran.err).toContain("No Entire checkpoint found on branch 'plain'")
  expect(await branchOf(repo)).toBe('plain')
  expect(JSON.parse((await repo.entire(['resume', '--json'])).out)).toEqual({
    branch: 'plain',
    checkpoint_id: null,
    sessions: [],
  })
})

test('an unknown branch is an error with a hint', async () => {
  await using story = await featureWithSession()
  const ran = await story.repo.entire(['resume', 'nowhere'])
  expect(ran.code).toBe(1)
  expect(ran.err).toContain('branch, session or checkpoint not found: nowhere')
  expect(ran.err).toContain('`entire session list` and `entire explain` show sessions and checkpoints.')
  expect(ran.err).toContain('hint:')
})

test('uncommitted changes prevent switching branches; untracked files do not', async () => {
  await using story = await featureWithSession()
  const { repo, agent } = story
  rmSync(agent.transcript)
  repo.write('README', 'one\n')
  await repo.commit('readme', 'README')
  repo.write('README', 'two\n')
  repo.write('scratch.txt', 'untracked\n')
  const ran = await repo.entire(['resume', 'feature', '--force'])
  expect(ran.code).toBe(1)
  expect(ran.err).toContain('you have uncommitted changes. Please commit or stash them first')
  expect(await branchOf(repo)).toBe('main')
  expect(repo.read('README')).toBe('two\n')
  expect(existsSync(agent.transcript)).toBe(false)
  await repo.git('checkout', '--quiet', 'README')
  expect((await repo.entire(['resume', 'feature'])).code).toBe(0)
  expect(repo.read('scratch.txt')).toBe('untracked\n')
})

test('a file that switching branches would overwrite is kept, and no log is written', async () => {
  await using story = await featureWithSession()
  const { repo, agent } = story
  rmSync(agent.transcript)
  repo.write('parser.ts', 'mine, untracked\n')
  const ran = await repo.entire(['resume', 'feature'])
  expect(ran.code).toBe(1)
  expect(ran.err).toContain('Failed to checkout branch: ')
  expect(ran.err).toContain('parser.ts')
  expect(await branchOf(repo)).toBe('main')
  expect(repo.read('parser.ts')).toBe('mine, untracked\n')
  expect(existsSync(agent.transcript)).toBe(false)
})

test('the git hooks of the user run when the branch is switched', async () => {
  await using story = await featureWithSession()
  const { repo } = story
  await repo.hook('post-checkout', 'echo ran >"$HOME/hook-ran"')
  expect((await repo.entire(['resume', 'feature'])).code).toBe(0)
  expect(readFileSync(`${repo.base}/home/hook-ran`, 'utf8')).toBe('ran\n')
})

test('an older log is replaced without asking, and a copy is kept; an identical one is not written', async () => {
  await using story = await featureWithSession()
  const { repo, agent } = story
  const log = readFileSync(agent.transcript, 'utf8')
  const before = statSync(agent.transcript)
  const same = await repo.entire(['resume', 'feature', '--json'])
  expect(JSON.parse(same.out).sessions[0].state).toBe('unchanged')
  expect(statSync(agent.transcript)).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs })

  const older = `${JSON.stringify({ type: 'user', timestamp: '2026-11-14T12:00:00.000Z', message: { content: 'older' } })}\n`
  writeFileSync(agent.transcript, older)
  const ran = await repo.entire(['resume'])
  expect(ran.code).toBe(0)
  expect(readFileSync(agent.transcript, 'utf8')).toBe(log)
  const [backup = ''] = backups(agent.transcript)
  expect(readFileSync(`${dirname(agent.transcript)}/${backup}`, 'utf8')).toBe(older)
  expect(ran.err).toContain(`The previous log is kept as: ${dirname(agent.transcript)}/${backup}`)
})

test('a log that is only the beginning of the stored one is replaced without a copy', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.prompt('first')
  const beginning = readFileSync(agent.transcript, 'utf8')
  agent.write('a.ts', 'export const a = 1\n')
  goOn(agent, '2026-11-15T13:00:00.000Z')
  await agent.stop()
  await repo.commitAs('human', 'a', 'a.ts')
  const log = readFileSync(agent.transcript, 'utf8')
  writeFileSync(agent.transcript, beginning)
  const ran = await repo.entire(['resume', '--json'])
  expect(JSON.parse(ran.out).sessions[0].state).toBe('checkpoint-newer')
  expect(readFileSync(agent.transcript, 'utf8')).toBe(log)
  expect(backups(agent.transcript)).toEqual([])
})

test('the session of the last commit of a branch is resumed', async () => {
  await using story = await featureWithSession()
  const { repo } = story
  await repo.git('switch', '--quiet', 'feature')
  const second = fakeAgent(repo)
  await second.turn('add tests', { 'parser.test.ts': 'test content, long enough\n' })
  await repo.commitAs('human', 'tests', 'parser.test.ts')
  const ran = await repo.entire(['resume', '--json'])
  expect(JSON.parse(ran.out).sessions.map((session: { session_id: string }) => session.session_id)).toEqual([
    second.session,
  ])
})

test('a missing checkpoint is reported, and the command succeeds', async () => {
  await using story = await featureWithSession()
  const { repo } = story
  repo.write('x.txt', 'x\n')
  await repo.git('add', 'x.txt')
  await repo.git(
    '-c',
    'core.hooksPath=/dev/null',
    'commit',
    '--quiet',
    '-m',
    'x\n\nEntire-Checkpoint: abcdef012345',
  )
  const ran = await repo.entire(['resume', 'main'])
  expect(ran.code).toBe(0)
  expect(ran.err).toContain("Checkpoint 'abcdef012345' found in commit but session metadata not available")
  expect(ran.err).toContain('The entire/checkpoints/v1 branch may not exist locally or on the remote.')
})

test('the session before a merge of main is resumed without asking', async () => {
  await using story = await featureWithSession()
  const { repo, agent } = story
  repo.write('main.txt', 'on main\n')
  await repo.commit('on main', 'main.txt')
  await repo.git('switch', '--quiet', 'feature')
  await repo.git('merge', '--quiet', '--no-edit', 'main')
  const ran = await repo.entire(['resume'])
  expect(ran.code).toBe(0)
  expect(ran.err).toContain(`claude -r ${agent.session}`)
  expect(ran.err).not.toContain('older commit')
})

test('checkpoints of the default branch do not count for a branch that starts there', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  await fakeAgent(repo).turn('on main', { 'main.ts': 'export const main = 1\n' })
  await repo.commitAs('human', 'on main', 'main.ts')
  await repo.git('switch', '--quiet', '-c', 'feature')
  repo.write('hand.txt', 'by hand\n')
  await repo.commit('by hand', 'hand.txt')
  expect((await repo.entire(['resume'])).err).toContain("No Entire checkpoint found on branch 'feature'")
})

test('newer commits without a checkpoint lead to a question, which --yes answers', async () => {
  await using story = await featureWithSession()
  const { repo, agent } = story
  await repo.git('switch', '--quiet', 'feature')
  repo.write('hand.txt', 'by hand\n')
  await repo.commit('by hand', 'hand.txt')
  await repo.git('switch', '--quiet', 'main')
  const refused = await repo.entire(['resume', 'feature'])
  expect(refused.code).toBe(2)
  expect(refused.err).toContain(
    'Found checkpoint in an older commit.\nThere are 1 newer commit(s) on this branch without checkpoints.\n',
  )
  expect(refused.err).toContain('Resume from this older checkpoint?')
  expect(refused.err).toContain('--yes')
  expect(await branchOf(repo)).toBe('main')
  const ran = await repo.entire(['resume', 'feature', '--yes'])
  expect(ran.code).toBe(0)
  expect(ran.err).toContain(`claude -r ${agent.session}`)
})

test('without a terminal a newer local log is an error, and nothing changes', async () => {
  await using story = await featureWithSession()
  const { repo, agent } = story
  goOn(agent, '2026-11-16T08:30:00.000Z')
  const log = readFileSync(agent.transcript, 'utf8')
  for (const args of [[], ['--yes']]) {
    const ran = await repo.entire(['resume', 'feature', ...args], { env: { TZ: 'UTC' } })
    expect(ran.code).toBe(2)
    expect(ran.err).toContain(
      [
        'Warning: Local session log(s) have newer entries than the checkpoint:',
        '  "add a parser"',
        '    Local last entry:      2026-11-16 08:30:00',
        '    Checkpoint last entry: 2026-11-15 12:00:00',
        '',
      ].join('\n'),
    )
    expect(ran.err).toContain('--force')
    expect(readFileSync(agent.transcript, 'utf8')).toBe(log)
    expect(backups(agent.transcript)).toEqual([])
    expect(await branchOf(repo)).toBe('main')
  }
})

test('--force replaces a newer local log and keeps a copy', async () => {
  await using story = await featureWithSession()
  const { repo, agent } = story
  const stored = readFileSync(agent.transcript, 'utf8')
  goOn(agent, '2026-11-16T08:30:00.000Z')
  const newer = readFileSync(agent.transcript, 'utf8')
  const ran = await repo.entire(['resume', 'feature', '-f', '--json'])
  expect(ran.code).toBe(0)
  const [session] = JSON.parse(ran.out).sessions
  expect(session).toMatchObject({ state: 'local-newer', path: agent.transcript })
  expect(readFileSync(agent.transcript, 'utf8')).toBe(stored)
  expect(readFileSync(session.backup, 'utf8')).toBe(newer)
})

test('a local log without timestamps is replaced without asking', async () => {
  await using story = await featureWithSession()
  const { repo, agent } = story
  const stored = readFileSync(agent.transcript, 'utf8')
  const timeless = '{"type":"user","message":{"content":"no time"}}\nnot even JSON\n'
  writeFileSync(agent.transcript, timeless)
  const ran = await repo.entire(['resume', 'feature', '--json'])
  expect(JSON.parse(ran.out).sessions[0].state).toBe('new')
  expect(readFileSync(agent.transcript, 'utf8')).toBe(stored)
  expect(readFileSync(JSON.parse(ran.out).sessions[0].backup, 'utf8')).toBe(timeless)
})

test('all sessions of a checkpoint are compared one by one and restored', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agents = [fakeAgent(repo), fakeAgent(repo)]
  for (const [index, agent] of agents.entries())
    await agent.turn(`task ${index}`, { [`f${index}.ts`]: `export const f${index} = 1\n` })
  await repo.commitAs('human', 'both', 'f0.ts', 'f1.ts')
  const [first, second] = agents as [(typeof agents)[0], (typeof agents)[0]]
  const stored = agents.map(({ transcript }) => readFileSync(transcript, 'utf8'))
  goOn(first, '2026-11-16T08:30:00.000Z')
  rmSync(second.transcript)
  const refused = await repo.entire(['resume'])
  expect(refused.code).toBe(2)
  expect(refused.err).toContain('These other session(s) will also be restored:\n  "task 1" (new)\n')
  expect(existsSync(second.transcript)).toBe(false)
  const ran = await repo.entire(['resume', '--force'])
  expect(ran.code).toBe(0)
  expect(ran.err).toContain(
    [
      'Restoring 2 sessions from checkpoint:',
      '  Session 1: task 0',
      `    Writing to: ${first.transcript}`,
      '  Session 2 (latest): task 1',
      `    Writing to: ${second.transcript}`,
      '',
    ].join('\n'),
  )
  expect(ran.err).toEndWith(
    [
      '',
      'Restored 2 sessions. To continue, run:',
      `  claude -r ${first.session}  # task 0`,
      `  claude -r ${second.session}  # task 1 (most recent)`,
      '',
    ].join('\n'),
  )
  expect(agents.map(({ transcript }) => readFileSync(transcript, 'utf8'))).toEqual(stored)
})

test('in a disabled repository the command says so', async () => {
  await using story = await featureWithSession()
  const { repo } = story
  await repo.entire(['disable'])
  expect(await repo.entire(['resume', 'feature'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('Entire is disabled.'),
  })
  expect(await branchOf(repo)).toBe('main')
})

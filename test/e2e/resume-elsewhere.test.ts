// Resuming on another machine: another home, another path, and only pushed data.
import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { recordedRepo } from '../support/recorded-repo.ts'
import { replay } from '../support/replay.ts'
import { featureWithSession, type Machine, otherMachine, pushAll } from '../support/resumable.ts'

const claudeDir = (machine: Machine) =>
  join(machine.home, '.claude/projects', machine.root.replace(/[^A-Za-z0-9]/g, '-'))

test('a branch of another machine is fetched, checked out and resumed where the local agent looks for it', async () => {
  await using story = await featureWithSession()
  const { repo, agent, checkpoint } = story
  const machine = await otherMachine(repo, await pushAll(repo))
  const refused = await machine.entire('resume', 'feature')
  expect(refused.code).toBe(2)
  expect(refused.err).toContain("Branch 'feature' not found locally. Fetch from origin?")
  expect(await machine.git('branch', '--show-current')).toBe('main')

  const ran = await machine.entire('resume', 'feature', '--yes')
  expect(ran.code).toBe(0)
  const path = join(claudeDir(machine), `${agent.session}.jsonl`)
  expect(ran.err).toBe(
    [
      "Fetching branch 'feature' from origin...",
      "Switched to branch 'feature'",
      `Writing transcript to: ${path}`,
      `Session: ${agent.session}`,
      '',
      'To continue this session, run:',
      `  claude -r ${agent.session}  # add a parser`,
      '',
    ].join('\n'),
  )
  expect(readFileSync(path, 'utf8')).toBe(readFileSync(agent.transcript, 'utf8'))
  expect(await machine.git('rev-parse', '--abbrev-ref', 'feature@{upstream}')).toBe('origin/feature')

  // By a prefix of the id of the session or the checkpoint: the branch is left alone.
  for (const id of [agent.session.slice(0, 12), agent.session, checkpoint, checkpoint.slice(0, 6)]) {
    rmSync(path)
    await machine.git('switch', '--quiet', 'main')
    const again = await machine.entire('resume', id)
    expect(again.code).toBe(0)
    expect(again.err).toContain("Recorded on branch 'feature'; you are on 'main'.")
    expect(existsSync(path)).toBe(true)
    expect(await machine.git('branch', '--show-current')).toBe('main')
  }
})

test('single-branch, shallow and partial clones fetch what they lack', async () => {
  const kinds = [
    ['--single-branch', '--branch', 'feature'],
    ['--depth', '1', '--branch', 'feature'],
    ['--filter=blob:none', '--branch', 'feature'],
    ['--filter=tree:0', '--single-branch', '--branch', 'feature'],
  ]
  await using story = await featureWithSession()
  const { repo, agent } = story
  const remote = `file://${await pushAll(repo)}`
  for (const args of kinds) {
    const machine = await otherMachine(repo, remote, ...args)
    const ran = await machine.entire('resume', 'feature')
    expect(ran).toMatchObject({ code: 0, out: '' })
    expect(ran.err).toContain(`claude -r ${agent.session}`)
    const path = join(claudeDir(machine), `${agent.session}.jsonl`)
    expect(readFileSync(path, 'utf8')).toBe(readFileSync(agent.transcript, 'utf8'))
    expect((await machine.entire('resume', agent.session.slice(0, 20))).code).toBe(0)
    rmSync(join(repo.base, 'elsewhere'), { recursive: true })
  }
})

test('an unreachable remote is reported with a hint, and nothing is written', async () => {
  await using story = await featureWithSession()
  const { repo } = story
  const remote = await pushAll(repo)
  for (const args of [
    ['--single-branch', '--branch', 'feature'],
    ['--filter=blob:none', '--no-checkout', '--branch', 'feature'],
  ]) {
    const machine = await otherMachine(repo, `file://${remote}`, ...args)
    await machine.git('remote', 'set-url', 'origin', `file://${repo.base}/gone.git`)
    const ran = await machine.entire('resume', 'feature')
    expect(ran.code).toBe(1)
    expect(ran.err).toMatch(/error: .*(?:fetched|missing)/)
    expect(ran.err).toMatch(/hint: .*(?:the remote can be reached|git fetch)/)
    expect(ran.err).not.toMatch(/\n\s+at /)
    expect(existsSync(join(machine.home, '.claude'))).toBe(false)
    rmSync(join(repo.base, 'elsewhere'), { recursive: true })
  }
})

test('checkpoints in a separate repository are fetched from there', async () => {
  await using story = await featureWithSession()
  const { repo, agent } = story
  const remote = await pushAll(repo)
  const store = join(repo.base, 'store.git')
  await repo.git('init', '--quiet', '--bare', store)
  await repo.git('push', '--quiet', '--no-verify', store, 'entire/checkpoints/v1')
  await repo.git('push', '--quiet', '--no-verify', 'origin', ':entire/checkpoints/v1')
  const machine = await otherMachine(repo, remote, '--branch', 'feature')
  await machine.git('remote', 'add', 'store', store)
  expect((await machine.entire('resume')).err).toContain('session metadata not available')
  mkdirSync(join(machine.root, '.entire'), { recursive: true })
  writeFileSync(
    join(machine.root, '.entire/settings.local.json'),
    JSON.stringify({ strategy_options: { checkpoint_push_remote: 'store' } }),
  )
  const ran = await machine.entire('resume')
  expect(ran.err).toContain('Fetching session metadata from store...')
  expect(ran.err).toContain(`claude -r ${agent.session}`)
  expect(await machine.git('for-each-ref', 'refs/entire-fetch-tmp')).toBe('')
})

test('a checkpoint with a ref of its own is fetched alone', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  writeFileSync(
    join(repo.root, '.entire/settings.local.json'),
    '{"checkpoints":{"primary":{"type":"git-refs"}}}\n',
  )
  const { fakeAgent } = await import('../support/fake-agent.ts')
  await repo.git('switch', '--quiet', '-c', 'feature')
  const agent = fakeAgent(repo)
  await agent.turn('with refs', { 'a.ts': 'export const a = 1\n' })
  await repo.commitAs('human', 'a', 'a.ts')
  const machine = await otherMachine(repo, await pushAll(repo), '--branch', 'feature')
  expect(await machine.git('for-each-ref', 'refs/entire')).toBe('')
  const ran = await machine.entire('resume')
  expect(ran.err).toContain('Fetching session metadata from origin...')
  expect(readFileSync(join(claudeDir(machine), `${agent.session}.jsonl`), 'utf8')).toBe(
    readFileSync(agent.transcript, 'utf8'),
  )
})

test('a checkpoint named by its full id is fetched if this clone lacks it', async () => {
  await using story = await featureWithSession()
  const { repo, agent, checkpoint } = story
  const machine = await otherMachine(repo, await pushAll(repo), '--single-branch', '--branch', 'main')
  const ran = await machine.entire('resume', checkpoint)
  expect(ran.err).toContain('Fetching session metadata from origin...')
  expect(ran.err).toContain(`claude -r ${agent.session}`)
  expect((await machine.entire('resume', 'ffffffffffff')).err).toContain(
    'branch, session or checkpoint not found: ffffffffffff',
  )
})

test('a branch may be named with its remote; the branches of entire cannot be resumed', async () => {
  await using story = await featureWithSession()
  const { repo, agent } = story
  const machine = await otherMachine(repo, await pushAll(repo))
  expect((await machine.entire('resume', 'origin/feature', '--yes')).err).toContain(
    `claude -r ${agent.session}`,
  )
  expect(await machine.git('branch', '--show-current')).toBe('feature')
  for (const name of ['entire/checkpoints/v1', 'origin/entire/checkpoints/v1'])
    expect((await machine.entire('resume', name)).err).toContain(
      `branch, session or checkpoint not found: ${name}`,
    )
  expect(await machine.git('branch', '--show-current')).toBe('feature')
})

test('a session of another work tree is restored where an agent in this one looks for it', async () => {
  await using story = await featureWithSession()
  const { repo, agent } = story
  const side = await repo.addWorktree('side')
  const ran = await side.entire(['resume', agent.session, '--json'])
  const [session] = JSON.parse(ran.out).sessions
  expect(session.path).toBe(
    join(
      repo.base,
      'home/.claude/projects',
      side.root.replace(/[^A-Za-z0-9]/g, '-'),
      `${agent.session}.jsonl`,
    ),
  )
  expect(readFileSync(session.path, 'utf8')).toBe(readFileSync(agent.transcript, 'utf8'))
  // The branch is checked out in the other work tree: git reports it, and nothing changes.
  await repo.git('switch', '--quiet', 'feature')
  const refused = await side.entire(['resume', 'feature'])
  expect(refused.code).toBe(1)
  expect(refused.err).toMatch(/Failed to checkout branch: .*feature/)
})

test('a Gemini session is restored where Gemini looks for it, even after Gemini has deleted it', async () => {
  await using repo = await recordedRepo({ agent: 'gemini' })
  await repo.commit('set up')
  await repo.git('switch', '--quiet', '-c', 'feature')
  const create = replay(repo, 'gemini/run1-create')
  await create.rest()
  await replay(repo, 'gemini/run2-resume-edit').rest()
  await repo.commitAs('human', 'hello', 'hello.txt')
  const spoken = readFileSync(create.transcript, 'utf8')
  const machine = await otherMachine(repo, await pushAll(repo), '--branch', 'feature')
  const ran = await machine.entire('resume', '--json')
  const [session] = JSON.parse(ran.out).sessions
  const chats = join(machine.home, '.gemini/tmp/the-clone/chats')
  expect(session).toMatchObject({
    agent: 'Gemini CLI',
    command: `gemini --resume ${create.session}`,
    state: 'new',
  })
  expect(session.path).toBe(join(chats, 'session-2026-11-15T19-21-c6e3dc5e.jsonl'))
  expect(readFileSync(session.path, 'utf8')).toBe(spoken)
  expect(readFileSync(join(chats, '../.project_root'), 'utf8')).toBe(machine.root)

  // What a resume leaves behind: a stub with a header, newer than everything else.
  rmSync(session.path)
  const stub = join(chats, 'session-2026-11-16T08-00-c6e3dc5e.jsonl')
  writeFileSync(stub, `${spoken.slice(0, spoken.indexOf('\n'))}\n`)
  expect((await machine.entire('resume')).code).toBe(0)
  expect(readFileSync(stub, 'utf8')).toBe(spoken)
  expect(readdirSync(chats).filter((name) => name.endsWith('.jsonl'))).toEqual([
    'session-2026-11-16T08-00-c6e3dc5e.jsonl',
  ])
})

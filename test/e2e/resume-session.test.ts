// Resuming a session, or all sessions of a checkpoint, by id. The work tree and the branch do not change.
import { expect, test } from 'bun:test'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { replay } from '../support/replay.ts'
import { featureWithSession, goOn } from '../support/resumable.ts'

const answer = async (repo: RecordedRepo, ...args: string[]) => {
  const ran = await repo.entire([...args, '--json'])
  if (ran.code !== 0) throw new Error(ran.err)
  return JSON.parse(ran.out)
}

test('only the named session of a checkpoint with several sessions is restored', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const [first, second] = [fakeAgent(repo), fakeAgent(repo)]
  await first.turn('one', { 'a.ts': 'export const a = 1\n' })
  await second.turn('two', { 'b.ts': 'export const b = 1\n' })
  await repo.commitAs('human', 'both', 'a.ts', 'b.ts')
  rmSync(first.transcript)
  rmSync(second.transcript)
  const checkpoint = await repo.checkpointOf()
  const { sessions } = await answer(repo, 'resume', first.session)
  expect(sessions).toMatchObject([{ session_id: first.session, state: 'new', path: first.transcript }])
  expect(
    (await answer(repo, 'resume', checkpoint)).sessions.map((session: { state: string }) => session.state),
  ).toEqual(['unchanged', 'new'])
})

test('the newest checkpoint of a session is used, even if its state is gone', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('one', { 'a.ts': 'export const a = 1\n' })
  await repo.commitAs('human', 'a', 'a.ts')
  await agent.turn('two', { 'b.ts': 'export const b = 1\n' })
  await repo.commitAs('human', 'b', 'b.ts')
  const log = readFileSync(agent.transcript, 'utf8')
  rmSync(agent.transcript)
  rmSync(join(repo.root, '.git/entire-sessions'), { recursive: true })
  const { checkpoint_id, sessions } = await answer(repo, 'resume', agent.session.slice(0, 30))
  expect(checkpoint_id).toBe(await repo.checkpointOf())
  expect(readFileSync(sessions[0].path, 'utf8')).toBe(log)
})

test('a newer local session is kept, unless --force restores the checkpoint', async () => {
  await using story = await featureWithSession()
  const { repo, agent, checkpoint } = story
  const stored = readFileSync(agent.transcript, 'utf8')
  goOn(agent, '2026-11-16T08:30:00.000Z')
  const newer = readFileSync(agent.transcript, 'utf8')
  const kept = await repo.entire(['resume', agent.session])
  expect(kept.code).toBe(0)
  expect(kept.err).toContain(`The local log is newer than checkpoint ${checkpoint} and is kept.`)
  expect(kept.err).toContain(`claude -r ${agent.session}`)
  expect(readFileSync(agent.transcript, 'utf8')).toBe(newer)
  const { sessions } = await answer(repo, 'resume', agent.session, '--force')
  expect(readFileSync(agent.transcript, 'utf8')).toBe(stored)
  expect(readFileSync(sessions[0].backup, 'utf8')).toBe(newer)
})

test('a session without a checkpoint is continued only where its log is', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('not yet', { 'a.ts': 'export const a = 1\n' })
  expect(await answer(repo, 'resume', agent.session)).toEqual({
    checkpoint_id: null,
    sessions: [
      {
        session_id: agent.session,
        agent: 'Claude Code',
        path: agent.transcript,
        command: `claude -r ${agent.session}`,
        prompt: 'not yet',
        state: 'unchanged',
      },
    ],
  })
  rmSync(agent.transcript)
  const gone = await repo.entire(['resume', agent.session])
  expect(gone.code).toBe(1)
  expect(gone.err).toContain('has no checkpoint, and its log is not on this machine')
})

test('an ambiguous name is an error that lists the matches; a branch takes precedence', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agents = [fakeAgent(repo), fakeAgent(repo)]
  for (const [index, agent] of agents.entries())
    await agent.turn('x', { [`${index}.ts`]: `export const x${index} = 1\n` })
  const ambiguous = await repo.entire(['resume', '5e551010'])
  expect(ambiguous.code).toBe(1)
  expect(ambiguous.err).toContain('ambiguous id prefix "5e551010" matches 2 ids: session ')
  for (const agent of agents) expect(ambiguous.err).toContain(agent.session)
  await repo.git('branch', '5e551010')
  repo.write('set-up.txt', 'x\n')
  const branch = await repo.entire(['resume', '5e551010'])
  expect(branch.err).toContain("No Entire checkpoint found on branch '5e551010'")
  expect(await repo.git('branch', '--show-current')).toBe('5e551010')
})

test.each([
  'abc',
  'ffffffffffff',
  'ffff-ffff',
  '../../x',
  '--upload-pack=x',
  'a b\x1b[31m',
  '*',
  'refs/heads/main^{tree}',
])('%j, which matches nothing, is reported', async (name) => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const ran = await repo.entire(['resume', '--', name])
  expect(ran.code).toBe(1)
  expect(ran.err).toContain('branch, session or checkpoint not found: ')
  expect(ran.err).not.toMatch(/\x1b|\n\s+at /)
})

test('a captured session of Claude Code is restored completely, except its secrets', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const create = replay(repo, 'claude-code/A1-create')
  await create.rest()
  const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
  writeFileSync(
    create.transcript,
    `${readFileSync(create.transcript, 'utf8')}${JSON.stringify({ type: 'user', uuid: 'u-last', parentUuid: 'u', sessionId: create.session, timestamp: '2027-01-01T00:00:00.000Z', message: { role: 'user', content: `use ${secret}` } })}\n`,
  )
  await repo.commitAs('human', 'hello', 'hello.txt')
  const parse = (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  const spoken = parse(readFileSync(create.transcript, 'utf8'))
  rmSync(create.transcript)
  const { sessions } = await answer(repo, 'resume', create.session)
  const text = readFileSync(sessions[0].path, 'utf8')
  expect(text).toEndWith('\n')
  expect(text).not.toContain(secret)
  const links = ({ type, uuid, parentUuid, sessionId, timestamp, cwd }: Record<string, unknown>) => ({
    type,
    uuid,
    parentUuid,
    sessionId,
    timestamp,
    cwd,
  })
  expect(parse(text).map(links)).toEqual(spoken.map(links))
})

test('a lost stored log is reported, and the local one is used', async () => {
  await using story = await featureWithSession()
  const { repo, agent, checkpoint } = story
  const dir = `entire/checkpoints/v1:${checkpoint.slice(0, 2)}/${checkpoint.slice(2)}`
  const blob = await repo.git('rev-parse', `${dir}/0/full.jsonl`)
  // Unpacked, so that a single object can be removed.
  await repo.run([
    'sh',
    '-c',
    'mv .git/objects/pack ../packs; for pack in ../packs/*.pack; do git unpack-objects -q <"$pack"; done',
  ])
  rmSync(join(repo.root, '.git/objects', blob.slice(0, 2), blob.slice(2)))
  const local = readFileSync(agent.transcript, 'utf8')
  const { code, err } = await repo.entire(['resume', agent.session])
  expect({ code, err }).toEqual({
    code: 0,
    err: expect.stringContaining(`of checkpoint ${checkpoint} is lost. Continuing with the local one.`),
  })
  expect(err).toContain(`claude -r ${agent.session}`)
  expect(readFileSync(agent.transcript, 'utf8')).toBe(local)
  rmSync(agent.transcript)
  expect(await repo.entire(['resume', agent.session])).toMatchObject({
    code: 1,
    err: expect.stringContaining('stored session log is missing'),
  })
})

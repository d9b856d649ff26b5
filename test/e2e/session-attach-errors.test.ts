// `entire session attach` explains why it fails and what to do, and writes nothing.
import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { fakeAgent } from '../support/fake-agent.ts'
import { recordedRepo } from '../support/recorded-repo.ts'
import { unrecordedSession } from '../support/unrecorded-session.ts'

const id = '33333333-aaaa-4000-8000-000000000003'

test('a session without a transcript is an error', async () => {
  await using repo = await recordedRepo()
  const { code, err } = await repo.entire(['session', 'attach', id])
  expect(code).toBe(1)
  expect(err).toStartWith(
    `error: session transcript not found: ${id}\nhint: Looked in ${repo.base}/home/.claude/projects/`,
  )
  expect((await repo.entire(['session', 'attach'])).code).toBe(2)
  expect(await repo.entire(['session', 'attach', '../../etc'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('not a valid value for a session id'),
  })
})

test('an unknown agent, or one that does not have the session, is an error', async () => {
  await using repo = await recordedRepo()
  unrecordedSession(repo, id).turn('write a', { 'a.ts': 'a\n' })
  expect(await repo.entire(['session', 'attach', id, '-a', 'nobody'])).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^error: Unknown agent "nobody"\nhint: Use one of: claude-code, gemini/),
  })
  expect(await repo.entire(['session', 'attach', id, '-a', 'gemini'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('session transcript not found'),
  })
})

test('an ambiguous prefix is an error', async () => {
  await using repo = await recordedRepo()
  for (const end of ['1', '2']) unrecordedSession(repo, `3333-${end}`).turn('write a', { 'a.ts': 'a\n' })
  expect(await repo.entire(['session', 'attach', '3333'])).toMatchObject({
    code: 1,
    err: expect.stringContaining(
      'ambiguous session prefix "3333" matches 2 sessions: 3333-1 (claude-code), 3333-2 (claude-code)',
    ),
  })
})

test('a repository without commits is an error', async () => {
  await using repo = await recordedRepo()
  unrecordedSession(repo, id).turn('write a', { 'a.ts': 'a\n' })
  await repo.git('checkout', '--quiet', '--orphan', 'fresh')
  expect(await repo.entire(['session', 'attach', id])).toMatchObject({
    code: 1,
    err: expect.stringContaining('This repository has no commits yet.\nhint: '),
  })
  expect(repo.hasState(id)).toBe(false)
})

test('a transcript without a conversation is an error', async () => {
  await using repo = await recordedRepo()
  const session = unrecordedSession(repo, id)
  session.turn('x', {})
  for (const content of ['', '{"half']) {
    writeFileSync(session.transcript, content)
    expect(await repo.entire(['session', 'attach', id])).toMatchObject({
      code: 1,
      err: expect.stringContaining('holds no conversation'),
    })
  }
  expect(repo.hasState(id)).toBe(false)
  expect(await repo.refs('refs/notes/')).toEqual([])
})

test('a session of another work tree is an error', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const other = await repo.addWorktree('other')
  const agent = fakeAgent(other)
  await agent.turn('write a', { 'a.ts': 'a\n' })
  const { code, err } = await repo.entire(['session', 'attach', agent.session])
  expect(code).toBe(2)
  expect(err).toContain(`belongs to another work tree.\nhint: Run the command in ${other.root}.`)
})

test('attaching fails in a repository that is disabled or was never enabled', async () => {
  await using repo = await recordedRepo()
  unrecordedSession(repo, id).turn('write a', { 'a.ts': 'a\n' })
  await repo.entire(['disable'])
  expect(await repo.entire(['session', 'attach', id])).toEqual({
    code: 0,
    out: 'Entire is disabled. Run `entire enable` to re-enable.\n',
    err: '',
  })
  repo.remove('.entire')
  expect(await repo.entire(['session', 'attach', id])).toMatchObject({
    code: 1,
    err: expect.stringContaining('hint: Run `entire enable`.'),
  })
  expect(await repo.entire(['session', 'list'], { cwd: repo.base })).toMatchObject({
    code: 1,
    err: expect.stringContaining('Not a git repository'),
  })
})

// Makes the git directory read-only: a hook reports it without disturbing the agent, and recording continues
// when it is writable again.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { type FakeAgent, fakeAgent } from '../support/fake-agent.ts'
import { binary, type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { readUserState } from '../support/user-state.ts'
import { expectReadable, expectRecorded } from './faulty-repo.ts'

setDefaultTimeout(60_000)

// Root ignores file modes, unless it lacks the capabilities for that.
const asUser =
  process.getuid?.() === 0
    ? ['setpriv', '--bounding-set', '-dac_override,-dac_read_search,-fowner', '--']
    : []

test('modes bind the program under test', async () => {
  await using repo = await recordedRepo()
  await setWritable(repo, false)
  expect(await repo.run([...asUser, 'touch', '.git/probe'])).toMatchObject({ code: 1 })
  await setWritable(repo, true)
})

test.each([
  ['user-prompt-submit', { prompt: 'more' }],
  ['stop', {}],
  ['pre-compact', { trigger: 'auto' }],
  ['session-start', { source: 'resume' }],
  ['session-end', { reason: 'other' }],
])('%s in a read-only repository exits 0, says why, and changes nothing', async (verb, fields) => {
  await using repo = await recordedRepo({ isCommitted: true })
  const agent = fakeAgent(repo)
  await agent.prompt('work')
  agent.write('a', 'the first line of a\nthe second line of a\n')
  await setWritable(repo, false)
  const before = userFiles(repo)
  const ran = await call(repo, agent, verb, fields)
  expect(ran.code).toBe(0)
  expect(ran.err).toMatch(/^\[entire\] .*(EACCES|[Pp]ermission denied)/m)
  expect(ran.err).not.toMatch(/\n\s+at /)
  expect(userFiles(repo)).toEqual(before)
  await setWritable(repo, true)
  await expectReadable(repo)
  await agent.stop()
  await repo.commitAs('human', 'a')
  await expectRecorded(repo, 'HEAD', ['a'], agent)
})

test('a work tree that cannot be written to still gets its steps', async () => {
  await using repo = await recordedRepo({ isCommitted: true })
  const agent = fakeAgent(repo)
  await agent.prompt('work')
  agent.write('a', 'the first line of a\nthe second line of a\n')
  await repo.run(['chmod', '-R', 'a-w', '.entire'])
  expect(await call(repo, agent, 'stop')).toMatchObject({ code: 0 })
  await repo.run(['chmod', '-R', 'u+w', '.entire'])
  await repo.commitAs('human', 'a')
  await expectRecorded(repo, 'HEAD', ['a'], agent)
})

async function setWritable(repo: RecordedRepo, writable: boolean): Promise<void> {
  await repo.run(['chmod', '-R', writable ? 'u+w' : 'a-w', '.git'])
}

async function call(
  repo: RecordedRepo,
  agent: FakeAgent,
  verb: string,
  fields: Record<string, unknown> = {},
) {
  const payload = { session_id: agent.session, transcript_path: agent.transcript, cwd: repo.root, ...fields }
  const { code, stderr } = await repo.run([...asUser, binary, 'hooks', 'claude-code', verb], {
    stdin: JSON.stringify(payload),
  })
  return { code, err: stderr }
}

function userFiles({ repo }: RecordedRepo): string[] {
  return readUserState(repo).filter((line) => !line.includes('/.entire/'))
}

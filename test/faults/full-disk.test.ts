// Fills the disk: the user's files stay as they are, the agent gets a message, and the work is done when
// there is room again. A limit on the size of files, which git and all other child processes inherit, plays
// the full disk.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { type FakeAgent, fakeAgent } from '../support/fake-agent.ts'
import { binary } from '../support/recorded-repo.ts'
import { expectStepIsWorktree } from '../support/step-tree.ts'
import { readUserState } from '../support/user-state.ts'
import {
  expectLinksHold,
  expectNoLeftovers,
  expectReadable,
  expectRecorded,
  type FaultyRepo,
  faultyRepo,
} from './faulty-repo.ts'

setDefaultTimeout(60_000)

// In blocks of 512 bytes: no room at all, for a lock only, for small files, for all but the pack.
const limits = [0, 1, 2, 4, 8, 24]

const small = 'the first line of a\nthe second line of a\n'
// Too large for every limit, and it cannot be compressed.
const noise = Buffer.from(
  Array.from({ length: 24_000 }, (_, at) => (at * at * 31 + (at % 251) * 17 + ((at * 7919) >> 3)) & 0xff),
)

test.each(limits)('no room beyond %d blocks when a turn starts and ends', async (blocks) => {
  await using repo = await faultyRepo({ on: 'disk', isCommitted: true })
  const agent = fakeAgent(repo)
  expect(await limited(repo, agent, blocks, 'user-prompt-submit', { prompt: 'work' })).toMatchObject({
    code: 0,
  })
  agent.write('a', small)
  repo.write('noise', noise)
  agent.say('Done.')
  const before = userFiles(repo)
  const stopped = await limited(repo, agent, blocks, 'stop')
  expect(stopped.code).toBe(0)
  expect(stopped.err).toMatch(/^\[entire\] .+/m)
  expect(stopped.err).not.toMatch(/\n\s+at /)
  expect(userFiles(repo)).toEqual(before)
  await expectReadable(repo)
  await agent.turn('go on', {})
  await repo.commitAs('human', 'a')
  await expectSound(repo, ['a'], agent)
})

test.each(limits)(
  'no room beyond %d blocks for the state before a turn: the turn goes on',
  async (blocks) => {
    await using repo = await faultyRepo({ on: 'disk', isCommitted: true })
    repo.write('noise', noise)
    const agent = fakeAgent(repo)
    const started = await limited(repo, agent, blocks, 'user-prompt-submit', { prompt: 'work' })
    expect(started.code).toBe(0)
    expect(started.err).not.toMatch(/\n\s+at /)
    // Where there is room for the session, its turn has begun.
    if (blocks === 24) {
      expect(started.err).toContain('[entire] The state before this turn could not be saved.')
      expect(repo.state(agent.session)).toMatchObject({ phase: 'active', session_turn_count: 1 })
    }
    agent.write('a', small)
    await agent.stop()
    await expectStepIsWorktree(repo)
    await repo.commitAs('human', 'a')
    await expectSound(repo, ['a'], agent)
  },
)

test.each(limits)('no room beyond %d blocks when a commit is condensed', async (blocks) => {
  await using repo = await faultyRepo({ on: 'disk', isCommitted: true })
  const agent = fakeAgent(repo)
  await agent.prompt('work')
  agent.write('a', small)
  repo.write('noise', noise)
  await agent.stop()
  await repo.git('add', '.')
  await repo.gitKilling('post-commit', 99, ['commit', '--quiet', '-m', 'a'], {
    DEADLY_BLOCKS: String(blocks),
  })
  await expectReadable(repo)
  await agent.turn('go on', {})
  await expectSound(repo, ['a'], agent)
})

test.each(limits)(
  'no room beyond %d blocks when a commit is linked leaves its message whole',
  async (blocks) => {
    await using repo = await faultyRepo({ on: 'disk', isCommitted: true })
    const agent = fakeAgent(repo)
    await agent.turn('work', { a: small })
    await repo.git('add', '.')
    const message = `A long message\n\n${'Every word of it matters.\n'.repeat(60)}The end.`
    await repo.gitKilling('prepare-commit-msg', 99, ['commit', '--quiet', '-m', message], {
      DEADLY_BLOCKS: String(blocks),
    })
    expect((await repo.message()).startsWith(message)).toBe(true)
    await expectReadable(repo)
    await expectLinksHold(repo)
  },
)

function limited(
  repo: FaultyRepo,
  agent: FakeAgent,
  blocks: number,
  verb: string,
  fields: Record<string, unknown> = {},
) {
  const payload = { session_id: agent.session, transcript_path: agent.transcript, cwd: repo.root, ...fields }
  const script = `trap '' XFSZ; ulimit -f ${blocks}; exec "$@"`
  return repo
    .run(['sh', '-c', script, 'sh', binary, 'hooks', 'claude-code', verb], { stdin: JSON.stringify(payload) })
    .then(({ code, stderr }) => ({ code, err: stderr }))
}

function userFiles({ repo }: FaultyRepo): string[] {
  return readUserState(repo).filter(
    (line) => !/\/\.entire\/|\/\.git\/(entire\.|fast_import_crash)/.test(line),
  )
}

async function expectSound(repo: FaultyRepo, files: string[], agent: FakeAgent): Promise<void> {
  await expectRecorded(repo, 'HEAD', files, agent)
  await agent.prompt('enough')
  await expectReadable(repo)
  await expectLinksHold(repo)
  expectNoLeftovers(repo)
  expect(await repo.refs('refs/heads/entire/')).toEqual(['entire/checkpoints/v1'])
}

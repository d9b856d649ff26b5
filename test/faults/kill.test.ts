// Death at every write: whatever a hook was doing when it was killed, the repository stays readable and the next event completes the work.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { type FakeAgent, fakeAgent } from '../support/fake-agent.ts'
import { readWorkTree } from '../support/user-state.ts'
import { commitStories } from './commit-stories.ts'
import {
  expectLinksHold,
  expectNoLeftovers,
  expectReadable,
  expectRecorded,
  type FaultyRepo,
  faultyRepo,
} from './faulty-repo.ts'
import type { Round } from './killing.ts'
import { turnStories } from './turn-stories.ts'

setDefaultTimeout(180_000)

test.concurrent.each(Object.entries({ ...turnStories, ...commitStories }))(
  'killed at any write: %s',
  async (_name, story) => {
    await using repo = await faultyRepo()
    repo.write(
      '.entire/settings.json',
      JSON.stringify({ enabled: true, strategy: story.strategy ?? 'manual-commit' }),
    )
    await repo.commitAs('human', 'setup')
    const agent = fakeAgent(repo)
    const other = fakeAgent(repo)
    const recorded: [rev: string, files: string[], agent: FakeAgent][] = []
    let isKilled = true
    for (let at = 1; isKilled; at += 1) {
      const round: Round = { repo, agent, other, at, a: `a${at}`, b: `dir/b${at}` }
      await story.before(round)
      // The prompt of this round has swept up what the last one left.
      expectNoLeftovers(repo)
      const before = readUserFiles(repo)
      isKilled = await story.event(round)
      expect({ at, files: readUserFiles(repo) }).toEqual({ at, files: before })
      await expectReadable(repo)
      await story.after(round)
      for (const [rev, files, who = agent] of story.recorded(round))
        recorded.push([(await repo.git('rev-parse', ...rev.split(' '))).replace('\n', ' '), files, who])
      expect({ at, refs: await repo.refs('refs/heads/entire/') }).toEqual({
        at,
        refs: ['entire/checkpoints/v1'],
      })
      expect(at).toBeLessThan(60)
    }
    expect(await repo.git('status', '--porcelain')).toBe('')
    await expectReadable(repo)
    await expectLinksHold(repo)
    for (const [rev, files, who] of recorded) await expectRecorded(repo, rev, files, who)
  },
)

function readUserFiles({ repo }: FaultyRepo): string[] {
  return readWorkTree(repo).filter((line) => !line.includes('/.entire/'))
}

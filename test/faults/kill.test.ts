// Kills a hook at its writes: the repository stays readable, and the next event completes the work.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { fakeAgent } from '../support/fake-agent.ts'
import { rotatingNumbers, rotatingRows, rotationTitle, timeLimit } from '../support/rotation.ts'
import { checkSteps } from '../support/step-tree.ts'
import { takeSnapshot } from '../support/template.ts'
import { counted } from '../support/trials.ts'
import { readWorktree } from '../support/user-state.ts'
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

setDefaultTimeout(timeLimit(180_000))

const stories = Object.entries({ ...turnStories, ...commitStories })
/** Those that are also told to their end without a kill. */
const told = rotatingRows(stories.map(([name]) => name))

test.concurrent.each(stories)(`killed at its writes: %s (${rotationTitle})`, (name, story) =>
  counted('kills', async (trials) => {
    await using repo = await faultyRepo()
    repo.write(
      '.entire/settings.json',
      JSON.stringify({ enabled: true, strategy: story.strategy ?? 'manual-commit' }),
    )
    await repo.commitAs('human', 'setup')
    const [agent, other] = [checkSteps(repo, fakeAgent(repo)), checkSteps(repo, fakeAgent(repo))]
    const round: Round = { repo, agent, other, at: 0, a: 'a', b: 'dir/b' }
    await story.before(round)
    using start = takeSnapshot(repo.base)
    const before = readUserFiles(repo)
    for (const at of rotatingNumbers()) {
      trials.begin()
      start.restore()
      round.at = at
      const isKilled = await story.event(round)
      expect({ at, files: readUserFiles(repo) }).toEqual({ at, files: before })
      if (!isKilled && !told.includes(name)) break
      await expectReadable(repo)
      await story.after(round)
      expect({ at, refs: await repo.refs('refs/heads/entire/') }).toEqual({
        at,
        refs: ['entire/checkpoints/v1'],
      })
      expect(await repo.git('status', '--porcelain')).toBe('')
      await expectLinksHold(repo)
      for (const [rev, files, who = agent] of story.recorded(round))
        await expectRecorded(repo, rev, files, who)
      // The next prompt removes what a killed process left.
      await agent.prompt('and now?')
      expectNoLeftovers(repo)
      expect(at).toBeLessThan(60)
      if (!isKilled) break
    }
    await expectReadable(repo)
  }),
)

function readUserFiles({ repo }: FaultyRepo): string[] {
  return readWorktree(repo).filter((line) => !line.includes('/.entire/'))
}

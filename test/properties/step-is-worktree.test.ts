// Plays random stories of files that move, change kind, hide and come back: every step is the work tree, byte
// for byte and mode for mode.
import { setDefaultTimeout, test } from 'bun:test'
import fc from 'fast-check'
import { type FakeAgent, fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { isSoak, rotatingSeeds } from '../support/rotation.ts'
import { expectStepIsWorktree, stashedPaths } from '../support/step-tree.ts'
import { type Change, change, play } from './step-events.ts'

setDefaultTimeout(600_000)

type Event = { type: 'turn'; who: number } | { type: 'commit' } | Change

const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 12, arbitrary: change },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('turn' as const), who: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('commit' as const) }) },
)
const length = 52
const story = fc.array(event, { minLength: length, maxLength: length, size: 'max' })

// In a soak 25 seeds, so more than 10,000 operations; else more than 200.
test.each(rotatingSeeds(20261117))('every step is the work tree (stories of seed %d)', async (seed) => {
  await fc.assert(fc.asyncProperty(story, tell), {
    seed,
    numRuns: isSoak ? 11 : 5,
    endOnFailure: true,
    verbose: 1,
  })
})

async function tell(events: Event[]): Promise<void> {
  await using repo = await recordedRepo()
  for (const path of ['lib/a.ts', 'lib/deep/b.ts', 'docs/c.md']) repo.write(path, `${path}\n`)
  await repo.commit('set up')
  const agents = [fakeAgent(repo), fakeAgent(repo)]
  for (const event of events) {
    if (event.type === 'turn') await turn(repo, agents[event.who] as FakeAgent)
    else if (event.type === 'commit') await commit(repo)
    else await play(repo, event)
  }
  await turn(repo, agents[0] as FakeAgent)
}

let turns = 0

async function turn(repo: RecordedRepo, agent: FakeAgent): Promise<void> {
  turns += 1
  await agent.turn(`turn ${turns}`, { 'agent.txt': `${turns}\n` })
  await expectStepIsWorktree(repo, { others: await stashedPaths(repo) })
}

async function commit(repo: RecordedRepo): Promise<void> {
  await repo.run(['git', '-c', 'advice.addEmbeddedRepo=false', 'add', '--all'])
  await repo.run(['git', 'commit', '--quiet', '-m', 'work'], { env: { ...repo.env, ENTIRE_TEST_TTY: '1' } })
}

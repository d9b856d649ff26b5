// Plays random stories of files that move, change kind, hide and come back, of rewritten history, and of turns
// that are taken back: every step is the work tree, byte for byte and mode for mode, and every undo can be
// redone exactly.
import { expect, setDefaultTimeout, test } from 'bun:test'
import fc from 'fast-check'
import { type FakeAgent, fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { pointsOf } from '../support/rewind-points.ts'
import { isSoak, rotatingSeeds, timeLimit } from '../support/rotation.ts'
import { expectStepIsWorktree, stashedPaths } from '../support/step-tree.ts'
import { counted, type Trials } from '../support/trials.ts'
import { readDisk } from './rewind-world.ts'
import { type Change, change, play } from './step-events.ts'

setDefaultTimeout(timeLimit(600_000))

type Act = { type: keyof typeof acts; number: number }

const length = 52

// In a soak 25 seeds, so more than 10,000 operations; else more than 200.
test.each(rotatingSeeds(20261117))('every step is the work tree (stories of seed %d)', (seed) =>
  counted('operations', (trials) =>
    fc.assert(
      fc.asyncProperty(story(), (events) => tell(events, trials)),
      { seed, numRuns: isSoak ? 11 : 4, endOnFailure: true, verbose: 1 },
    ),
  ),
)

function story(): fc.Arbitrary<(Act | Change)[]> {
  const one = (type: Act['type']) => fc.record({ type: fc.constant(type), number: fc.nat(1_000_000) })
  const event = fc.oneof<fc.WeightedArbitrary<Act | Change>[]>(
    { weight: 36, arbitrary: change },
    { weight: 9, arbitrary: one('turn') },
    { weight: 3, arbitrary: one('commit') },
    { weight: 2, arbitrary: one('undo') },
    { weight: 2, arbitrary: one('rewind') },
    { weight: 1, arbitrary: one('diff') },
    { weight: 1, arbitrary: one('disable') },
  )
  return fc.array(event, { minLength: length, maxLength: length, size: 'max' })
}

async function tell(events: (Act | Change)[], trials: Trials): Promise<void> {
  await using repo = await recordedRepo()
  for (const path of ['lib/a.ts', 'lib/deep/b.ts', 'docs/c.md']) repo.write(path, `${path}\n`)
  await repo.commit('set up')
  const agents = [fakeAgent(repo), fakeAgent(repo)]
  for (const event of events) {
    trials.begin()
    if (isAct(event)) await acts[event.type]({ repo, agents, number: event.number })
    else await play(repo, event)
  }
  await acts.turn({ repo, agents, number: 0 })
}

function isAct(event: Act | Change): event is Act {
  return Object.hasOwn(acts, event.type)
}

interface Scene {
  repo: RecordedRepo
  agents: FakeAgent[]
  number: number
}

let turns = 0

const acts = {
  async turn({ repo, agents, number }: Scene) {
    turns += 1
    await (agents[number % 2] as FakeAgent).turn(`turn ${turns}`, { 'agent.txt': `${turns}\n` })
    await expectStepIsWorktree(repo, { others: await stashedPaths(repo) })
  },
  async commit({ repo }: Scene) {
    await repo.run(['git', '-c', 'advice.addEmbeddedRepo=false', 'add', '--all'])
    await repo.run(['git', 'commit', '--quiet', '-m', 'work'], { env: { ...repo.env, ENTIRE_TEST_TTY: '1' } })
  },
  undo: (scene: Scene) => expectReversible(scene, ['undo']),
  async rewind(scene: Scene) {
    const steps = (await pointsOf(scene.repo)).filter((point) => !point.is_logs_only)
    const step = steps[scene.number % steps.length]
    const more = scene.number % 3 === 0 ? ['--everything'] : []
    if (step !== undefined) await expectReversible(scene, ['rewind', '--to', step.id, ...more])
  },
  async diff({ repo }: Scene) {
    const before = readDisk(repo)
    const ran = await repo.entire(['diff', '--stat'])
    expect(ran.code === 0 ? '' : ran.err).toMatch(/^$|^error: No turn has been recorded/)
    expect(readDisk(repo)).toEqual(before)
  },
  // Turns and commits in between are not recorded; the next turn is.
  async disable({ repo, agents, number }: Scene) {
    await repo.entire(['disable'])
    await (agents[number % 2] as FakeAgent).turn('unseen', { 'agent.txt': `unseen ${number}\n` })
    if (number % 3 === 0) await acts.commit({ repo, agents, number })
    expect(await repo.entire(['enable', '--agent', 'claude-code'])).toMatchObject({ code: 0 })
  },
}

// Redo brings back every byte, and taking that back leads to the same files again.
async function expectReversible({ repo, number }: Scene, args: string[]): Promise<void> {
  const before = readDisk(repo)
  const ran = await repo.entire(args)
  const after = readDisk(repo)
  if (ran.code !== 0) {
    expect(ran.err).toMatch(/^error: There is no /)
    expect(after).toEqual(before)
  }
  if (ran.code !== 0 || ran.out.includes('Nothing differs')) return
  expect((await repo.entire(['redo'])).code).toBe(0)
  expect(readDisk(repo)).toEqual(before)
  if (number % 2 === 0) return
  expect((await repo.entire(['rewind', '--redo'])).code).toBe(0)
  expect(readDisk(repo)).toEqual(after)
}

// Plays random stories of agents, people and accidents: checkpoints record every touched file with its
// session.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expectLinksHold, expectNoLeftovers, expectReadable, readParts } from '../faults/faulty-repo.ts'
import { rotatingSeeds, timeLimit } from '../support/rotation.ts'
import { counted, type Trials } from '../support/trials.ts'
import { type Event, story } from './events.ts'
import { play } from './play.ts'
import { type Actor, newWorld, ownersOf, type World } from './world.ts'

setDefaultTimeout(timeLimit(300_000))

test.each(rotatingSeeds(20261115))(
  'no sequence of events loses a touched file (stories of seed %d)',
  (seed) =>
    counted('operations', (trials) =>
      fc.assert(
        fc.asyncProperty(story, (events) => tell(events, trials)),
        { seed, numRuns: 4, endOnFailure: true, verbose: 1 },
      ),
    ),
)

async function tell(events: Event[], trials: Trials): Promise<void> {
  await using world = await newWorld()
  for (const event of events) {
    trials.begin()
    await play(world, event)
  }
  // Every session gets one more turn, which completes what an accident left undone.
  for (const who of world.actors.keys()) {
    await play(world, { type: 'prompt', who })
    await play(world, { type: 'stop', who })
  }
  await expectUncommittedIsKept(world)
  await play(world, { type: 'commit', who: 'user', files: 'all' })
  await play(world, { type: 'prompt', who: 0 })
  await play(world, { type: 'stop', who: 0 })
  await expectClaims(world)
  await expectTranscripts(world)
  await expectLinksHold(world.repo)
  await expectReadable(world.repo)
  expectNoLeftovers(world.repo)
}

// A touched file that is not committed is in the state of its session, and its content is in the last step.
async function expectUncommittedIsKept(world: World): Promise<void> {
  const { repo, actors, written } = world
  const stateOf = ({ agent }: Actor) =>
    repo.state(agent.session) as { files_touched?: string[]; base_commit: string }
  for (const actor of actors) {
    const { touched } = actor
    if (touched.size === 0) continue
    const state = stateOf(actor)
    const shadow = `entire/${state.base_commit.slice(0, 7)}-e3b0c4`
    for (const file of touched.keys()) {
      const isThere = existsSync(join(repo.root, file))
      const blob = await repo.run(['git', 'cat-file', 'blob', `${shadow}:${file}`])
      const stored = blob.stdout.toString()
      const owners = ownersOf(world, actor, file)
      const known = owners.some((owner) => stateOf(owner).files_touched?.includes(file))
      expect({ file, known, isThere: blob.code === 0 }).toEqual({
        file,
        known: true,
        isThere,
      })
      // All writers only append lines; lines that the user added after the last change of an agent may be in
      // a later step.
      const live = isThere ? readFileSync(join(repo.root, file), 'utf8') : ''
      expect({
        file,
        isWhole: stored.startsWith(written.get(file) ?? ''),
        isTrue: live.startsWith(stored),
      }).toEqual({
        file,
        isWhole: true,
        isTrue: true,
      })
    }
  }
}

async function expectClaims({ repo, claims }: World): Promise<void> {
  const lost = []
  for (const claim of claims) {
    const ids = await repo.checkpointsOf(claim.commit)
    const parts = (await Promise.all(ids.map((id) => readParts(repo, id)))).flat()
    if (!parts.some((part) => claim.sessions.includes(part.session) && part.files.includes(claim.file)))
      lost.push({ ...claim, ids })
  }
  expect(lost).toEqual([])
}

// A stored conversation is a beginning of the real one.
async function expectTranscripts({ repo, actors }: World): Promise<void> {
  const live = new Map(
    actors.map(({ agent }) => [
      agent.session,
      existsSync(agent.transcript) ? readFileSync(agent.transcript, 'utf8') : '',
    ]),
  )
  const tree = (await repo.git('ls-tree', '-r', '--name-only', 'entire/checkpoints/v1')).split('\n')
  const ids = tree.flatMap((path) => /^(..)\/(.{10})\/metadata\.json$/.exec(path)?.slice(1).join('') ?? [])
  for (const id of ids)
    for (const part of await readParts(repo, id))
      expect(live.get(part.session)?.startsWith(part.transcript)).toBe(true)
}

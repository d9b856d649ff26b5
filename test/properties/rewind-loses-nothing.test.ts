// Plays random stories of user and agent: no rewind, reset, undo or redo loses a byte that was on disk.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { rotatingSeeds, timeLimit } from '../support/rotation.ts'
import { counted, type Trials } from '../support/trials.ts'
import { type Event, ignored, ownFiles, story } from './rewind-events.ts'
import { change, type Disk, isFile, newWorld, owe, readDisk, settle, type World } from './rewind-world.ts'

setDefaultTimeout(timeLimit(300_000))

test.each(rotatingSeeds(20261115))('no rewind loses a byte (stories of seed %d)', (seed) =>
  counted('operations', (trials) =>
    fc.assert(
      fc.asyncProperty(story, (told) => tell(told, trials)),
      { seed, numRuns: 6, endOnFailure: true, verbose: 1 },
    ),
  ),
)

interface Told {
  kind: 'plain' | 'linked-worktree'
  events: Event[]
}

async function tell({ kind, events }: Told, trials: Trials): Promise<void> {
  await using world = await newWorld(kind)
  for (const event of events) {
    trials.begin()
    await play(world, event)
  }
  // All redos, then all undos: every content that was ever removed is restored once.
  for (const way of ['--redo', '--undo']) await goAllTheWay(world, way)
  const lost = [...world.owed]
    .filter(([, contents]) => contents.size > 0)
    .map(([path, contents]) => [path, ...contents])
  expect(lost).toEqual([])
}

async function play(world: World, event: Event): Promise<void> {
  const { repo, agent } = world
  switch (event.type) {
    case 'own':
      // During a turn a new file may be the user's or the agent's.
      if (world.running && !ignored.includes(event.file)) return
      return repo.write(
        event.file,
        `${existsSync(join(repo.root, event.file)) ? repo.read(event.file) : ''}by the user\n`,
      )
    case 'stage':
      if (isFile(repo, event.file)) await repo.run(['git', '--literal-pathspecs', 'add', '--', event.file])
      return
    case 'commit':
      if (event.all) await repo.git('add', '--all', '--', '.', ':!notes.txt', ':!src/later.txt')
      await repo.run(['git', 'commit', '--quiet', '-m', 'work'], {
        env: { ...repo.env, ENTIRE_TEST_TTY: '1' },
      })
      return
    case 'stop':
      if (world.running) await agent.stop()
      world.running = false
      return
    case 'rewind':
      return rewind(world, event)
    case 'reset':
      return reset(world, event)
    case 'undo':
    case 'redo':
      return void (await act(world, [`--${event.type}`], event.from))
    default:
      await atWork(world, event)
      return edit(world, event)
  }
}

function edit(world: World, event: Extract<Event, { file: string; who: string }>): void {
  if (event.type === 'rename') change.rename(world, event.file, event.to)
  else if (event.type === 'chmod') change.chmod(world, event.file, event.mode)
  else change[event.type](world, event.file)
}

async function atWork(world: World, { who }: { who: string }): Promise<void> {
  if (who === 'user' || world.running) return
  await world.agent.prompt('go on')
  world.running = true
}

interface Point {
  id: string
  is_logs_only: boolean
}

async function readPoints({ repo }: World): Promise<Point[]> {
  return JSON.parse((await repo.entire(['rewind', '--list'])).out)
}

async function rewind(
  world: World,
  { pick, from, undone }: Extract<Event, { type: 'rewind' }>,
): Promise<void> {
  const steps = (await readPoints(world)).filter((point) => !point.is_logs_only)
  const step = steps[pick % steps.length]
  if (step === undefined) return
  const before = readDisk(world.repo)
  const index = await readIndex(world)
  const done = await act(world, ['--to', step.id], from)
  expect(await readIndex(world)).toBe(index)
  expectUntouched(before, readDisk(world.repo), ownFiles)
  if (undone && done) await expectUndone(world, before, from)
}

async function reset(world: World, { pick, from, undone }: Extract<Event, { type: 'reset' }>): Promise<void> {
  const commits = (await readPoints(world)).filter((point) => point.is_logs_only)
  const commit = commits[pick % commits.length]
  if (commit === undefined) return
  const before = readDisk(world.repo)
  const [index, head] = [await readIndex(world), await world.repo.head()]
  const done = await act(world, ['--to', commit.id, '--reset', '--force'], from)
  expect(await world.repo.head()).toBe(commit.id)
  expectUntouched(before, readDisk(world.repo), ignored)
  if (!undone || !done) return
  await expectUndone(world, before, from)
  expect([await readIndex(world), await world.repo.head()]).toEqual([index, head])
}

// Right after it, an undo restores everything exactly, and so does the redo.
async function expectUndone(world: World, before: Disk, from: string): Promise<void> {
  const after = readDisk(world.repo)
  await act(world, ['--undo'], from)
  expect(readDisk(world.repo)).toEqual(before)
  await act(world, ['--redo'], from)
  expect(readDisk(world.repo)).toEqual(after)
  await act(world, ['--undo'], from)
  expect(readDisk(world.repo)).toEqual(before)
}

/** False when there was nothing to do. */
async function act(world: World, args: string[], from: string): Promise<boolean> {
  const { repo } = world
  const cwd = isDirectory(join(repo.root, from)) ? join(repo.root, from) : repo.root
  const before = readDisk(repo)
  const ran = await repo.entire(['rewind', ...args], { cwd })
  const after = readDisk(repo)
  // Restored files are the user's again, to change or to delete.
  settle(world, after)
  owe(world, before, after)
  if (ran.code !== 0) {
    expect(ran.err).toMatch(/There is no (rewind|undo) to/)
    expect(after).toEqual(before)
  }
  return ran.code === 0 && !ran.out.includes('Nothing differs')
}

function isDirectory(path: string): boolean {
  return existsSync(join(path, '.'))
}

function expectUntouched(before: Disk, after: Disk, paths: string[]): void {
  const pick = (disk: Disk) => paths.map((path) => disk.get(path))
  expect(pick(after)).toEqual(pick(before))
}

async function goAllTheWay(world: World, way: string): Promise<void> {
  for (let steps = 0; steps < 100; steps += 1) {
    const ran = await world.repo.entire(['rewind', way, '--json'])
    settle(world, readDisk(world.repo))
    if (ran.code !== 0) return expect(ran.err).toMatch(/There is no (rewind|undo) to/)
    // Files that the user put in the way since are renamed, as the message says.
    const { keep } = JSON.parse(ran.out) as { keep: { path: string }[] }
    for (const { path } of keep) clearWay(world, path)
  }
  throw new Error(`${way} leads nowhere.`)
}

function clearWay(world: World, path: string): void {
  const { repo } = world
  for (const file of readDisk(repo).keys())
    if (file.startsWith(`${path}/`) || path.startsWith(`${file}/`)) change.delete(world, file)
}

async function readIndex({ repo }: World): Promise<string> {
  return repo.git('ls-files', '--stage', '-z')
}

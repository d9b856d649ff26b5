// Measures a commit beside many sessions: unrelated ones must cost nothing, and each one it condenses must
// cost little.
import { cpSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { type Ground, makeGround, settle } from './ground.ts'
import { interleave, type Measurement, median, milliseconds, type Result, ratio } from './measure.ts'
import { openSession, turn } from './session.ts'

const crowdSize = 500
const batchSize = 200
const ownFile = (at: number) => `work/s${at}.txt`

export const measureCommit: Measurement = () => {
  const lone = makeGround({ files: 1_000 })
  // First, because hundreds of sessions are recorded by creating and removing thousands of files, and that
  // slows a file system down.
  const againstPlain = measureAgainstPlain(lone)
  const crowd = makeGround({ files: 1_000 })
  recordSessions(crowd, 0, batchSize)
  keep(crowd)
  recordSessions(crowd, batchSize, crowdSize)
  const batches: number[] = []
  const times = interleave(11, {
    crowd: (round) => commitTurn(crowd, `extra-${round}`),
    lone: (round) => commitTurn(lone, `more-${round}`),
    batch: (round) => {
      if (round % 3 === 0) batches.push(inCopy(crowd, round, () => commitAll(crowd)))
      return 0
    },
  })
  return [
    ratio(`commit with ${crowdSize} sessions recorded, against 1`, 1.5, times.crowd, times.lone),
    ratio(`commit that condenses ${batchSize} sessions, against 1`, 6, median(batches), times.lone),
    againstPlain,
  ]
}

function measureAgainstPlain(lone: Ground): Result {
  const plain = makeGround({ files: 1_000, enabled: false })
  // The files of the sessions on disk, written without an agent.
  for (const ground of [lone, plain])
    for (let at = 0; at < crowdSize; at += 1) ground.write(ownFile(at), `file ${at}\n`)
  const times = interleave(15, {
    lone: (round) => commitTurn(lone, `extra-${round}`),
    plain: (round) => {
      plain.write(`work/extra-${round}.txt`, `round ${round}\n`)
      return commit(plain, `work/extra-${round}.txt`)
    },
  })
  return ratio('commit that condenses 1 session, against plain git', 8, times.lone, times.plain)
}

/** One session per file, each with a turn that is not committed yet. */
function recordSessions(ground: Ground, from: number, to: number): void {
  for (let at = from; at < to; at += 1)
    turn(openSession(ground, `session-${at}`), { files: [ownFile(at)], bytes: 2_000, fileBytes: 440 })
}

function commitTurn(ground: Ground, name: string): number {
  const file = `work/${name}.txt`
  turn(openSession(ground, name), { files: [file], bytes: 2_000, fileBytes: 440 })
  const time = commit(ground, file)
  expectSessions(ground, 1)
  return time
}

/** Fails when a commit recorded nothing: such a commit is quick, and must not count as a result. */
function expectSessions(ground: Ground, count: number): void {
  const id = ground.run(['git', 'log', '-1', '--format=%(trailers:key=Entire-Checkpoint,valueonly)']).trim()
  const entries = ground
    .run(['git', 'ls-tree', '--name-only', `entire/checkpoints/v1:${id.slice(0, 2)}/${id.slice(2)}`])
    .split('\n')
  const sessions = entries.filter((name) => /^\d+$/.test(name)).length
  if (sessions !== count) throw new Error(`The commit condensed ${sessions} sessions, not ${count}.`)
}

function commit(ground: Ground, file: string): number {
  ground.run(['git', 'add', file])
  return milliseconds(() => ground.run(['git', 'commit', '--quiet', '-m', 'one file']))
}

function commitAll(ground: Ground): number {
  ground.run(['git', 'add', 'work'])
  settle(ground)
  const time = milliseconds(() => ground.run(['git', 'commit', '--quiet', '-m', 'all']))
  expectSessions(ground, batchSize)
  return time
}

// Recording sessions takes far longer than committing their work, so every round of that starts from a copy
// of the repository as it was then. The copy takes its place for a moment: sessions know the path of their
// work tree. It is not deleted before the end: file systems are slow to give new files the place of others
// that were deleted a moment ago.
function keep(ground: Ground): void {
  copy(ground.root, join(ground.base, 'kept'))
}

function inCopy(ground: Ground, round: number, act: () => number): number {
  const aside = join(ground.base, 'aside')
  renameSync(ground.root, aside)
  copy(join(ground.base, 'kept'), ground.root)
  const time = act()
  renameSync(ground.root, join(ground.base, `used-${round}`))
  renameSync(aside, ground.root)
  return time
}

function copy(from: string, to: string): void {
  cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
}

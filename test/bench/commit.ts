// A commit with many sessions about: those it has nothing to do with must not cost, those it condenses must cost little each.
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Ground, makeGround, settle } from './ground.ts'
import { interleave, type Measurement, median, milliseconds, ratio } from './measure.ts'
import { openSession, turn } from './session.ts'

const crowdSize = 500
const batchSize = 200
const ownFile = (at: number) => `work/s${at}.txt`

export const measureCommit: Measurement = () => {
  using crowd = makeGround({ files: 1_000 })
  using lone = makeGround({ files: 1_000 })
  using plain = makeGround({ files: 1_000, enabled: false })
  using batch = makeGround({ files: 1_000 })
  recordSessions(crowd, crowdSize)
  // The same files on disk, written by nobody's agent.
  for (const ground of [lone, plain]) for (let at = 0; at < crowdSize; at += 1) ground.write(ownFile(at), `file ${at}\n`)
  recordSessions(batch, batchSize)
  batch.run(['git', 'add', 'work'])
  keep(batch)

  const batches: number[] = []
  const times = interleave(11, {
    crowd: (round) => commitTurn(crowd, `extra-${round}`),
    lone: (round) => commitTurn(lone, `extra-${round}`),
    plain: (round) => {
      plain.write(`work/extra-${round}.txt`, `round ${round}\n`)
      return commit(plain, `work/extra-${round}.txt`)
    },
    batch: (round) => {
      if (round % 3 !== 0) return 0
      restore(batch)
      batches.push(milliseconds(() => batch.run(['git', 'commit', '--quiet', '-m', 'all'])))
      expectSessions(batch, batchSize)
      return 0
    },
  })
  return [
    ratio(`commit with ${crowdSize} sessions recorded, against 1`, 1.5, times.crowd, times.lone),
    ratio(`commit that condenses ${batchSize} sessions, against 1`, 6, median(batches), times.lone),
    ratio('commit that condenses 1 session, against plain git', 8, times.lone, times.plain),
  ]
}

/** One session per file, each with a turn that is not committed yet. */
function recordSessions(ground: Ground, count: number): void {
  for (let at = 0; at < count; at += 1) turn(openSession(ground, `session-${at}`), { files: [ownFile(at)], bytes: 2_000, fileBytes: 440 })
}

function commitTurn(ground: Ground, name: string): number {
  const file = `work/${name}.txt`
  turn(openSession(ground, name), { files: [file], bytes: 2_000, fileBytes: 440 })
  const time = commit(ground, file)
  expectSessions(ground, 1)
  return time
}

/** A commit that recorded nothing is quick; that must not count as a result. */
function expectSessions(ground: Ground, count: number): void {
  const id = ground.run(['git', 'log', '-1', '--format=%(trailers:key=Entire-Checkpoint,valueonly)']).trim()
  const entries = ground.run(['git', 'ls-tree', '--name-only', `entire/checkpoints/v1:${id.slice(0, 2)}/${id.slice(2)}`]).split('\n')
  const sessions = entries.filter((name) => /^\d+$/.test(name)).length
  if (sessions !== count) throw new Error(`The commit condensed ${sessions} sessions, not ${count}.`)
}

function commit(ground: Ground, file: string): number {
  ground.run(['git', 'add', file])
  return milliseconds(() => ground.run(['git', 'commit', '--quiet', '-m', 'one file']))
}

// Recording the sessions takes far longer than the commit, so every round starts from a copy.
function keep(ground: Ground): void {
  cpSync(ground.root, join(ground.base, 'kept'), { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
}

function restore(ground: Ground): void {
  rmSync(ground.root, { recursive: true })
  cpSync(join(ground.base, 'kept'), ground.root, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
  settle(ground)
}

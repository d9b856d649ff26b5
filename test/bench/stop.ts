// Measures the end of a turn against the git commands it cannot do without, in a small and in a large
// repository.
import { filePath, type Ground, makeGround } from './ground.ts'
import { interleaveRounds, type Measurement, median, milliseconds, type Result, ratio } from './measure.ts'
import { recordGit, replayGit } from './recorded-git.ts'
import { type BenchSession, openSession, turn } from './session.ts'

export const measureStop: Measurement = () => [
  measure(1_000, 2, { sessions: 5, turns: 8 }),
  measure(100_000, 1.4, { sessions: 3, turns: 3 }),
]

/**
 * Turns differ: every other one joins chunks of the transcript to a larger one, and git compresses a hundred
 * kilobytes or a thousand. So sessions are compared: of each of their turns the median, and of those the sum.
 */
function measure(
  files: number,
  limit: number,
  { sessions, turns }: { sessions: number; turns: number },
): Result {
  const ground = makeGround({ files })
  const runs = Array.from({ length: sessions }, (_, at) => runSession(ground, at, turns))
  const perTurn = (side: 'ours' | 'bare') => {
    const medians = Array.from({ length: turns }, (_, at) =>
      median(runs.map((run) => run[side][at] ?? Number.NaN)),
    )
    return medians.reduce((sum, time) => sum + time, 0) / turns
  }
  return ratio(
    `stop in ${files.toLocaleString('en')} files, against its git commands`,
    limit,
    perTurn('ours'),
    perTurn('bare'),
  )
}

/** Two sessions that do the same, one for each side. */
function runSession(ground: Ground, at: number, turns: number): Record<'ours' | 'bare', number[]> {
  const work = {
    files: [
      ...Array.from({ length: 10 }, (_, file) => filePath(file * 7)),
      'new/a.txt',
      'new/b.txt',
      'new/c.txt',
    ],
    bytes: 100_000,
  }
  const pair = { ours: openSession(ground, `ours-${at}`), bare: openSession(ground, `bare-${at}`) }
  for (const session of Object.values(pair)) turn(session, work)
  const begin = (session: BenchSession) => {
    session.start()
    session.work(work)
  }
  return interleaveRounds(turns, {
    ours() {
      begin(pair.ours)
      return milliseconds(() => pair.ours.stop())
    },
    bare() {
      begin(pair.bare)
      const recorded = recordGit(ground, (env) => pair.bare.stop(env))
      return replayGit(ground, recorded, pair.bare.tag())
    },
  })
}

// The end of a turn against the git commands it cannot do without, in a small and in a large repository.
import { filePath, makeGround } from './ground.ts'
import { interleave, type Measurement, milliseconds, type Result, ratio } from './measure.ts'
import { recordGit, replayGit } from './recorded-git.ts'
import { type BenchSession, openSession, turn } from './session.ts'

export const measureStop: Measurement = () => [measure(1_000, 2, 15), measure(100_000, 1.4, 9)]

function measure(files: number, limit: number, rounds: number): Result {
  const ground = makeGround({ files })
  const work = {
    files: [...Array.from({ length: 10 }, (_, at) => filePath(at * 7)), 'new/a.txt', 'new/b.txt', 'new/c.txt'],
    bytes: 100_000,
  }
  // A session each, because turns differ: now and then one joins small pieces of the transcript to a large one. So both do the same turns.
  const sessions = { ours: openSession(ground, 'ours'), bare: openSession(ground, 'bare') }
  for (const session of Object.values(sessions)) turn(session, work)
  const begin = (session: BenchSession) => {
    session.start()
    session.work(work)
  }
  const { ours, bare } = interleave(rounds, {
    ours() {
      begin(sessions.ours)
      return milliseconds(() => sessions.ours.stop())
    },
    bare() {
      begin(sessions.bare)
      const recorded = recordGit(ground, (env) => sessions.bare.stop(env))
      return replayGit(ground, recorded, sessions.bare.tag())
    },
  })
  return ratio(`stop in ${files.toLocaleString('en')} files, against its git commands`, limit, ours, bare)
}

// Measures what saving the state before a turn adds to its beginning, against the git commands that it needs.

import { filePath, makeGround } from './ground.ts'
import { interleave, type Measurement, milliseconds, ratio } from './measure.ts'
import { recordGit, replayGit } from './recorded-git.ts'
import { nextTag, openSession, turn } from './session.ts'

const rounds = 12

export const measureTurnStart: Measurement = () => {
  const ground = makeGround({ files: 1_000 })
  const session = openSession(ground, 'starting')
  turn(session, { files: ['new/a.txt'], bytes: 10_000 })
  const edit = () => {
    const tag = nextTag()
    for (const at of [0, 7, 14]) ground.write(filePath(at), `${tag} by the user in ${at}\n`)
    return tag
  }
  const start = () => {
    const time = milliseconds(() => session.start())
    session.stop()
    return time
  }
  const { saving, same, bare } = interleave(rounds, {
    saving() {
      edit()
      return start()
    },
    same: start,
    bare() {
      const tag = edit()
      const recorded = recordGit(ground, (env) => session.start(env))
      session.stop()
      const needed = recorded.filter(({ args }) =>
        args.some((word) => word === 'status' || word === 'fast-import'),
      )
      return replayGit(ground, needed, tag)
    },
  })
  // Twice the time of git is out of reach: starting the program alone takes 1.4 times as long as both commands,
  // and the import cannot start before the program has the answer of `git status`. See ADR 19.
  return [
    ratio('turn start that saves 3 of 1,000 files, against git', 4, saving, bare),
    ratio('what saving adds to it, against git', 1, Math.max(0, saving - same), bare),
  ]
}

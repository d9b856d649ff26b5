// Measures a hook that has nothing to do.
import { makeGround } from './ground.ts'
import { interleave, type Measurement, milliseconds, ratio } from './measure.ts'

export const measureStart: Measurement = () => {
  const ground = makeGround({ files: 1, enabled: false })
  const stdin = JSON.stringify({ session_id: 'nothing', cwd: ground.base })
  const { entire, git } = interleave(40, {
    entire: () =>
      milliseconds(() => ground.run(['entire', 'hooks', 'claude-code', 'session-start'], { stdin })),
    git: () => milliseconds(() => ground.run(['git', '--version'])),
  })
  return [ratio('a hook with nothing to do, against git --version', 6, entire, git)]
}

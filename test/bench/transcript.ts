// Measures the end of a turn with a long transcript: the cost follows what was appended, not the length.
import { filePath, makeGround } from './ground.ts'
import { interleave, type Measurement, milliseconds, ratio } from './measure.ts'
import { openSession, turn } from './session.ts'

export const measureTranscript: Measurement = () => {
  const longGround = makeGround({ files: 1_000 })
  const shortGround = makeGround({ files: 1_000 })
  const long = openSession(longGround, 'long')
  const short = openSession(shortGround, 'short')
  const files = [filePath(3)]
  turn(long, { files, bytes: 50_000_000 })
  turn(short, { files, bytes: 1_000_000 })
  const append = (session: typeof long) => {
    session.start()
    session.work({ files, bytes: 100_000 })
    return milliseconds(() => session.stop())
  }
  const times = interleave(15, { long: () => append(long), short: () => append(short) })
  return [ratio('stop with 50 MB of transcript, against 1 MB', 1.5, times.long, times.short)]
}

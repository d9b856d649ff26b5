// Measures the end of a turn with a long transcript: the cost follows what was appended, not the length; and one that
// is met for the first time is read in pieces.
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { filePath, type Ground, makeGround } from './ground.ts'
import { interleave, type Measurement, milliseconds, type Result, ratio } from './measure.ts'
import { openSession, turn } from './session.ts'
import { transcriptText } from './transcript-text.ts'

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
  return [
    ratio('stop with 50 MB of transcript, against 1 MB', 1.5, times.long, times.short),
    ...measureFirstMeeting(),
  ]
}

const session = 'met-late'

/** The end of a turn and the commit after it meet a transcript of 500 MB, nearly all of it older than the turn. */
function measureFirstMeeting(): Result[] {
  const ground = makeGround({ files: 1_000 })
  const transcript = join(ground.base, 'home', '.claude', 'projects', 'bench', `${session}.jsonl`)
  mkdirSync(dirname(transcript), { recursive: true })
  for (const text of transcriptText({ tag: 'before', seed: 1, bytes: 500_000_000, files: [] }))
    appendFileSync(transcript, text)
  const payload = { session_id: session, transcript_path: transcript, cwd: ground.root }
  const hook = (name: string, more: object) =>
    measured(ground, ['entire', 'hooks', 'claude-code', name], JSON.stringify({ ...payload, ...more }))
  const hashing = measured(ground, ['git', 'hash-object', transcript])
  hook('user-prompt-submit', { prompt: 'write a file' })
  const path = join(ground.root, filePath(3))
  for (const text of transcriptText({ tag: 'now', seed: 2, bytes: 1_000, files: [path] }))
    appendFileSync(transcript, text)
  writeFileSync(path, 'written\n')
  const stop = hook('stop', {})
  const commit = measured(ground, ['git', 'commit', '--quiet', '--all', '--message', 'work'])
  awaitCatchUp(ground)
  return [
    ratio('stop that meets 500 MB of transcript, against hashing it', 3, stop.ms, hashing.ms),
    memory('its memory', stop.bytes),
    ratio('the commit after it, against hashing it', 3, commit.ms, hashing.ms),
    memory('its memory', commit.bytes),
  ]
}

/** Time and the largest memory of a program and of those it waits for. */
function measured(ground: Ground, argv: string[], stdin = ''): { ms: number; bytes: number } {
  const from = performance.now()
  const { root: cwd, env } = ground
  const done = Bun.spawnSync(argv, { cwd, env, stdin: Buffer.from(stdin), stdout: 'pipe', stderr: 'pipe' })
  if (done.exitCode !== 0) throw new Error(`${argv.join(' ')} ended with ${done.exitCode}: ${done.stderr}`)
  return { ms: performance.now() - from, bytes: done.resourceUsage?.maxRSS ?? 0 }
}

function memory(name: string, bytes: number): Result {
  return {
    name,
    value: Math.round(bytes / 1_000_000),
    limit: 300,
    unit: ' MB',
    detail: 'the largest of its processes',
  }
}

/** The rest is read in the background, which would disturb the next measurement. */
function awaitCatchUp({ root }: Ground): void {
  const state = join(root, '.git', 'entire-sessions', `${session}.json`)
  for (let waited = 0; readFileSync(state, 'utf8').includes('"behind"') && waited < 180_000; waited += 500)
    Bun.sleepSync(500)
}

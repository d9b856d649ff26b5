// Counts the git processes of an event, whatever the size of the repository. Git itself reports them, because
// inside its own hooks it puts its directory in front of PATH, where no wrapper would be found.
// https://git-scm.com/docs/api-trace2
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment } from '../support/environment.ts'
import { type Ground, makeGround } from './ground.ts'
import type { Measurement, Result } from './measure.ts'
import { openSession, turn } from './session.ts'

interface Started {
  command: string
  /** How many git processes are above it. */
  depth: number
}

export const measureProcesses: Measurement = () => {
  const ground = makeGround({ files: 1_000 })
  // Processes that git starts after a commit do not count.
  ground.run(['git', 'config', 'maintenance.auto', 'false'])
  const [first, second] = [openSession(ground, 'first'), openSession(ground, 'second')]
  turn(first, { files: ['work/a.txt'], bytes: 10_000 })
  const starts = traceGit(ground, (env) => second.start(env))
  ground.write('work/mine.txt', 'of the user\n')
  const changed = traceGit(ground, (env) => first.start(env))
  second.work({ files: ['work/b.txt', 'work/c.txt'], bytes: 10_000 })
  const stops = traceGit(ground, (env) => second.stop(env))
  ground.run(['git', 'add', 'work'])
  const commits = traceGit(ground, (env) => ground.run(['git', 'commit', '--quiet', '-m', 'both'], { env }))
  // What hooks start is one level below the commit that runs them.
  return [
    count('turn-start', 2, starts, 0),
    count('turn-start that saves the state before it', 3, changed, 0),
    count('turn-end', 3, stops, 0),
    count('all commit hooks', 6, commits, 1),
  ]
}

/** All git processes that ran during an event, in the order of their start. */
function traceGit(ground: Ground, event: (env: Environment) => void): Started[] {
  const log = join(ground.base, 'trace2.log')
  rmSync(log, { force: true })
  event({ GIT_TRACE2_EVENT: log })
  const lines = existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : []
  const starts = lines
    .map((line) => JSON.parse(line) as { event: string; sid: string; argv: string[] })
    .filter((line) => line.event === 'start')
  return starts.map(({ sid, argv }) => ({
    command: argv.find((word, at) => at > 0 && !word.startsWith('-')) ?? '',
    depth: sid.split('/').length - 1,
  }))
}

function count(event: string, limit: number, started: Started[], depth: number): Result {
  const ours = started.filter((process) => process.depth === depth)
  const below = started.filter((process) => process.depth > depth)
  const own = ours.map(({ command }) => command).join(', ')
  const detail =
    below.length === 0
      ? own
      : `${own} (and, started by git: ${below.map(({ command }) => command).join(', ')})`
  return { name: `git processes of ${event}`, value: ours.length, limit, unit: '', detail }
}

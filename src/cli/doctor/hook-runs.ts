// What the log says about the time hooks took.
import type { Repo } from '../../git/repo.ts'
import { parseLogLine, readLogBackwards } from './log-file.ts'

export interface Phase {
  name: string
  ms: number
}

export interface HookRun {
  time: string
  /** `claude-code stop`, `git post-commit`. */
  hook: string
  session: string | undefined
  ms: number
  /** In the order they ran; none in lines of versions that did not measure them. */
  phases: Phase[]
}

/** The last so many, newest last. */
export function readHookRuns(repo: Repo, limit: number): HookRun[] {
  const runs: HookRun[] = []
  for (const text of readLogBackwards(repo)) {
    if (runs.length >= limit) break
    const line = parseLogLine(text)
    if (line?.ms === undefined || !/^\S+ \S+$/.test(line.message)) continue
    runs.push({ time: line.time, hook: line.message, session: line.session, ms: line.ms, phases: parsePhases(line.phases ?? '') })
  }
  return runs.reverse()
}

export function slowestPhase({ phases }: HookRun): Phase | undefined {
  return phases.toSorted((a, b) => b.ms - a.ms)[0]
}

export interface HookMedian {
  hook: string
  count: number
  median: number
  slowest: number
}

/** Per kind of hook, the slowest kind first. */
export function medians(runs: HookRun[]): HookMedian[] {
  return [...Map.groupBy(runs, (run) => run.hook)]
    .map(([hook, group]) => {
      const times = group.map(({ ms }) => ms).sort((a, b) => a - b)
      return { hook, count: times.length, median: middle(times), slowest: times.at(-1) as number }
    })
    .sort((a, b) => b.median - a.median)
}

function middle(sorted: number[]): number {
  const at = (sorted.length - 1) / 2
  return Math.round(((sorted[Math.floor(at)] as number) + (sorted[Math.ceil(at)] as number)) / 2)
}

function parsePhases(text: string): Phase[] {
  return [...text.matchAll(/([^\s=]+)=(\d+(?:\.\d+)?)/g)].map(([, name = '', ms]) => ({ name, ms: Number(ms) }))
}

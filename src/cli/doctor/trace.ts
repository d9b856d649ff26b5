// Defines `entire doctor trace`, which shows how long recent hooks took, and in which phases.

import { buildCommand } from '@stricli/core'
import type { Repo } from '../../git/repo.ts'
import { shortSessionId } from '../../model/session.ts'
import { given } from '../../std/given.ts'
import { formatJson } from '../../std/json.ts'
import { formatManual, limitFlag, switchFlag } from '../command-parts.ts'
import { type Cli, requireRepo } from '../context.ts'
import { localTime } from '../render/numbers.ts'
import { clean, fit, tableLines } from '../render/text.ts'
import { parseLogLine, readLogBackwards } from './log-file.ts'

interface TraceFlags {
  limit?: number
  json?: boolean
}

export const doctorTraceCommand = buildCommand<TraceFlags, [], Cli>({
  func(flags) {
    const runs = readHookRuns(requireRepo(this, 'doctor trace'), flags.limit ?? 20)
    if (flags.json)
      return void this.process.stdout.write(formatJson({ hooks: runs.map(runJson), medians: medians(runs) }))
    if (runs.length === 0) return void this.out('No hook has been logged yet.')
    printRuns(this, runs)
  },
  parameters: {
    flags: { limit: limitFlag('How many hooks (default 20)'), json: switchFlag('Print JSON') },
    aliases: { n: 'limit' },
  },
  docs: {
    brief: 'Show how long recent hooks took',
    fullDescription: formatManual({
      text: [
        'Shows one line for each hook, newest last: time, hook, session, duration, slowest phase, and all phases. Durations are in',
        'milliseconds and include the start of the process. The medians of each kind of hook follow.',
      ],
      examples: [
        ['entire doctor trace', 'the last 20 hooks'],
        ['entire doctor trace --limit 200 --json', 'for scripts'],
      ],
    }),
  },
})

function printRuns(cli: Cli, runs: HookRun[]): void {
  const { columns } = cli.size()
  const rows = runs.map((run) => {
    const slowest = slowestPhase(run)
    return [
      localTime(run.time),
      clean(run.hook),
      shortSessionId(clean(run.session ?? '')),
      `${run.ms}`,
      slowest === undefined ? '' : clean(`${slowest.name} ${slowest.ms}`),
      clean(run.phases.map(({ name, ms }) => `${name}=${ms}`).join(' ')),
    ]
  })
  const head = ['TIME', 'HOOK', 'SESSION', 'MS', 'SLOWEST', 'PHASES']
  for (const line of tableLines([head, ...rows], { right: [3] })) cli.out(fit(line, columns))
  cli.out()
  const kinds = medians(runs).map(({ hook, count, median, slowest }) => [
    clean(hook),
    `${count}`,
    `${median}`,
    `${slowest}`,
  ])
  for (const line of tableLines([['HOOK', 'RUNS', 'MEDIAN MS', 'SLOWEST MS'], ...kinds], {
    right: [1, 2, 3],
  }))
    cli.out(fit(line, columns))
}

function runJson({ time, hook, session, ms, phases }: HookRun) {
  return {
    time,
    hook,
    ...given({ session_id: session }),
    ms,
    phases: Object.fromEntries(phases.map((phase) => [phase.name, phase.ms])),
  }
}

export interface HookPhase {
  name: string
  ms: number
}

export interface HookRun {
  time: string
  /** `claude-code stop`, `git post-commit`. */
  hook: string
  session: string | undefined
  ms: number
  /** In the order they ran; empty in lines of versions that did not measure them. */
  phases: HookPhase[]
}

/** Newest last. */
export function readHookRuns(repo: Repo, limit: number): HookRun[] {
  const runs: HookRun[] = []
  for (const text of readLogBackwards(repo)) {
    if (runs.length >= limit) break
    const line = parseLogLine(text)
    if (line?.ms === undefined || !/^\S+ \S+$/.test(line.message)) continue
    runs.push({
      time: line.time,
      hook: line.message,
      session: line.session,
      ms: line.ms,
      phases: parsePhases(line.phases ?? ''),
    })
  }
  return runs.reverse()
}

export function slowestPhase({ phases }: HookRun): HookPhase | undefined {
  return phases.toSorted((a, b) => b.ms - a.ms)[0]
}

export interface HookMedian {
  hook: string
  count: number
  median: number
  slowest: number
}

/** The slowest kind of hook first. */
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

function parsePhases(text: string): HookPhase[] {
  return [...text.matchAll(/(?<![^\s=])([^\s=]+)=(\d+(?:\.\d+)?)/g)].map(([, name = '', ms]) => ({
    name,
    ms: Number(ms),
  }))
}

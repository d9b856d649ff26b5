// `entire doctor trace`: where the time of recent hooks went.
import { buildCommand } from '@stricli/core'
import { formatJson } from '../../std/json.ts'
import { type Cli, requireRepo } from '../context.ts'
import { said } from '../flags.ts'
import { formatManual } from '../manual.ts'
import { fit, tableLines } from '../render/table.ts'
import { clean } from '../render/text.ts'
import { localTime } from '../render/time.ts'
import { type HookRun, medians, readHookRuns, slowestPhase } from './hook-runs.ts'
import { limitFlag } from './limit-flag.ts'

interface TraceFlags {
  limit?: number
  json?: boolean
}

export const traceCommand = buildCommand<TraceFlags, [], Cli>({
  func(flags) {
    const runs = readHookRuns(requireRepo(this, 'doctor trace'), flags.limit ?? 20)
    if (flags.json) return void this.process.stdout.write(formatJson({ hooks: runs.map(runJson), medians: medians(runs) }))
    if (runs.length === 0) return void this.out('No hooks have run yet, or the log is gone.')
    printRuns(this, runs)
  },
  parameters: {
    flags: { limit: limitFlag('How many hooks (default 20)'), json: said('Print JSON') },
    aliases: { n: 'limit' },
  },
  docs: {
    brief: 'Show where the time of recent hooks went',
    fullDescription: formatManual({
      text: [
        'One line for each of the last hooks, newest last: when, which, whose, how long it took in all, its slowest phase, and all phases.',
        'Times are in milliseconds and count from the start of the process. Below that, the median of each kind of hook.',
      ],
      examples: [
        ['entire doctor trace', 'the last 20 hooks'],
        ['entire doctor trace --limit 200 --json', 'for a closer look'],
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
      clean(run.session ?? '').slice(0, 8),
      `${run.ms}`,
      slowest === undefined ? '' : clean(`${slowest.name} ${slowest.ms}`),
      clean(run.phases.map(({ name, ms }) => `${name}=${ms}`).join(' ')),
    ]
  })
  const head = ['TIME', 'HOOK', 'SESSION', 'MS', 'SLOWEST', 'PHASES']
  for (const line of tableLines([head, ...rows], { right: [3] })) cli.out(fit(line, columns))
  cli.out()
  const kinds = medians(runs).map(({ hook, count, median, slowest }) => [clean(hook), `${count}`, `${median}`, `${slowest}`])
  for (const line of tableLines([['HOOK', 'RUNS', 'MEDIAN MS', 'SLOWEST MS'], ...kinds], { right: [1, 2, 3] })) cli.out(fit(line, columns))
}

function runJson({ time, hook, session, ms, phases }: HookRun) {
  return {
    time,
    hook,
    ...(session === undefined ? {} : { session_id: session }),
    ms,
    phases: Object.fromEntries(phases.map((phase) => [phase.name, phase.ms])),
  }
}

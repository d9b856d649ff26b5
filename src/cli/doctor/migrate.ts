// Moves checkpoints between the two storages for `entire doctor migrate-checkpoints`, and says what stays where it is.

import { metadataBranch } from '../../checkpoints/layout.ts'
import { EntireError } from '../../std/errors.ts'
import { formatJson, type JsonObject } from '../../std/json.ts'
import { countOf } from '../../std/plural.ts'
import { type Migration, migrate, planMigration, type Staying, type Storage } from '../../sync/migrate.ts'
import { confirm } from '../ask.ts'
import { requireBackend } from '../command-parts.ts'
import { type Cli, requireRepo } from '../context.ts'
import { systemRecorder } from '../recorder.ts'
import { progressOf } from '../streams.ts'

export interface MigrateFlags {
  to?: string
  remove?: boolean
  force?: boolean
  dryRun?: boolean
  json?: boolean
}

export async function migrateCheckpoints(cli: Cli, flags: MigrateFlags): Promise<void> {
  const repo = requireRepo(cli, 'doctor')
  const recorder = { ...systemRecorder(repo, { component: 'doctor' }), clock: cli.clock }
  const { checkpointsBackend: used } = recorder.settings
  const to = flags.to === undefined ? used : requireBackend(flags.to, '--to')
  const { remove: removes = false, dryRun = false, force = false, json = false } = flags
  // The reference program looks for these ids on the branch alone while the branch is the storage in use.
  if (removes && to !== used)
    throw new EntireError('bad-usage', `New checkpoints are still stored ${names[used]}.`, {
      hint: `Nothing was removed. Run \`entire configure checkpoints.primary.type ${to}\` first, or leave out --remove.`,
    })
  const progress = progressOf(cli.process)
  const options = { to, removes, progress }
  const plan = dryRun || !force ? await planMigration(recorder, options) : undefined
  if (plan !== undefined && (dryRun || isNothing(plan))) return report(cli, plan, { json, dryRun })
  if (plan !== undefined) {
    if (!json) for (const line of planLines(plan)) cli.out(line)
    const isAgreed = await confirm(cli, {
      message: `Store these checkpoints ${names[to]}?`,
      detail: removes ? 'Copies are compared before anything is removed.' : 'Nothing is removed.',
      noTerminalHint: 'Run it with --force, or with --dry-run to see what would be done.',
    })
    if (!isAgreed) return cli.note('Migration cancelled.')
  }
  const done = await migrate(recorder, options)
  progress('')
  report(cli, done, { json, dryRun })
}

const names: Record<Storage, string> = {
  'git-branch': `on ${metadataBranch}`,
  'git-refs': 'in refs of their own',
}

const others: Record<Storage, Storage> = { 'git-branch': 'git-refs', 'git-refs': 'git-branch' }

const reasons: Record<Staying, (count: string) => string[]> = {
  ulid: (count) => [
    `${count} with a ULID as id: left in refs of their own, where every program looks for such ids.`,
  ],
  differs: (count) => [
    `${count} whose ref differs from the branch: the ref is left alone. Readers take what is on the branch.`,
  ],
  unpushed: (count) => [
    `${count} whose ref has not been pushed: left on ${metadataBranch} as well, so that colleagues find it.`,
    'Run `git push`, then this command again.',
  ],
}

function isNothing({ copies, removals }: Migration): boolean {
  return copies.length === 0 && removals.length === 0
}

function report(cli: Cli, migration: Migration, { json, dryRun }: { json: boolean; dryRun: boolean }): void {
  if (json) return void cli.process.stdout.write(formatJson(migrationJson(migration, dryRun)))
  if (isNothing(migration)) cli.out(`Nothing to do: what can be stored ${names[migration.to]} is there.`)
  for (const line of dryRun ? planLines(migration) : doneLines(migration)) cli.out(line)
  if (dryRun && !isNothing(migration)) cli.out('Run without --dry-run to do it.')
}

function planLines(migration: Migration): string[] {
  const { to, copies, removals } = migration
  return [
    ...(copies.length === 0 ? [] : [`${countOf(copies.length, 'checkpoint')} to copy: ${names[to]}.`]),
    ...(removals.length === 0
      ? []
      : [`${countOf(removals.length, 'checkpoint')} to remove: ${names[others[to]]}.`]),
    ...stayLines(migration),
  ]
}

function doneLines(migration: Migration): string[] {
  const { to, copies, removals } = migration
  return [
    ...(copies.length === 0
      ? []
      : [`Copied and compared ${countOf(copies.length, 'checkpoint')}: ${names[to]}.`]),
    ...(removals.length === 0
      ? []
      : [`Removed ${countOf(removals.length, 'checkpoint')}: ${names[others[to]]}.`]),
    ...stayLines(migration),
  ]
}

function stayLines({ stays }: Migration): string[] {
  return (Object.keys(reasons) as Staying[]).flatMap((why) => {
    const count = stays.filter((stay) => stay.why === why).length
    return count === 0 ? [] : reasons[why](countOf(count, 'checkpoint'))
  })
}

function migrationJson({ to, copies, removals, stays }: Migration, dryRun: boolean): JsonObject {
  return {
    dry_run: dryRun,
    to,
    copied: copies,
    removed: removals,
    left: stays.map(({ id, why }) => ({ id, why })),
  }
}

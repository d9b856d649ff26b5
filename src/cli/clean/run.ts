// One cleaning: look, show, ask, look again under the locks, remove.

import { relative } from 'node:path'
import { branchName } from '../../checkpoints/layout.ts'
import {
  type CleanPlan,
  countPlan,
  type DiscardPlan,
  discard,
  planAll,
  planHead,
} from '../../cleanup/clean.ts'
import { type Inventory, readInventory } from '../../cleanup/inventory.ts'
import { restoreLast } from '../../cleanup/trash-restore.ts'
import type { Repo } from '../../git/repo.ts'
import { formatJson } from '../../std/json.ts'
import { confirm } from '../ask.ts'
import type { Cli } from '../context.ts'
import { systemRecorder } from '../recorder.ts'
import { clean } from '../render/text.ts'
import {
  describeNamed,
  doneLines,
  headLines,
  keptLines,
  noteRecovery,
  planJson,
  planNamed,
  requireSession,
  sectionLines,
} from './report.ts'

export interface CleanFlags {
  force?: boolean
  all?: boolean
  dryRun?: boolean
  session?: string
  json?: boolean
}

interface CleanScope {
  plan(inventory: Inventory): CleanPlan
  nothing: string
  /** The list of what was found. */
  list(plan: CleanPlan): string[]
  question(count: number): { message: string; detail?: string }
  /** How to say it again without a question. */
  command: string
}

export async function runClean(cli: Cli, repo: Repo, flags: CleanFlags): Promise<void> {
  const inventory = await readInventory(repo)
  const scope = chooseScope(cli, repo, inventory, flags)
  const plan = scope.plan(inventory)
  const count = countPlan(plan)
  if (flags.json) {
    if (flags.dryRun || count === 0) return printJson(cli, repo, plan, plan, flags)
  } else {
    printFound(cli, scope, plan, flags)
    if (flags.dryRun || count === 0) return
  }
  const question = {
    ...scope.question(count),
    noTerminalHint: `Run \`${scope.command} --force\`, or with --dry-run to see what would go.`,
  }
  if (!flags.force && !(await confirm(cli, question))) return cli.note('Clean cancelled.')
  const done = await discard(systemRecorder(repo, { component: 'clean' }), 'clean', plan, scope.plan)
  if (flags.json) printJson(cli, repo, done, plan, flags)
  else if (flags.all) {
    cli.out(`✓ Deleted ${countPlan(done)} items:\n`)
    for (const line of sectionLines(repo, done)) cli.out(line)
  } else for (const line of doneLines(repo, done)) cli.out(line)
  noteRecovery(cli, done)
}

function chooseScope(cli: Cli, repo: Repo, inventory: Inventory, flags: CleanFlags): CleanScope {
  const now = cli.clock()
  const list = (plan: CleanPlan) => [
    flags.dryRun ? 'Would clean the following items:' : 'The following items will be cleaned:',
    '',
    ...headLines(plan),
  ]
  if (flags.session !== undefined) {
    const session = requireSession(repo, inventory, flags.session)
    return {
      plan: (found) => ({ ...planNamed(found, session.id), inUse: [] }),
      nothing: `Nothing to clean for session ${clean(session.id)}.`,
      list,
      question: () => ({ message: `Clean session ${clean(session.id)}?`, detail: describeNamed(session) }),
      command: `entire clean --session ${clean(session.id)}`,
    }
  }
  const ask = (count: number) => ({ message: `Delete ${count} items?` })
  if (flags.all)
    return {
      plan: (found) => planAll(found, now),
      nothing: 'No items to clean up.',
      list: (plan) => [`Found ${countPlan(plan)} item(s) to clean:`, '', ...sectionLines(repo, plan)],
      question: ask,
      command: 'entire clean --all',
    }
  return {
    plan: (found) => planHead(found, now),
    nothing: 'Nothing to clean for current HEAD.',
    list,
    question: ask,
    command: 'entire clean',
  }
}

function printFound(cli: Cli, scope: CleanScope, plan: CleanPlan, flags: CleanFlags): void {
  const count = countPlan(plan)
  if (count === 0) cli.out(scope.nothing)
  // Whoever said --force sees what was done instead.
  else if (flags.dryRun || !flags.force) for (const line of scope.list(plan)) cli.out(line)
  const kept = keptLines(plan.inUse)
  if (count === 0 && kept.length > 0) cli.out()
  for (const line of kept) cli.out(line)
  if (flags.dryRun && count > 0) cli.out('Run without --dry-run to clean these items.')
}

function printJson(
  cli: Cli,
  repo: Repo,
  items: DiscardPlan,
  { inUse: kept }: CleanPlan,
  flags: CleanFlags,
): void {
  const facts = {
    dry_run: flags.dryRun === true,
    ...planJson(repo, items),
    kept: kept.map((item) => ({ ...item })),
  }
  cli.process.stdout.write(formatJson(facts))
}

// `entire clean --undo`: what clean, reset or doctor removed last comes back.

export async function undoClean(cli: Cli, repo: Repo, json: boolean): Promise<void> {
  const { by, restored, inTheWay } = await restoreLast(systemRecorder(repo, { component: 'clean' }))
  const name = (thing: string) => (thing.startsWith('refs/') ? branchName(thing) : relative(repo.root, thing))
  if (json) {
    cli.process.stdout.write(
      formatJson({ removed_by: by, restored: restored.map(name), in_the_way: inTheWay.map(name) }),
    )
    return
  }
  cli.out(`Brought back what \`entire ${clean(by)}\` removed:`)
  for (const thing of restored) cli.out(`  ${clean(name(thing))}`)
  for (const thing of inTheWay)
    cli.note(`  ${clean(name(thing))} stays as it is now; its older version is still kept.`)
}

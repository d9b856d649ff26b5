// Defines `entire clean`, which removes sessions and steps that are no longer needed, and restores them with
// --undo.

import { relative } from 'node:path'
import { buildCommand } from '@stricli/core'
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
import { restoreLast } from '../../cleanup/trash.ts'
import type { Repo } from '../../git/repo.ts'
import { cannotCombine } from '../../std/errors.ts'
import { formatJson } from '../../std/json.ts'
import { confirm } from '../ask.ts'
import { formatManual, switchFlag, valueFlag } from '../command-parts.ts'
import { type Cli, requireRepo } from '../context.ts'
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

interface CleanFlags {
  force?: boolean
  all?: boolean
  dryRun?: boolean
  session?: string
  undo?: boolean
  json?: boolean
}

export const cleanCommand = buildCommand<CleanFlags, [], Cli>({
  async func(flags) {
    const scopes = [...(flags.all ? ['--all'] : []), ...(flags.session === undefined ? [] : ['--session'])]
    if (scopes.length > 1) throw cannotCombine(scopes)
    const others = [...scopes, ...(flags.dryRun ? ['--dry-run'] : [])]
    if (flags.undo && others.length > 0) throw cannotCombine(['--undo', ...others])
    const repo = requireRepo(this, 'clean')
    await (flags.undo ? undoClean(this, repo, flags.json === true) : runClean(this, repo, flags))
  },
  parameters: {
    flags: {
      force: switchFlag('Do not ask'),
      all: switchFlag('Include every commit and work tree, and leftovers of turns whose agent died'),
      dryRun: switchFlag('Show what would be removed, and remove nothing'),
      session: valueFlag('id', 'Remove only this session, even if it is in use'),
      undo: switchFlag('Restore what clean, reset or doctor removed last'),
      json: switchFlag('Print JSON'),
    },
    aliases: { f: 'force', a: 'all', d: 'dryRun' },
  },
  docs: {
    brief: 'Remove sessions and steps that are no longer needed',
    fullDescription: formatManual({
      text: [
        'Removes ended sessions, and steps that belong to no session. Without --all, only those of the current commit.',
        'Running sessions and uncommitted work are kept and listed with the reason, unless --session names the session.',
        'Checkpoints are never removed. Removed items are kept for 30 days; --undo restores them.',
      ],
      examples: [
        ['entire clean --dry-run', 'show what would be removed'],
        ['entire clean --all', 'clean up everything'],
        ['entire clean --session 5e551010', 'remove one session'],
        ['entire clean --undo', 'undo the last removal'],
      ],
    }),
  },
})

async function runClean(cli: Cli, repo: Repo, flags: CleanFlags): Promise<void> {
  const inventory = await readInventory(repo)
  const scope = chooseScope(cli, repo, inventory, flags)
  const plan = scope.plan(inventory)
  const count = countPlan(plan)
  if (flags.json) {
    if (flags.dryRun || count === 0)
      return printJson(cli, repo, plan, { inUse: plan.inUse, isDryRun: flags.dryRun === true })
  } else {
    printFound(cli, scope, plan, flags)
    if (flags.dryRun || count === 0) return
  }
  const question = {
    ...scope.question(count),
    noTerminalHint: `Run \`${scope.command} --force\`, or with --dry-run to see what would be removed.`,
  }
  if (!flags.force && !(await confirm(cli, question))) return cli.note('Clean cancelled.')
  const done = await discard(systemRecorder(repo, { component: 'clean' }), 'clean', plan, scope.plan)
  if (flags.json) printJson(cli, repo, done, { inUse: plan.inUse, isDryRun: false })
  else if (flags.all) {
    cli.out(`✓ Deleted ${countPlan(done)} items:\n`)
    for (const line of sectionLines(repo, done)) cli.out(line)
  } else for (const line of doneLines(repo, done)) cli.out(line)
  noteRecovery(cli, done)
}

interface CleanScope {
  plan(inventory: Inventory): CleanPlan
  /** Said when there is nothing to remove. */
  nothing: string
  /** Lists the items that would be removed. */
  list(plan: CleanPlan): string[]
  question(count: number): { message: string; detail?: string }
  /** The command line of this scope, for the hint. */
  command: string
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
  // With --force, the items are listed once they have been removed.
  else if (flags.dryRun || !flags.force) for (const line of scope.list(plan)) cli.out(line)
  const kept = keptLines(plan.inUse)
  if (count === 0 && kept.length > 0) cli.out()
  for (const line of kept) cli.out(line)
  if (flags.dryRun && count > 0) cli.out('Run without --dry-run to clean these items.')
}

function printJson(
  cli: Cli,
  repo: Repo,
  removed: DiscardPlan,
  { inUse, isDryRun }: Pick<CleanPlan, 'inUse'> & { isDryRun: boolean },
): void {
  const kept = inUse.map((item) => ({ ...item }))
  cli.process.stdout.write(formatJson({ dry_run: isDryRun, ...planJson(repo, removed), kept }))
}

async function undoClean(cli: Cli, repo: Repo, json: boolean): Promise<void> {
  const { by, restored, inTheWay } = await restoreLast(systemRecorder(repo, { component: 'clean' }))
  const name = (item: string) => (item.startsWith('refs/') ? branchName(item) : relative(repo.root, item))
  if (json) {
    cli.process.stdout.write(
      formatJson({ removed_by: by, restored: restored.map(name), in_the_way: inTheWay.map(name) }),
    )
    return
  }
  cli.out(`Restored what \`entire ${clean(by)}\` removed:`)
  for (const item of restored) cli.out(`  ${clean(name(item))}`)
  for (const item of inTheWay)
    cli.note(
      `  ${clean(name(item))} was not restored, because it exists again; the removed version is still kept.`,
    )
}

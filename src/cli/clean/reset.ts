// Defines `entire reset`, which removes the sessions and steps since the last commit, and leaves the work
// tree alone.

import { buildCommand } from '@stricli/core'
import { branchName, shadowRef } from '../../checkpoints/layout.ts'
import { countPlan, type DiscardPlan, discard, emptyPlan, planSessions } from '../../cleanup/clean.ts'
import { type Inventory, readInventory, sessionsAtHead } from '../../cleanup/inventory.ts'
import type { Repo } from '../../git/repo.ts'
import { isActive } from '../../model/session.ts'
import { EntireError } from '../../std/errors.ts'
import { formatJson } from '../../std/json.ts'
import { countOf } from '../../std/plural.ts'
import { confirm } from '../ask.ts'
import { formatManual, switchFlag, valueFlag } from '../command-parts.ts'
import { type Cli, requireRepo } from '../context.ts'
import { systemRecorder } from '../recorder.ts'
import { clean } from '../render/text.ts'
import { describeNamed, doneLines, noteRecovery, planJson, planNamed, requireSession } from './report.ts'

interface ResetFlags {
  force?: boolean
  session?: string
  json?: boolean
}

export const resetCommand = buildCommand<ResetFlags, [], Cli>({
  async func(flags) {
    const repo = requireRepo(this, 'reset')
    await (flags.session === undefined
      ? resetHead(this, repo, flags)
      : resetSession(this, repo, flags, flags.session))
  },
  parameters: {
    flags: {
      force: switchFlag('Do not ask, and include sessions with a running turn'),
      session: valueFlag('id', 'Remove only this session; the beginning of its id is enough'),
      json: switchFlag('Print what was removed as JSON'),
    },
    aliases: { f: 'force' },
  },
  docs: {
    brief: 'Remove the sessions and steps of the current commit',
    fullDescription: formatManual({
      text: [
        'Removes the sessions of this work tree that are based on HEAD, and their steps. Your files and all checkpoints stay as they',
        'are. If a turn is running, nothing is removed unless --force is given.',
        'Removed items are kept for 30 days; `entire clean --undo` restores them.',
      ],
      examples: [
        ['entire reset', 'all sessions on the current commit'],
        ['entire reset --session 5e551010', 'one session'],
        ['entire reset --force', 'without asking'],
      ],
    }),
  },
})

async function resetHead(cli: Cli, repo: Repo, flags: ResetFlags): Promise<void> {
  const inventory = await readInventory(repo)
  if (inventory.head === undefined)
    throw new EntireError('no-commits', 'This repository has no commits yet.', {
      hint: 'There is nothing to reset before the first commit.',
    })
  const plan = planHeadReset(inventory)
  const active = plan.sessions.filter(isActive)
  if (active.length > 0 && !flags.force) {
    cli.note('Active sessions detected on current HEAD:')
    for (const { id, phase } of active) cli.note(`  ${clean(id)} (phase: ${phase})`)
    cli.note('Use --force to override or wait for sessions to finish.')
    if (flags.json)
      cli.process.stdout.write(
        formatJson({ ...planJson(repo, emptyPlan()), active_sessions: active.map(({ id }) => id) }),
      )
    return
  }
  if (countPlan(plan) === 0) {
    if (flags.json) return printJson(cli, repo, plan)
    return cli.out(`Nothing to reset for ${branchName(shadowRef(inventory.head, repo.worktreeId))}`)
  }
  const detail = `${countOf(plan.sessions.length, 'session')} and ${countOf(plan.branches.length, 'shadow branch', 'shadow branches')} will be removed. Files stay as they are.`
  const question = { message: 'Reset session data?', detail, noTerminalHint: 'Run `entire reset --force`.' }
  if (!flags.force && !(await confirm(cli, question))) return cli.note('Reset cancelled.')
  const recorder = systemRecorder(repo, { component: 'reset' })
  const spareActive = (found: DiscardPlan) =>
    flags.force ? found : { ...found, sessions: found.sessions.filter((session) => !isActive(session)) }
  const done = await discard(recorder, 'reset', plan, (now) => spareActive(planHeadReset(now)))
  if (flags.json) printJson(cli, repo, done)
  else for (const line of doneLines(repo, done)) cli.out(line)
  noteRecovery(cli, done)
}

function planHeadReset(inventory: Inventory): DiscardPlan {
  const plan = planSessions(inventory, sessionsAtHead(inventory))
  const { head, repo, shadows, owners } = inventory
  const branch =
    head === undefined ? undefined : shadows.find(({ ref }) => ref === shadowRef(head, repo.worktreeId))
  const isOrphan =
    branch !== undefined && (owners.get(branch.ref) ?? []).length === 0 && !plan.branches.includes(branch)
  return isOrphan ? { ...plan, branches: [...plan.branches, branch] } : plan
}

async function resetSession(cli: Cli, repo: Repo, flags: ResetFlags, prefix: string): Promise<void> {
  const inventory = await readInventory(repo)
  const session = requireSession(repo, inventory, prefix)
  const question = {
    message: `Reset session ${clean(session.id)}?`,
    detail: describeNamed(session),
    noTerminalHint: `Run \`entire reset --session ${clean(session.id)} --force\`.`,
  }
  if (!flags.force && !(await confirm(cli, question))) return cli.note('Reset cancelled.')
  const recorder = systemRecorder(repo, { component: 'reset' })
  const done = await discard(recorder, 'reset', planNamed(inventory, session.id), (now) =>
    planNamed(now, session.id),
  )
  if (flags.json) printJson(cli, repo, done)
  else {
    for (const line of doneLines(repo, done)) cli.out(line)
    cli.out(`Session ${clean(session.id)} has been reset. File changes remain in the working directory.`)
  }
  noteRecovery(cli, done)
}

function printJson(cli: Cli, repo: Repo, plan: DiscardPlan): void {
  cli.process.stdout.write(formatJson(planJson(repo, plan)))
}

// Prints what `entire status` shows below its first line.

import { describeLeftOut, describeOverlooked } from '../../checkpoints/left-out.ts'
import { readWorktrees } from '../../git/branches.ts'
import type { Repo } from '../../git/repo.ts'
import { readOverlooked } from '../../git/status.ts'
import type { Settings } from '../../model/settings.ts'
import type { Cli } from '../context.ts'
import { activeSessionLines, unreadableText } from '../render/sessions.ts'
import { clean, fit, paint } from '../render/text.ts'
import { findObstacles, type HookHealth, readHookHealth } from '../setup/health.ts'
import { type OpenSessions, readLeftOutFiles, readOpenSessions, readSyncState, syncLines } from './facts.ts'

const sessionsShown = 20

/** Prints each part as soon as it is known. */
export async function printFacts(
  cli: Cli,
  repo: Repo,
  settings: Settings,
  isDetailed: boolean,
): Promise<void> {
  const worktrees = once(() => readWorktrees(repo))
  const sync = await readSyncState(repo, settings, worktrees)
  const open = readOpenSessions(repo, sessionsShown)
  const branches =
    open.sessions.length > 0
      ? worktrees().catch(() => new Map<string, undefined>())
      : new Map<string, undefined>()
  const hooks = await readHookHealth(cli, repo, settings)
  const warn = (text: string) => cli.out(paint(cli, 'yellow', `  ! ${text}`))
  const names = [
    ...hooks.agents.map(({ type }) => type),
    ...hooks.watched.map(({ type }) => `${type} (entire watch)`),
  ]
  if (names.length > 0) cli.out(`  Agents · ${names.join(', ')}`)
  for (const warning of hookWarnings(hooks)) warn(warning)
  for (const { message, fix } of await findObstacles(cli, repo, hooks)) {
    warn(clean(message))
    cli.out(`    ${clean(fix)}`)
  }
  for (const { line, isWarning } of await syncLines(sync))
    cli.out(isWarning ? paint(cli, 'yellow', `  ${line}`) : `  ${line}`)
  if (open.unreadable.length > 0) warn(unreadableText(open.unreadable.length))
  const leftOut = readLeftOutFiles(repo)
  if (leftOut.length > 0) warn(describeLeftOut(leftOut))
  for (const line of describeOverlooked(await readOverlooked(repo))) warn(clean(line))
  if (isDetailed)
    for (const line of await (await import('./detail.ts')).statusDetailLines(repo, settings, hooks, open))
      cli.out(line)
  for (const line of sessionLines(cli, open, await branches)) cli.out(line)
}

function sessionLines(
  cli: Cli,
  { sessions, more }: OpenSessions,
  branches: Map<string, string | undefined>,
): string[] {
  const lines = activeSessionLines(sessions, branches, cli.clock())
  const { columns } = cli.size()
  return [
    ...lines.map((line) => fit(line, columns)),
    ...(more === 0 ? [] : ['', `… and ${more} more (entire session list --all)`]),
  ]
}

function hookWarnings({ agents, watched, outdated, git, problems }: HookHealth): string[] {
  return [
    ...problems.map(clean),
    ...(agents.length + watched.length === 0 ? ["no agent hooks installed · run 'entire enable'"] : []),
    ...outdated.map((agent) => `${agent.type} hooks out of date · run 'entire enable --force'`),
    ...(git === 'all'
      ? []
      : [`git hooks ${git === 'missing' ? 'missing' : 'out of date'} · run 'entire enable'`]),
  ]
}

function once<T>(act: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => {
    result ??= act()
    return result
  }
}

// Defines `entire status`, which shows what is being recorded.

import { buildCommand } from '@stricli/core'
import { describeLeftOut } from '../../checkpoints/left-out.ts'
import { readWorktrees } from '../../git/branches.ts'
import { findRepo, type Repo } from '../../git/repo.ts'
import type { Settings } from '../../model/settings.ts'
import { isSetUp, readSettings, readSettingsFile, settingsFiles } from '../../settings/read.ts'
import { EntireError } from '../../std/errors.ts'
import { formatJson } from '../../std/json.ts'
import { formatManual, switchFlag } from '../command-parts.ts'
import type { Cli } from '../context.ts'
import { activeSessionLines, unreadableText } from '../render/sessions.ts'
import { fit, paint } from '../render/text.ts'
import { type HookHealth, readHookHealth } from '../setup/health.ts'
import { type OpenSessions, readLeftOutFiles, readOpenSessions, readSyncState, syncLines } from './facts.ts'

interface StatusFlags {
  detailed?: boolean
  json?: boolean
}

export const statusCommand = buildCommand<StatusFlags, [], Cli>({
  async func(flags) {
    const repo = findRepo(this.cwd, this.env)
    if (repo === undefined) return printProblem(this, flags, '✕', 'not a git repository')
    if (!isSetUp(repo.root))
      return printProblem(this, flags, '○', 'not set up (run `entire enable` to get started)')
    if (!flags.json) return printStatus(this, repo, readSettings(repo.root), flags.detailed === true)
    try {
      const { statusJson } = await import('./json.ts')
      this.process.stdout.write(formatJson(await statusJson(this, repo, readSettings(repo.root))))
    } catch (error) {
      if (!(error instanceof EntireError)) throw error
      printProblem(this, flags, '✕', error.message)
    }
  },
  parameters: {
    flags: {
      detailed: switchFlag('Also show settings files, hooks, and how much is recorded'),
      json: switchFlag('Print JSON'),
    },
  },
  docs: {
    brief: 'Show what is being recorded',
    fullDescription: formatManual({
      text: [
        'Shows whether recording is on and for which agents, which hooks are missing or out of date, where checkpoints are pushed and',
        'how many are not pushed yet, and the open sessions of all work trees. It fetches nothing: what it shows of a remote is what',
        'this clone knows of it.',
      ],
      examples: [
        ['entire status', 'show the most important facts'],
        ['entire status --detailed', 'also show the files behind them'],
        ['entire status --json | jq .active_sessions', 'for scripts; problems are in .error'],
      ],
    }),
  },
})

function printProblem(cli: Cli, flags: StatusFlags, sign: string, problem: string): void {
  if (flags.json)
    cli.process.stdout.write(formatJson({ enabled: false, agents: [], active_sessions: [], error: problem }))
  else cli.out(`${sign} ${problem}`)
}

const sessionsShown = 20

/** Prints each part as soon as it is known. */
async function printStatus(cli: Cli, repo: Repo, settings: Settings, isDetailed: boolean): Promise<void> {
  cli.out(settings.enabled ? paint(cli, 'green', describe(settings)) : describe(settings))
  if (isDetailed) for (const line of settingsLines(repo)) cli.out(line)
  if (!settings.enabled) return
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
  for (const { line, isWarning } of await syncLines(sync))
    cli.out(isWarning ? paint(cli, 'yellow', `  ${line}`) : `  ${line}`)
  if (open.unreadable.length > 0) warn(unreadableText(open.unreadable.length))
  const leftOut = readLeftOutFiles(repo)
  if (leftOut.length > 0) warn(describeLeftOut(leftOut))
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

function settingsLines(repo: Repo): string[] {
  const files = settingsFiles(repo.root).map((file) => {
    const own = describe(readSettingsFile(repo.root, file))
    return `${file === 'project' ? 'Project' : 'Local'}, ${own.charAt(0).toLowerCase()}${own.slice(1)}`
  })
  return ['', ...files, '']
}

function hookWarnings({ agents, watched, outdated, git }: HookHealth): string[] {
  return [
    ...(agents.length + watched.length === 0 ? ["no agent hooks installed · run 'entire enable'"] : []),
    ...outdated.map((agent) => `${agent.type} hooks out of date · run 'entire enable --force'`),
    ...(git === 'all'
      ? []
      : [`git hooks ${git === 'missing' ? 'missing' : 'out of date'} · run 'entire enable'`]),
  ]
}

function describe(settings: Settings): string {
  return `${settings.enabled ? 'Enabled' : 'Disabled'} (${settings.strategy})`
}

function once<T>(act: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => {
    result ??= act()
    return result
  }
}

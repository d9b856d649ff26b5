// `entire status`: whether and what is being recorded.
import { buildCommand } from '@stricli/core'
import { findRepo, type Repo } from '../../git/repo.ts'
import { readWorktrees } from '../../git/worktrees.ts'
import type { Session } from '../../model/session.ts'
import type { Settings } from '../../model/settings.ts'
import { isSetUp, readSettings, readSettingsFile, settingsFiles } from '../../session/settings.ts'
import { listSessions } from '../../session/store.ts'
import { formatJson } from '../../std/json.ts'
import type { Cli } from '../context.ts'
import { said } from '../flags.ts'
import { type HookHealth, readHookHealth } from '../hook-health.ts'
import { formatManual } from '../manual.ts'
import { paint } from '../render/colour.ts'
import { activeSessionLines, sessionsPerAgent } from '../render/sessions.ts'

interface StatusFlags {
  detailed?: boolean
  json?: boolean
}

export const statusCommand = buildCommand<StatusFlags, [], Cli>({
  async func(flags) {
    const repo = findRepo(this.cwd, this.env)
    if (repo === undefined) return printProblem(this, flags, '✕', 'not a git repository')
    if (!isSetUp(repo.root)) return printProblem(this, flags, '○', 'not set up (run `entire enable` to get started)')
    const settings = readSettings(repo.root)
    const sessions = settings.enabled ? listSessions(repo).filter((session) => session.endedAt === undefined) : []
    await (flags.json ? printJson : printText)(this, repo, { settings, sessions, detailed: flags.detailed === true })
  },
  parameters: {
    flags: {
      detailed: said('Show what each settings file says'),
      json: said('Print JSON'),
    },
  },
  docs: {
    brief: 'Show whether and what is being recorded',
    fullDescription: formatManual({
      text: ['Shows whether recording is on, which hooks are missing or out of date, and the sessions that are open in all work trees.'],
      examples: [
        ['entire status', 'at a glance'],
        ['entire status --json | jq .active_sessions', 'for scripts'],
      ],
    }),
  },
})

interface Facts {
  settings: Settings
  sessions: Session[]
  detailed: boolean
}

function printProblem(cli: Cli, flags: StatusFlags, sign: string, problem: string): void {
  if (flags.json) cli.process.stdout.write(formatJson({ enabled: false, agents: [], active_sessions: [], error: problem }))
  else cli.out(`${sign} ${problem}`)
}

async function printJson(cli: Cli, repo: Repo, { settings, sessions }: Facts): Promise<void> {
  const hooks = await readHookHealth(cli, repo, settings)
  const status = {
    enabled: settings.enabled,
    agents: hooks.agents.map((agent) => agent.type),
    active_sessions: sessionsPerAgent(sessions),
    ...(hooks.outdated.length > 0 ? { hooks_outdated: hooks.outdated.map((agent) => agent.type) } : {}),
    git_hooks: hooks.git,
  }
  cli.process.stdout.write(formatJson(status))
}

async function printText(cli: Cli, repo: Repo, { settings, sessions, detailed }: Facts): Promise<void> {
  cli.out(settings.enabled ? paint(cli, 'green', describe(settings)) : describe(settings))
  if (detailed) {
    cli.out()
    for (const file of settingsFiles(repo.root)) {
      const own = describe(readSettingsFile(repo.root, file))
      cli.out(`${file === 'project' ? 'Project' : 'Local'}, ${own.charAt(0).toLowerCase()}${own.slice(1)}`)
    }
  }
  if (!settings.enabled) return
  const hooks = await readHookHealth(cli, repo, settings)
  if (detailed) cli.out(`Agents: ${hooks.agents.map((agent) => agent.type).join(', ') || '(none)'}`)
  for (const warning of hookWarnings(hooks)) cli.out(paint(cli, 'yellow', `  ! ${warning}`))
  for (const line of activeSessionLines(sessions, sessions.length > 0 ? await readWorktrees(repo) : new Map(), cli.clock())) cli.out(line)
}

function hookWarnings({ agents, outdated, git }: HookHealth): string[] {
  return [
    ...(agents.length === 0 ? ["no agent hooks installed · run 'entire enable'"] : []),
    ...outdated.map((agent) => `${agent.type} hooks out of date · run 'entire enable --force'`),
    ...(git === 'all' ? [] : [`git hooks ${git === 'missing' ? 'missing' : 'out of date'} · run 'entire enable'`]),
  ]
}

function describe(settings: Settings): string {
  return `${settings.enabled ? 'Enabled' : 'Disabled'} (${settings.strategy})`
}

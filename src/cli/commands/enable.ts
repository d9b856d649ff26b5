// `entire enable`: hooks of agents and git, settings, and the branch for checkpoints. Running it again repairs what is missing.
import { buildCommand } from '@stricli/core'
import { readLog } from '../../git/log.ts'
import type { Repo } from '../../git/repo.ts'
import { type StrategyName, strategies } from '../../model/settings.ts'
import { ensureEntireDir, isSetUp, readSettings, type SettingsFile, settingsFiles, settingsPaths } from '../../session/settings.ts'
import { EntireError } from '../../std/errors.ts'
import type { JsonObject } from '../../std/json.ts'
import { chooseAgents, namedAgents } from '../agent-choice.ts'
import { type Cli, requireRepo } from '../context.ts'
import { said, value } from '../flags.ts'
import { type HookHealth, isHealthy, readHookHealth } from '../hook-health.ts'
import { formatManual } from '../manual.ts'
import { hookCommand } from '../program.ts'
import { ensureMetadataBranch } from '../setup.ts'
import { installAgent, installGitHooks, saveSettings } from '../setup-steps.ts'

interface EnableFlags {
  agent?: readonly string[]
  local?: boolean
  project?: boolean
  strategy?: string
  force?: boolean
  skipPushSessions?: boolean
  absoluteGitHookPath?: boolean
  yes?: boolean
  telemetry?: boolean
}

export const enableCommand = buildCommand<EnableFlags, [], Cli>({
  async func(flags) {
    const repo = requireRepo(this, 'enable')
    const changes = planChanges(flags)
    const named = flags.agent && namedAgents(flags.agent)
    const before = readSettings(repo.root)
    const wasSetUp = isSetUp(repo.root)
    const asked = named !== undefined || flags.force || Object.keys(changes).length > 0
    const health = await readHookHealth(this, repo, before)
    if (!asked && wasSetUp && before.enabled && isHealthy(health)) return printComplete(this, repo, health)
    await noteEmptyRepo(this, repo)
    const agents = named ?? (await chooseAgents(repo, this.interactive && !flags.yes))
    if (agents === undefined) return this.out('Nothing was changed.')

    const command = hookCommand({ absoluteHookPath: flags.absoluteGitHookPath === true || before.absoluteHookPath }, this.program)
    if (wasSetUp && !before.enabled) this.out('Entire is now enabled.')
    for (const agent of agents)
      await installAgent(this, repo, agent, { command, force: flags.force === true, implied: named === undefined })
    ensureEntireDir(repo.root)
    const file = saveSettings(this, repo, { where: whereTo(flags), changes, before })
    await installGitHooks(this, repo, command)
    if (before.checkpointsBackend === 'git-branch') await ensureMetadataBranch(repo, this.clock())
    this.out(`✓ Project configured (${settingsPaths[file]})`)
    this.out('\nReady.')
    noteMissingProgram(this, command)
  },
  parameters: {
    flags: {
      agent: {
        kind: 'parsed',
        parse: String,
        variadic: ',',
        optional: true,
        brief: 'Agent to install hooks for; may be repeated',
        placeholder: 'name',
      },
      local: said('Save to .entire/settings.local.json (yours alone)'),
      project: said('Save to .entire/settings.json (committed with the project)'),
      strategy: value('name', `How work is saved: ${strategies.join(' or ')}`),
      force: said('Install hooks anew even if they are there'),
      skipPushSessions: said('Do not push checkpoints along with `git push`'),
      absoluteGitHookPath: said('Hooks call this program by its absolute path'),
      yes: said('Ask nothing; take what is detected'),
      telemetry: { kind: 'boolean', optional: true, hidden: true, brief: 'Accepted for old scripts; nothing is ever sent' },
    },
    aliases: { f: 'force', y: 'yes' },
  },
  docs: {
    brief: 'Start recording in this repository',
    fullDescription: formatManual({
      text: [
        'Installs hooks for your agents and for git, writes the settings, and creates the branch entire/checkpoints/v1.',
        'Hooks of other tools are kept and still run. Running it again repairs what is missing and changes nothing else.',
        'Without --agent, agents are asked for; without a terminal, those detected in the repository are taken.',
      ],
      examples: [
        ['entire enable', 'ask which agents to record'],
        ['entire enable --agent claude-code --agent gemini', 'without questions'],
        ['entire enable --local --skip-push-sessions', 'only for yourself, checkpoints stay on this machine'],
        ['entire enable --absolute-git-hook-path', 'when `entire` is not on the PATH of git or of the agent'],
      ],
    }),
  },
})

function planChanges(flags: EnableFlags): JsonObject {
  if (flags.local && flags.project) throw new EntireError('bad-usage', 'cannot specify both --project and --local')
  if (flags.strategy !== undefined && !strategies.includes(flags.strategy as StrategyName)) {
    throw new EntireError('bad-usage', `unknown strategy: ${flags.strategy} (use ${strategies.join(' or ')})`)
  }
  return {
    ...(flags.strategy === undefined ? {} : { strategy: flags.strategy }),
    ...(flags.skipPushSessions ? { strategy_options: { push_sessions: false } } : {}),
    ...(flags.absoluteGitHookPath ? { absolute_git_hook_path: true } : {}),
  }
}

function whereTo(flags: EnableFlags): SettingsFile | undefined {
  if (flags.local) return 'local'
  return flags.project || flags.agent !== undefined ? 'project' : undefined
}

function printComplete(cli: Cli, repo: Repo, { agents }: HookHealth): void {
  const files = settingsFiles(repo.root).map((file) => settingsPaths[file])
  cli.out('Already enabled. Everything looks good.\n')
  cli.out(`  Agent: ${agents.map((agent) => agent.type).join(', ')}`)
  cli.out(`  Config: ${files.join(', ')}`)
}

async function noteEmptyRepo(cli: Cli, repo: Repo): Promise<void> {
  if ((await readLog(repo, ['-1', 'HEAD'])).length > 0) return
  cli.out('Note: This repository has no commits yet. Entire will be configured, but')
  cli.out("session checkpoints won't work until you create your first commit.\n")
}

function noteMissingProgram(cli: Cli, command: string): void {
  if (Bun.which(command, { PATH: cli.env.PATH ?? '' }) !== null) return
  cli.note(`\nNote: \`${command}\` is not on the PATH, so hooks cannot find it and nothing will be recorded.`)
  cli.note('hint: Put it there (in a checkout: `npm link`), or run `entire enable --absolute-git-hook-path`.')
}

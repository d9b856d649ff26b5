// Defines `entire enable`, which installs the hooks of agents and git and writes the settings, or repairs
// them.

import { buildCommand } from '@stricli/core'
import { findOldGit, installGitHint } from '../../git/exec.ts'
import type { Repo } from '../../git/repo.ts'
import type { Agent } from '../../model/agent.ts'
import { type SettingsFile, strategies } from '../../model/settings.ts'
import { isSetUp, readRawSettings, readSettings, settingsFiles, settingsPaths } from '../../settings/read.ts'
import { type Changes, ensureEntireDir } from '../../settings/write.ts'
import { cannotCombine, EntireError, invalidValue, useOneOf } from '../../std/errors.ts'
import { given } from '../../std/given.ts'
import { formatJson } from '../../std/json.ts'
import { formatManual, requireBackend, switchFlag, valueFlag } from '../command-parts.ts'
import { type Cli, hookProgram, requireRepo } from '../context.ts'
import { loadExternalAgents } from '../external-agents.ts'
import { clean } from '../render/text.ts'
import { noteWidth, wrapLines } from '../wrap-help.ts'
import type { RemoteChange } from './checkpoint-remote.ts'
import {
  askForAgents,
  detectedAgents,
  namedAgents,
  noteAbsent,
  proposedAgents,
  unknownAgentToEnable,
} from './choose-agents.ts'
import { type HookHealth, isHealthy, noHealth, readHookHealth } from './health.ts'
import {
  ensureMetadataBranch,
  installAgent,
  installGitHooks,
  noteMissingProgram,
  noteObstacles,
  saveSettings,
  uninstallAgent,
} from './setup.ts'

interface EnableFlags {
  agent?: readonly string[]
  local?: boolean
  project?: boolean
  strategy?: string
  skipPushSessions?: boolean
  checkpointRemote?: string
  checkpointBackend?: string
  absoluteGitHookPath?: boolean
  all?: boolean
  telemetry?: boolean
  localDev?: boolean
  ignoreUntracked?: boolean
  force?: boolean
  yes?: boolean
  json?: boolean
}

export const enableCommand = buildCommand<EnableFlags, [], Cli>({
  async func(flags) {
    const repo = requireRepo(this, 'enable')
    // With --json the only output is the object at the end.
    const cli: Cli = flags.json ? quiet(this) : this
    const report = await enable(cli, repo, flags)
    if (flags.json) this.process.stdout.write(formatJson(report))
  },
  parameters: {
    flags: {
      agent: {
        kind: 'parsed',
        parse: String,
        variadic: ',',
        optional: true,
        brief: 'Agent to install hooks for; repeat the flag, or separate names with commas',
        placeholder: 'agent',
      },
      local: switchFlag('Save to .entire/settings.local.json (for you alone)'),
      project: switchFlag('Save to .entire/settings.json (committed with the project)'),
      strategy: valueFlag(
        'strategy',
        `Who commits: you (${strategies[0]}), or entire after each turn (${strategies[1]})`,
      ),
      force: switchFlag('Reinstall hooks that are already installed'),
      skipPushSessions: switchFlag('Do not push checkpoints with `git push`'),
      checkpointRemote: valueFlag(
        'remote',
        'Push checkpoints to this place: the name of a git remote, a URL, or for example github:owner/repo',
      ),
      checkpointBackend: valueFlag(
        'backend',
        'Store checkpoints on one branch (branch), or in one ref each (refs)',
      ),
      absoluteGitHookPath: switchFlag('Call this program by its absolute path in hooks'),
      all: switchFlag('Install hooks for all agents that are used here, plugins included'),
      yes: switchFlag('Do not ask; use the agents that are installed or detected'),
      json: switchFlag('Print what was done as JSON'),
      // This program has no telemetry; the reference program reads the setting.
      telemetry: { kind: 'boolean', optional: true, hidden: true, brief: 'For the reference program' },
      localDev: { ...switchFlag('For the reference program'), hidden: true },
      ignoreUntracked: { ...switchFlag('For the reference program'), hidden: true },
    },
    aliases: { a: 'all', f: 'force', y: 'yes' },
  },
  docs: {
    brief: 'Start recording in this repository',
    fullDescription: formatManual({
      text: [
        'Installs hooks for your agents and for git, writes the settings, and creates the branch entire/checkpoints/v1.',
        'Hooks of other tools stay and still run. Running the command again repairs what is missing and changes nothing else.',
        'Without --agent, it asks which agents to record; without a terminal, it uses those installed or detected here.',
        'It says where `git push` will take checkpoints; where it asks for the agents, it asks about that first.',
        'Deselecting an agent removes its hooks. `entire agent` does the same by name; `entire configure` changes settings.',
      ],
      examples: [
        ['entire enable', 'ask which agents to record'],
        ['entire enable --agent claude-code --agent gemini', 'without questions'],
        [
          'entire enable --local --skip-push-sessions',
          'for you alone, with checkpoints only on this machine',
        ],
        [
          'entire enable --checkpoint-remote github:acme/private',
          'keep checkpoints out of a public repository',
        ],
        ['entire enable --absolute-git-hook-path', 'when `entire` is not on the PATH of git or of the agent'],
      ],
    }),
  },
})

interface Report {
  enabled: true
  agents: { name: string; type: string; hooks_added: number }[]
  removed: string[]
  git_hooks: string[]
  settings: string[]
}

/** Flags of the reference program that mean nothing here. */
const withoutEffect = [
  { name: 'localDev', text: '--local-dev', why: 'hooks call this program' },
  {
    name: 'ignoreUntracked',
    text: '--ignore-untracked',
    why: "files that were there before are never the agent's",
  },
] as const

/** Undefined when the person cancelled the question and nothing was changed. */
async function enable(cli: Cli, repo: Repo, flags: EnableFlags): Promise<Report | undefined> {
  await requireGit(repo)
  const { changes, localChanges } = await planSettings(repo, flags)
  if (flags.all && flags.agent) throw cannotCombine(['--all', '--agent'])
  for (const flag of withoutEffect.filter(({ name }) => flags[name]))
    cli.note(`Note: ${flag.text} has no effect: ${flag.why}.`)
  const named = flags.agent && (await namedAgents(cli, repo, flags.agent, unknownAgentToEnable))
  if (named === undefined) await loadExternalAgents(repo, cli.env, { refresh: true })
  await noteAbsent(cli, repo, named ?? [])
  const before = readSettings(repo.root)
  const wasSetUp = isSetUp(repo.root)
  // Who names agents does not ask about the others.
  const health = named === undefined ? await readHookHealth(cli, repo, before) : noHealth
  const changesSettings = Object.keys(changes).length + Object.keys(localChanges).length > 0
  const isComplete =
    wasSetUp && isHealthy(health) && named === undefined && !flags.all && !flags.force && !changesSettings
  if (isComplete && before.enabled) return await printComplete(cli, repo, health)
  const isQuiet = flags.yes || flags.all || flags.json || !cli.interactive
  const mustAsk =
    named === undefined && !isQuiet && !isComplete && !(changesSettings && health.agents.length > 0)
  const agents = mustAsk
    ? await askForAgents(cli, repo, health.agents)
    : (named ??
      (await proposedAgents(cli, repo, flags.all ? await detectedAgents(cli, repo) : health.agents)))
  if (agents === undefined) return void cli.out('Nothing was changed.')
  const { askToPush, describePush } = await import('./where-checkpoints-go.ts')
  const mayPush =
    mustAsk && !wasSetUp && !changesSettings ? await askToPush(cli, repo, before) : ('push' as const)
  if (mayPush === 'cancelled') return void cli.out('Nothing was changed.')
  if (mayPush === 'keep') localChanges.strategy_options = { push_sessions: false }

  const command = hookProgram(
    { absoluteHookPath: flags.absoluteGitHookPath === true || before.absoluteHookPath },
    cli.program,
  )
  const report: Report = { enabled: true, agents: [], removed: [], git_hooks: [], settings: [] }
  if (wasSetUp && !before.enabled) cli.out('Entire is now enabled.')
  for (const agent of mustAsk ? health.agents.filter((installed) => !agents.includes(installed)) : []) {
    cli.out(`${agent.type} was deselected.`)
    await uninstallAgent(cli, repo, agent)
    report.removed.push(agent.name)
  }
  for (const agent of isComplete ? [] : agents) {
    const added = await installAgent(cli, repo, agent, {
      command,
      force: flags.force === true,
      implied: named === undefined && !mustAsk,
    })
    report.agents.push({ ...nameOf(agent), hooks_added: added })
  }
  ensureEntireDir(repo.root)
  const file = saveSettings(isComplete ? quiet(cli) : cli, repo, {
    file: settingsFileFor(flags),
    changes,
    localChanges,
    before,
  })
  report.settings = settingsFiles(repo.root).map((name) => settingsPaths[name])
  if (isComplete) return { ...report, agents: agents.map((agent) => ({ ...nameOf(agent), hooks_added: 0 })) }
  report.git_hooks = await installGitHooks(cli, repo, command)
  const { checkpointRemote, checkpointsBackend } = readSettings(repo.root)
  if (checkpointsBackend === 'git-branch')
    await ensureMetadataBranch(
      repo,
      cli.clock(),
      checkpointRemote?.kind === 'remote' ? checkpointRemote.name : 'origin',
    )
  cli.out(`✓ Project configured (${settingsPaths[file]})`)
  const where = await describePush(repo, readSettings(repo.root))
  cli.out(wrapLines(where, noteWidth(cli.size().columns)))
  cli.out('\nReady.')
  noteMissingProgram(cli, command)
  await noteObstacles(cli, repo, agents)
  return report
}

// With an older one every hook would fail, and only the log would tell.
async function requireGit(repo: Repo): Promise<void> {
  const version = await findOldGit(repo)
  if (version !== undefined)
    throw new EntireError('no-git', `This git is too old to record anything: ${version}.`, {
      hint: installGitHint,
    })
}

/** `localChanges` always go into the local file. */
async function planSettings(
  repo: Repo,
  flags: EnableFlags,
): Promise<{ changes: Changes; localChanges: Changes }> {
  if (flags.local && flags.project) throw cannotCombine(['--project', '--local'])
  if (flags.strategy !== undefined && !strategies.some((name) => name === flags.strategy))
    throw invalidValue(clean(flags.strategy), '--strategy', useOneOf(strategies))
  const remote =
    flags.checkpointRemote === undefined ? undefined : await planRemote(repo, flags.checkpointRemote, flags)
  const file = flags.project ? 'project' : flags.local ? 'local' : undefined
  const changes: Changes = {
    // A file that the person names should enable recording, even if the other file already does.
    ...(file !== undefined && readRawSettings(repo.root, file).enabled === false ? { enabled: true } : {}),
    ...given({ strategy: flags.strategy }),
    ...(flags.absoluteGitHookPath ? { absolute_git_hook_path: true } : {}),
  }
  if (flags.telemetry !== undefined) changes.telemetry = flags.telemetry
  if (flags.checkpointBackend !== undefined)
    changes.checkpoints = {
      primary: { type: requireBackend(flags.checkpointBackend, '--checkpoint-backend') },
    }
  const options: Changes = {
    ...(flags.skipPushSessions ? { push_sessions: false } : {}),
    ...(remote !== undefined && !remote.onlyLocal ? remote.options : {}),
  }
  if (Object.keys(options).length > 0) changes.strategy_options = options
  return { changes, localChanges: remote?.onlyLocal ? { strategy_options: remote.options } : {} }
}

async function planRemote(repo: Repo, text: string, { project }: EnableFlags): Promise<RemoteChange> {
  const { planCheckpointRemote, rejectSharedUrl } = await import('./checkpoint-remote.ts')
  const remote = await planCheckpointRemote(repo, text)
  return remote.onlyLocal && project ? rejectSharedUrl() : remote
}

/** Undefined when no flag decides. */
function settingsFileFor(flags: EnableFlags): SettingsFile | undefined {
  if (flags.local) return 'local'
  return flags.project || flags.agent !== undefined ? 'project' : undefined
}

async function printComplete(cli: Cli, repo: Repo, { agents, watched }: HookHealth): Promise<Report> {
  const files = settingsFiles(repo.root).map((file) => settingsPaths[file])
  cli.out('Already enabled. Everything looks good.\n')
  cli.out(
    `  Agent: ${[...agents.map(({ type }) => type), ...watched.map(({ type }) => `${type} (entire watch)`)].join(', ')}`,
  )
  cli.out(`  Config: ${files.join(', ')}`)
  const others = (await detectedAgents(cli, repo)).filter((agent) => !agents.includes(agent))
  if (others.length > 0)
    cli.note(
      `\nhint: Also used here: ${others.map((agent) => agent.type).join(', ')}. To record: \`entire agent add ${others.map((agent) => agent.name).join(' ')}\`.`,
    )
  await noteObstacles(cli, repo, agents)
  return {
    enabled: true,
    agents: agents.map((agent) => ({ ...nameOf(agent), hooks_added: 0 })),
    removed: [],
    git_hooks: [],
    settings: files,
  }
}

function nameOf({ name, type }: Agent): { name: string; type: string } {
  return { name, type }
}

function quiet(cli: Cli): Cli {
  return { ...cli, out: () => {} }
}

// Sets up a repository: the steps that enable, disable, configure, agent and doctor share.

import { join } from 'node:path'
import { agents } from '../../agents/all.ts'
import { metadataBranch, metadataRef } from '../../checkpoints/layout.ts'
import { readConfig } from '../../git/config.ts'
import { startFastImport } from '../../git/fast-import.ts'
import {
  findHookManagers,
  findHooksDirWarning,
  hookManagerHint,
  requireHooksInside,
} from '../../git/hooks/files.ts'
import { installHooks } from '../../git/hooks/install.ts'
import { listRefs, moveRefs } from '../../git/refs.ts'
import type { Repo } from '../../git/repo.ts'
import type { Agent, HookInstaller, HookSite } from '../../model/agent.ts'
import type { Settings, SettingsFile } from '../../model/settings.ts'
import { sweepSetup } from '../../recording/housekeeping.ts'
import { originalsDir } from '../../sessions/places.ts'
import { readSettings, settingsFiles, settingsPaths } from '../../settings/read.ts'
import { type Changes, changeSettings, ensureEntireDir, findOverridden } from '../../settings/write.ts'
import { removeAbandonedCopies } from '../../std/abandoned.ts'
import { EntireError } from '../../std/errors.ts'
import type { Cli } from '../context.ts'
import { clean } from '../render/text.ts'
import { exclude, includeAgain } from './exclude.ts'

export type HookedAgent = Agent & { installer: HookInstaller }

/** The agents that hooks can be installed for. */
export function hookedAgents(): HookedAgent[] {
  return agents.filter((agent): agent is HookedAgent => agent.installer !== undefined)
}

/** The agents without hooks that are used here: `entire watch` records them. */
export async function findWatchedAgents(repo: Repo): Promise<Agent[]> {
  const candidates = agents.filter((agent) => agent.installer === undefined && agent.watcher !== undefined)
  const detected = await Promise.all(candidates.map((agent) => agent.detect(repo.root)))
  return candidates.filter((_, index) => detected[index])
}

/** Each work tree has its own settings files of agents; their originals are kept in its own git directory. */
export function hookSite(repo: Repo): HookSite {
  return { root: repo.root, keepDir: originalsDir(repo) }
}

export async function findInstalledAgents(repo: Repo): Promise<HookedAgent[]> {
  return (await readAgentHooks(repo)).flatMap(({ agent, installed }) => (installed === true ? agent : []))
}

export interface AgentHooksState {
  agent: HookedAgent
  /** The error when the plugin of an external agent could not tell. */
  installed: boolean | EntireError
}

export async function readAgentHooks(repo: Repo): Promise<AgentHooksState[]> {
  return await Promise.all(
    hookedAgents().map(async (agent) => ({
      agent,
      installed: await agent.installer.installed(hookSite(repo)).catch((error: unknown) => {
        if (error instanceof EntireError && agent.executable !== undefined) return error
        throw error
      }),
    })),
  )
}

/**
 * Creates the branch for checkpoints, from the remote's if there is one, so that clones share one history.
 */
export async function ensureMetadataBranch(repo: Repo, now: Date, remoteName = 'origin'): Promise<void> {
  const remoteRef = `refs/remotes/${remoteName}/${metadataBranch}`
  const refs = await listRefs(repo, metadataRef, remoteRef)
  if (refs.some(({ ref }) => ref === metadataRef)) return
  const remote = refs.find(({ ref }) => ref === remoteRef)
  if (remote !== undefined) return moveRefs(repo, [{ ref: metadataRef, to: remote.oid, from: undefined }])
  const save = startFastImport(repo)
  save.commit({
    ref: metadataRef,
    parent: undefined,
    message:
      'Initialize metadata branch\n\nThis branch stores the sessions of coding agents, one directory per checkpoint.\n',
    author: (await readConfig(repo)).author,
    seconds: Math.floor(now.getTime() / 1000),
    changes: [],
  })
  await save.finish()
}

/** Returns the number of hooks that were added. */
export async function addAgentHooks(
  repo: Repo,
  { installer }: HookedAgent,
  options: { command: string; force: boolean },
): Promise<number> {
  const added = await installer.install(hookSite(repo), options)
  if (installer.ownPath !== undefined) await exclude(repo, hookSite(repo), installer.ownPath)
  return added
}

export async function removeAgentHooks(repo: Repo, { installer }: HookedAgent): Promise<void> {
  await installer.uninstall(hookSite(repo))
  if (installer.ownPath !== undefined) includeAgain(repo, hookSite(repo), installer.ownPath)
}

/** Returns the number of hooks that were added. */
export async function installAgent(
  cli: Cli,
  repo: Repo,
  agent: Agent,
  options: { command: string; force: boolean; implied: boolean },
): Promise<number> {
  cli.out(`Agent: ${agent.type}${options.implied ? ' (use --agent to change)' : ''}`)
  if (agent.installer === undefined) {
    cli.out(`${agent.type} has no hooks. Run \`entire watch\` in a second terminal to record it.`)
    return 0
  }
  const added = await addAgentHooks(repo, agent as HookedAgent, options)
  if (agent.executable !== undefined) allowExternalAgents(cli, repo)
  cli.out(
    added > 0
      ? `Installed ${added} hooks for ${agent.description}`
      : `Hooks for ${agent.description} already installed`,
  )
  return added
}

// Otherwise its hooks would be called and refused. The person who named the agent trusts it; other people who
// work on the project decide for themselves, so the local file is changed.
function allowExternalAgents(cli: Cli, repo: Repo): void {
  if (readSettings(repo.root).externalAgents) return
  ensureEntireDir(repo.root)
  changeSettings(repo.root, 'local', { external_agents: true })
  cli.out(`External agents are now allowed here (${settingsPaths.local}).`)
}

export async function uninstallAgent(cli: Cli, repo: Repo, agent: HookedAgent): Promise<void> {
  await removeAgentHooks(repo, agent)
  cli.out(`Removed hooks for ${agent.description}`)
}

/** Removes what a killed `enable` has left under temporary names. */
export function sweepKilledSetup(repo: Repo): void {
  sweepSetup(repo)
  for (const { installer } of hookedAgents())
    for (const path of [installer.configPath, installer.ownPath ?? []].flat())
      removeAbandonedCopies(join(repo.root, path))
}

/** Returns the names of the hooks that were written. */
export async function installGitHooks(cli: Cli, repo: Repo, command: string): Promise<string[]> {
  const { hooksDir } = await readConfig(repo)
  requireHooksInside(hooksDir, repo)
  sweepKilledSetup(repo)
  const { written, backups, warnings } = installHooks(hooksDir, { command, program: cli.program })
  for (const backup of backups)
    cli.note(`[entire] Backed up existing ${backup.replace(/\.pre-entire.*$/, '')} to ${backup}`)
  const dirWarning = findHooksDirWarning(hooksDir, repo)
  for (const warning of [...warnings, ...(dirWarning === undefined ? [] : [dirWarning])])
    cli.note(`[entire] Warning: ${warning}`)
  if (written.length > 0) cli.out(`✓ Installed git hooks (${written.join(', ')})`)
  for (const manager of findHookManagers(repo.root))
    cli.note(`[entire] Note: ${hookManagerHint(manager, command)}`)
  return written
}

interface SettingsChange {
  /** Undefined: the project's file if it does not exist yet, else the local one. */
  file: SettingsFile | undefined
  changes: Changes
  /** Changes that always go into the local file. */
  localChanges: Changes
  before: Settings
}

/** Returns the file that was written, or that needed no change. */
export function saveSettings(
  cli: Cli,
  repo: Repo,
  { file: requested, changes, localChanges, before }: SettingsChange,
): SettingsFile {
  const hasProject = settingsFiles(repo.root).includes('project')
  const file = requested ?? (hasProject ? 'local' : 'project')
  const base: Changes = hasProject
    ? { ...(before.enabled ? {} : { enabled: true }) }
    : { strategy: before.strategy, enabled: true }
  const all = { ...base, ...changes }
  const needsNoChange = Object.keys(all).length === 0
  if (!needsNoChange) {
    if (requested === undefined && hasProject) {
      cli.out('Info: Project settings exist. Saving to settings.local.json instead.')
      cli.out('  Use --project to update the project settings file.')
    }
    changeSettings(repo.root, file, all)
  }
  if (Object.keys(localChanges).length > 0) changeSettings(repo.root, 'local', localChanges)
  // The local file may still disable recording, and it overrides the project's.
  if (!readSettings(repo.root).enabled) changeSettings(repo.root, 'local', { enabled: true })
  if (file === 'project') noteOverridden(cli, repo, changes)
  return needsNoChange ? (requested ?? 'project') : file
}

export function noteOverridden(cli: Cli, repo: Repo, changes: Changes): void {
  const keys = findOverridden(repo.root, changes)
  if (keys.length > 0) cli.note(`Note: ${settingsPaths.local} overrides this here: ${keys.join(', ')}`)
}

export function noteMissingProgram(cli: Cli, command: string): void {
  if (Bun.which(command, { PATH: cli.env.PATH ?? '' }) !== null) return
  cli.note(`\nNote: \`${command}\` is not on the PATH, so hooks cannot find it and nothing will be recorded.`)
  cli.note(
    'hint: Add it to the PATH (in a checkout: `npm link`), or run `entire enable --absolute-git-hook-path`.',
  )
}

/** Says what keeps installed hooks from running, such as a folder that is not trusted yet. */
export async function noteObstacles(cli: Cli, repo: Repo, agents: Agent[]): Promise<void> {
  for (const agent of agents) {
    const obstacle = await agent.findObstacle?.(repo.root, cli.env)
    if (obstacle === undefined) continue
    cli.note(`\nNote: ${clean(obstacle.message)}`)
    cli.note(`hint: ${clean(obstacle.fix)}`)
  }
}

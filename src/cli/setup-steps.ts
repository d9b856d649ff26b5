// The steps of `entire enable` that change something and say so.
import { readConfig } from '../git/config.ts'
import { findHooksDirWarning } from '../git/hook-dir.ts'
import { findHookManagers, hookManagerHint } from '../git/hook-managers.ts'
import { installHooks } from '../git/hooks.ts'
import type { Repo } from '../git/repo.ts'
import type { Settings } from '../model/settings.ts'
import { readSettings, type SettingsFile, settingsFiles, writeSetting } from '../session/settings.ts'
import type { JsonObject } from '../std/json.ts'
import type { Cli } from './context.ts'
import { type HookedAgent, hookSite } from './setup.ts'

export async function installAgent(
  cli: Cli,
  repo: Repo,
  agent: HookedAgent,
  options: { command: string; force: boolean; implied: boolean },
): Promise<void> {
  cli.out(`Agent: ${agent.type}${options.implied ? ' (use --agent to change)' : ''}`)
  const added = await agent.installer.install(hookSite(repo), options)
  cli.out(added > 0 ? `Installed ${added} hooks for ${agent.description}` : `Hooks for ${agent.description} already installed`)
}

export async function installGitHooks(cli: Cli, repo: Repo, command: string): Promise<void> {
  const { hooksDir } = await readConfig(repo)
  const { written, backups, warnings } = installHooks(hooksDir, { command })
  for (const backup of backups) cli.note(`[entire] Backed up existing ${backup.replace(/\.pre-entire.*$/, '')} to ${backup}`)
  const shared = findHooksDirWarning(hooksDir, repo)
  for (const warning of [...warnings, ...(shared === undefined ? [] : [shared])]) cli.note(`[entire] Warning: ${warning}`)
  if (written.length > 0) cli.out(`✓ Installed git hooks (${written.join(', ')})`)
  for (const manager of findHookManagers(repo.root)) cli.note(`[entire] Note: ${hookManagerHint(manager, command)}`)
}

interface SettingsChange {
  /** Undefined: the project's file if there is none yet, else the user's own. */
  where: SettingsFile | undefined
  changes: JsonObject
  before: Settings
}

export function saveSettings(cli: Cli, repo: Repo, { where, changes, before }: SettingsChange): SettingsFile {
  const hasProject = settingsFiles(repo.root).includes('project')
  const file = where ?? (hasProject ? 'local' : 'project')
  const base: JsonObject = hasProject ? { ...(before.enabled ? {} : { enabled: true }) } : { strategy: before.strategy, enabled: true }
  const all = { ...base, ...changes }
  if (Object.keys(all).length === 0) return where ?? 'project'
  if (where === undefined && hasProject) {
    cli.out('Info: Project settings exist. Saving to settings.local.json instead.')
    cli.out('  Use --project to update the project settings file.')
  }
  writeSetting(repo.root, file, all)
  // The local file wins: one that says no would undo what was just asked for.
  if (!readSettings(repo.root).enabled) writeSetting(repo.root, 'local', { enabled: true })
  return file
}

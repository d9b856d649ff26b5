// What the flags of `entire enable` ask to be written, checked before anything is changed.
import type { Repo } from '../git/repo.ts'
import { type SettingsFile, strategies } from '../model/settings.ts'
import { readRawSettings } from '../session/settings.ts'
import { EntireError } from '../std/errors.ts'
import type { RemoteChange } from './checkpoint-remote-choice.ts'
import { clean } from './render/text.ts'
import type { Changes } from './settings-file.ts'

export interface SetupFlags {
  agent?: readonly string[]
  local?: boolean
  project?: boolean
  strategy?: string
  skipPushSessions?: boolean
  checkpointRemote?: string
  absoluteGitHookPath?: boolean
}

/** `own`: what goes into the user's own file, wherever the rest goes. */
export async function planSettings(repo: Repo, flags: SetupFlags): Promise<{ changes: Changes; own: Changes }> {
  if (flags.local && flags.project) throw new EntireError('bad-usage', 'cannot specify both --project and --local')
  if (flags.strategy !== undefined && !strategies.some((name) => name === flags.strategy)) {
    throw new EntireError('bad-usage', `unknown strategy: ${clean(flags.strategy)} (use ${strategies.join(' or ')})`)
  }
  const remote = flags.checkpointRemote === undefined ? undefined : await planRemote(repo, flags.checkpointRemote, flags)
  const file = flags.project ? 'project' : flags.local ? 'local' : undefined
  const changes: Changes = {
    // A file that is named is to say yes, even where the other one does already.
    ...(file !== undefined && readRawSettings(repo.root, file).enabled === false ? { enabled: true } : {}),
    ...(flags.strategy === undefined ? {} : { strategy: flags.strategy }),
    ...(flags.absoluteGitHookPath ? { absolute_git_hook_path: true } : {}),
  }
  const options: Changes = {
    ...(flags.skipPushSessions ? { push_sessions: false } : {}),
    ...(remote !== undefined && !remote.onlyLocal ? remote.options : {}),
  }
  if (Object.keys(options).length > 0) changes.strategy_options = options
  return { changes, own: remote?.onlyLocal ? { strategy_options: remote.options } : {} }
}

async function planRemote(repo: Repo, text: string, { project }: SetupFlags): Promise<RemoteChange> {
  const { planCheckpointRemote, requireLocal } = await import('./checkpoint-remote-choice.ts')
  const remote = await planCheckpointRemote(repo, text)
  return remote.onlyLocal && project ? requireLocal() : remote
}

/** Undefined: wherever such settings go by themselves. */
export function whereTo(flags: SetupFlags): SettingsFile | undefined {
  if (flags.local) return 'local'
  return flags.project || flags.agent !== undefined ? 'project' : undefined
}

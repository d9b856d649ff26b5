// Defines the settings. settings/read.ts reads them from their files.
import type { LogLevel } from '../std/log.ts'

export const strategies = ['manual-commit', 'auto-commit'] as const
export type StrategyName = (typeof strategies)[number]

/** The project's file is committed; the local one is the user's own and wins key by key. */
export type SettingsFile = 'project' | 'local'

export interface RedactionRule {
  label: string
  regex: string
}

/** Where checkpoints are pushed, if not to where the user pushes. */
export type CheckpointRemote =
  | { kind: 'hosted'; provider: HostingProvider; repo: string }
  | { kind: 'remote'; name: string }
  | { kind: 'url'; url: string }
  /** An invalid setting: nothing is pushed, because the target is not known. */
  | { kind: 'refused'; why: string }

export const providerHosts = {
  github: 'github.com',
  gitlab: 'gitlab.com',
  bitbucket: 'bitbucket.org',
  codeberg: 'codeberg.org',
} as const

export type HostingProvider = keyof typeof providerHosts

export interface Settings {
  enabled: boolean
  strategy: StrategyName
  logLevel: LogLevel
  pushSessions: boolean
  checkpointRemote?: CheckpointRemote
  externalAgents: boolean
  commitLinking: 'always' | 'prompt'
  absoluteHookPath: boolean
  checkpointsBackend: 'git-branch' | 'git-refs'
  /** How many bytes of untracked files a step holds; what exceeds it is left out. */
  maxUntrackedBytes: number
  redaction: { emails: boolean; phones: boolean; rules: RedactionRule[] }
  /** The agent that writes summaries, by its name, and a model by the agent's name for it. */
  summary: { provider?: string; model?: string; timeoutSeconds: number }
}

export const megabyte = 1024 * 1024

export const defaultSettings: Settings = {
  enabled: true,
  strategy: 'manual-commit',
  logLevel: 'info',
  pushSessions: true,
  externalAgents: false,
  commitLinking: 'always',
  absoluteHookPath: false,
  checkpointsBackend: 'git-branch',
  maxUntrackedBytes: 200 * megabyte,
  redaction: { emails: false, phones: false, rules: [] },
  summary: { timeoutSeconds: 120 },
}

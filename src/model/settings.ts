// Settings as the rest of the program sees them. Files and merging are in session/settings.ts.
import type { LogLevel } from '../std/log.ts'

export const strategies = ['manual-commit', 'auto-commit'] as const
export type StrategyName = (typeof strategies)[number]

export interface RedactionRule {
  label: string
  regex: string
}

export interface Settings {
  enabled: boolean
  strategy: StrategyName
  logLevel: LogLevel
  pushSessions: boolean
  externalAgents: boolean
  commitLinking: 'always' | 'prompt'
  absoluteHookPath: boolean
  checkpointsBackend: 'git-branch' | 'git-refs'
  redaction: { emails: boolean; phones: boolean; rules: RedactionRule[] }
}

export const defaultSettings: Settings = {
  enabled: true,
  strategy: 'manual-commit',
  logLevel: 'info',
  pushSessions: true,
  externalAgents: false,
  commitLinking: 'prompt',
  absoluteHookPath: false,
  checkpointsBackend: 'git-branch',
  redaction: { emails: false, phones: false, rules: [] },
}

// Defines what a checkpoint holds. Its paths are in checkpoints/layout.ts, its file format in
// checkpoints/record.ts.
import type { TokenUsage } from './tokens.ts'

export interface Attribution {
  calculatedAt: string
  agentLines: number
  agentRemoved: number
  humanAdded: number
  humanModified: number
  humanRemoved: number
  totalCommitted: number
  totalLinesChanged: number
  agentPercentage: number
}

export interface CheckpointSummary {
  intent: string
  outcome: string
  learnings: {
    repo: string[]
    code: { path: string; line?: number; endLine?: number; finding: string }[]
    workflow: string[]
  }
  friction: string[]
  openItems: string[]
}

/** One session's part of a checkpoint. */
export interface SessionRecord {
  cliVersion?: string
  checkpoint: string
  session: string
  strategy: string
  createdAt: string
  branch?: string
  steps: number
  files: string[]
  /** Those of them that a session at work at the same time may have changed instead. */
  sharedFiles?: string[]
  agent?: string
  model?: string
  turnId?: string
  isTask?: boolean
  toolUse?: string
  transcriptIdAtStart?: string
  transcriptStart: number
  tokens?: TokenUsage
  summary?: CheckpointSummary
  attribution?: Attribution
  /** How often each rule has redacted something of the transcript. */
  redactions?: Record<string, number>
  /** The live transcript, relative to the home directory. */
  transcriptPath?: string
}

/** The head of a checkpoint: the union of its sessions. */
export interface CheckpointRecord {
  cliVersion?: string
  checkpoint: string
  strategy: string
  branch?: string
  steps: number
  files: string[]
  sessionCount: number
  tokens?: TokenUsage
}

export const checkpointIdPattern = /^(?:[0-9a-f]{12}|[0-9A-HJKMNP-TV-Z]{26})$/

export function isCheckpointId(text: string): boolean {
  return checkpointIdPattern.test(text)
}

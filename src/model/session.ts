// Defines a session as it is kept between events. Its file format is in sessions/state-format.ts.
import type { Json, JsonObject } from '../std/json.ts'
import type { TokenUsage } from './tokens.ts'

export const phases = ['idle', 'active', 'active_committed', 'ended'] as const
export type Phase = (typeof phases)[number]

/** The lines a user changed between two turns, measured when the second one starts. */
export interface PromptAttribution {
  number: number
  userAdded: number
  userRemoved: number
  agentAdded: number
  agentRemoved: number
  userAddedPerFile: Record<string, number>
}

/** One stored chunk of the redacted transcript. Chunks join with a newline. */
export interface StoredChunk {
  oid: string
  bytes: number
}

/** How much of the transcript has been read and stored, so that a save reads only what was appended. */
export interface TranscriptCursor {
  path: string
  /** Raw bytes read, always up to a line boundary. */
  bytes: number
  /** Lines or messages read: the public position. */
  items: number
  /** Hash of the last bytes before the position, which tells growth from rewriting. */
  seal: string
  chunks: StoredChunk[]
  /** Saved sha256 state over the redacted transcript. */
  hash: string
  /** The bytes of the redacted transcript that the state covers. */
  hashed: number
  /** Hex sha256 over the redacted transcript, set when only the agent can join its chunks. */
  digest?: string
  carry?: JsonObject
  /** Bytes that were there and are not read yet: a long transcript is read in pieces. */
  behind?: number
  /** Nothing before this byte counts: it was said before recording began. */
  ignored?: number
  /** How often each rule has redacted something of the transcript. */
  redactions?: Record<string, number>
}

/**
 * Where the recording of a session began in its transcript: what comes before is stored, but neither counted
 * nor shown as the session's own.
 */
export interface RecordingStart {
  bytes: number
  /** The position that the agent itself gave. */
  position: number
  /** Usage until then, of agents that keep totals of it. */
  totals?: TokenUsage
  /** What comes before is not this session's work: copied from another one, or older than the watcher. */
  isCopy?: boolean
}

/** A turn since the last checkpoint whose work is not committed, or only in part. */
export interface TurnNote {
  id: string
  /** Public transcript position where it begins. */
  start: number
  files: string[]
  /** When it began, in milliseconds. */
  at: number
  /** The number of the step that it makes, if it makes one. */
  number: number
  /** A commit with the state before it, unless that is a step, which names the turn. */
  before?: string
  /** A hash of its redacted prompt. */
  prompt?: string
  /** The entry of the transcript with its prompt, and the one that it follows. */
  entry?: string
  follows?: string
  tokens?: TokenUsage
}

export interface Session {
  id: string
  cliVersion: string
  baseCommit: string
  attributionBase: string
  worktreePath: string
  worktreeId: string
  startedAt: string
  endedAt?: string
  phase: Phase
  turnId?: string
  /** Checkpoints written during the current turn; finalised when it ends. */
  turnCheckpoints: string[]
  /** The tokens of the session in the last of them. */
  turnTokens?: TokenUsage
  lastInteraction?: string
  stepCount: number
  /** Public transcript position where the next checkpoint begins. */
  transcriptStart: number
  untrackedAtStart: string[]
  filesTouched: string[]
  /** Those of them that another session may have changed instead: nothing tells which. */
  sharedFiles: string[]
  lastCheckpoint?: string
  agentType: string
  model?: string
  tokens?: TokenUsage
  /** Tokens since the last checkpoint. */
  checkpointTokens?: TokenUsage
  transcriptIdAtStart?: string
  recordedFrom?: RecordingStart
  transcriptPath?: string
  firstPrompt?: string
  lastPrompt?: string
  turnCount: number
  /** The turns since the last checkpoint, and earlier ones that have files left. */
  turns: TurnNote[]
  promptAttributions: PromptAttribution[]
  pendingAttribution?: PromptAttribution
  fullyCondensed: boolean
  previousSession?: string
  metadata?: Record<string, string>
  /** HEAD when the turn started or when the commit hook last ran; later commits were made without hooks. */
  turnHead?: string
  /** Files named by the transcript of this turn, as named there. */
  turnFiles: string[]
  cursor?: TranscriptCursor
  /** Fields of other versions of the program, kept as they are. */
  extra: Record<string, Json>
}

/** As people see it in lists and messages. */
export function shortSessionId(id: string): string {
  return id.slice(0, 8)
}

/** True while a turn is running. */
export function isActive(session: Pick<Session, 'phase'>): boolean {
  return session.phase === 'active' || session.phase === 'active_committed'
}

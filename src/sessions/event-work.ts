// Describes the work on one event: the session, its agent, and what recording needs of the world around it.

import type { WriteContext } from '../checkpoints/write.ts'
import type { Repo } from '../git/repo.ts'
import type { Agent, AgentCard } from '../model/agent.ts'
import type { AgentEvent } from '../model/event.ts'
import type { Session } from '../model/session.ts'
import type { Settings } from '../model/settings.ts'
import type { Environment } from '../std/environment.ts'
import type { Log, Trace } from '../std/log.ts'
import type { RandomHex } from '../std/random.ts'
import type { Clock } from '../std/time.ts'
import type { GitSession } from './git-session.ts'
import type { LiveIndex } from './live-index.ts'

export interface EventWork extends GitSession {
  recorder: Recorder
  agent: Agent
  event: AgentEvent
  session: Session
  live: LiveIndex
  /** Run once refs and state are written. */
  afterwards: (() => void | Promise<void>)[]
}

export interface Recorder {
  repo: Repo
  settings: Settings
  env: Environment
  home: string
  /** What git hooks call: `entire`, or an absolute path. */
  command: string
  /** Absolute path of this program, for git hooks whose PATH does not have it. */
  program: string
  cliVersion: string
  clock: Clock
  random: RandomHex
  log: Log
  trace: Trace
  /** Shows a line to the person at the terminal. */
  say(line: string): void
  /** Answers the agent that called the hook. */
  respond(text: string | Uint8Array): void
  agentCards(): AgentCard[]
  findAgentByType(type: string): Promise<Agent | undefined>
  loadAgents(): Promise<Agent[]>
  /** Loaded when something is about to be stored: most hooks store nothing. */
  redaction(): Promise<Redaction>
}

export interface Redaction {
  /** For transcripts and other JSON. Calls `found` with the rule of each secret it replaces. */
  json(text: string, found?: (rule: string) => void): string
  /** For plain text. */
  text(text: string): string
  /** For names of files and branches: only what a rule recognises, not what looks random. */
  name(text: string): string
}

/** What writing checkpoints needs of the event. */
export async function writeContext(
  work: Pick<EventWork, 'recorder' | 'objects' | 'writes' | 'config'>,
): Promise<WriteContext> {
  return {
    objects: work.objects,
    writes: work.writes(),
    author: (await work.config()).author,
    seconds: Math.floor(work.recorder.clock().getTime() / 1000),
    cliVersion: work.recorder.cliVersion,
  }
}

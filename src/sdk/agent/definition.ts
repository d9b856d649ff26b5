// What an author says about an agent. Capabilities are derived from it: what is not defined is not offered.

import type { PluginEvent } from '../../protocol/external-agent/event.ts'
import type { MessageInput } from '../../protocol/external-agent/messages.ts'
import type { Transcript } from './transcripts.ts'

export type HookInput = MessageInput['hook-input']
export type AgentSession = MessageInput['session']
type Eventually<Value> = Value | Promise<Value>

/** Where a call happens. Every call is a process of its own: nothing is remembered between two. */
export interface Context {
  /** Absolute path of the repository; also the current directory. */
  repoRoot: string
  home: string
  env: Record<string, string | undefined>
}

/** A payload as the agent sends it. Declare its fields in the parameter: `(payload: { session_id: string }) => …`. */
// biome-ignore lint/suspicious/noExplicitAny: the author knows the payloads, and gets to name their type.
export type HookReader = (payload: any, context: Context) => Eventually<PluginEvent | null>

export interface AgentHooks {
  /** What each hook means; null when it means nothing to a session. */
  events: Record<string, HookReader>
  /** Gives the number of hooks added: 0 when all were there, unless they were to be written again. */
  install(options: { force: boolean; localDev: boolean }, context: Context): Eventually<number>
  uninstall(context: Context): Eventually<void>
  installed(context: Context): Eventually<boolean>
}

export interface AgentSessions {
  /** Where the agent keeps the sessions of a repository. */
  dir(repoRoot: string, context: Context): string
  /** The file of a session in that directory, there already or to be. */
  file(dir: string, session: string): string
  /** Both have a default: the file holds the transcript and nothing else. */
  read?(input: HookInput, context: Context): Eventually<AgentSession>
  write?(session: AgentSession, context: Context): Eventually<void>
}

export interface AgentDefinition {
  /** The executable is called `entire-agent-<name>`. */
  name: string
  /** As shown to people and stored in checkpoints. */
  type: string
  description: string
  preview?: boolean
  /** Directories and files of the repository that belong to the agent: a rewind leaves them alone. */
  protectedDirs?: string[]
  protectedFiles?: string[]
  /** The agent runs in the user's terminal. */
  usesTerminal?: boolean
  /** Environment variables that only processes started by this agent have. */
  callerEnv?: string[]
  /** Whether the agent can be used in this repository. */
  detect(context: Context): Eventually<boolean>
  sessions: AgentSessions
  /** The session is quoted for a shell where it needs to be. */
  resumeCommand(session: string): string
  /** Without one, a transcript is bytes: stored, but not understood. */
  transcript?: Transcript
  hooks?: AgentHooks
  prepareTranscript?(path: string, context: Context): Eventually<void>
  generateText?(prompt: string, model: string, context: Context): Eventually<string>
  /** What a hook prints so that the user of the agent sees the message. */
  hookResponse?(message: string, context: Context): Eventually<string>
  /** The transcripts of subagents in their directory. */
  subagentTranscripts?(dir: string, context: Context): Eventually<string[]>
  compactTranscript?(path: string, context: Context): Eventually<MessageInput['compact-transcript']>
}

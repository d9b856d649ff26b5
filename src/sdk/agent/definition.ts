// Defines what an author writes to define an agent, and the failure that a plugin reports to its caller. The
// capabilities of the plugin follow from the definition.

import type { PluginEvent } from '../../protocol/external-agent/event.ts'
import type { MessageInput } from '../../protocol/external-agent/messages.ts'
import { type EntireError, messageWithHint } from '../../std/errors.ts'
import type { Transcript } from './transcripts.ts'

export type HookInput = MessageInput['hook-input']
export type AgentSession = MessageInput['session']
type Eventually<Value> = Value | Promise<Value>

/** Where a call happens. Every call is a process of its own, which remembers nothing of earlier ones. */
export interface AgentContext {
  /** Absolute path of the repository; also the current directory. */
  repoRoot: string
  home: string
  env: Record<string, string | undefined>
}

/**
 * A payload as the agent sends it. Declare its fields in the parameter: `(payload: { session_id: string }) =>
 * …`.
 */
// biome-ignore lint/suspicious/noExplicitAny: authors know their payloads and name the type.
export type HookReader = (payload: any, context: AgentContext) => Eventually<PluginEvent | null>

export interface AgentHooks {
  /** What each hook means; null when it means nothing to a session. */
  events: Record<string, HookReader>
  /** Returns the number of hooks added: 0 when all were installed, unless `force` writes them again. */
  install(options: { force: boolean; localDev: boolean }, context: AgentContext): Eventually<number>
  uninstall(context: AgentContext): Eventually<void>
  installed(context: AgentContext): Eventually<boolean>
}

export interface AgentSessions {
  /** Where the agent keeps the sessions of a repository. */
  dir(repoRoot: string, context: AgentContext): string
  /** The path of a session in that directory, whether the file exists or not. */
  file(dir: string, session: string): string
  /** The defaults of `read` and `write` take the file for the transcript. */
  read?(input: HookInput, context: AgentContext): Eventually<AgentSession>
  write?(session: AgentSession, context: AgentContext): Eventually<void>
}

export interface AgentDefinition {
  /** The executable is called `entire-agent-<name>`. */
  name: string
  /** The name that is shown to users and stored in checkpoints. */
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
  detect(context: AgentContext): Eventually<boolean>
  sessions: AgentSessions
  /** `session` is already quoted for a shell. */
  resumeCommand(session: string): string
  /** Without one, transcripts are stored as bytes and not analysed. */
  transcript?: Transcript
  hooks?: AgentHooks
  prepareTranscript?(path: string, context: AgentContext): Eventually<void>
  generateText?(prompt: string, model: string, context: AgentContext): Eventually<string>
  /** Returns what a hook prints so that the agent shows the message to its user. */
  hookResponse?(message: string, context: AgentContext): Eventually<string>
  /** The transcripts of subagents in their directory. */
  subagentTranscripts?(dir: string, context: AgentContext): Eventually<string[]>
  compactTranscript?(path: string, context: AgentContext): Eventually<MessageInput['compact-transcript']>
}

export class PluginError extends Error {
  override readonly name = 'PluginError'
}

/** The error for the caller, in the words that the program has for this kind of problem. */
export function pluginError(problem: EntireError): PluginError {
  return new PluginError(messageWithHint(problem))
}

/** For messages: control characters in names from outside become visible. */
export function escapeName(name: string): string {
  return JSON.stringify(String(name)).slice(1, -1)
}

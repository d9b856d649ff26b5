// Defines an agent and runs it as a process: the kit for authors of agent plugins, `entire-ts/agent-sdk`.

import type { Buffer } from 'node:buffer'
import { invalidValue } from '../std/errors.ts'
import { infoOf } from './agent/answers.ts'
import type { AgentDefinition } from './agent/definition.ts'
import { escapeName, pluginError } from './agent/definition.ts'
import { answerCall, type PluginCall, runPlugin } from './agent/program.ts'

export type { PluginEvent } from '../protocol/external-agent/event.ts'
export type {
  AgentContext as Context,
  AgentDefinition,
  AgentHooks,
  AgentSession,
  AgentSessions,
  HookInput,
  HookReader,
} from './agent/definition.ts'
export { PluginError } from './agent/definition.ts'
export { type SettingsHooks, settingsHooks } from './agent/settings-hooks.ts'
export type { ItemReader, Reading, TokenCount, TokenTotal, Transcript } from './agent/transcripts.ts'
export { jsonlTranscript, jsonTranscript, rawTranscript } from './agent/transcripts.ts'

export interface AgentPlugin {
  definition: AgentDefinition
  info: ReturnType<typeof infoOf>
  /** Answers one call without a process, for tests. */
  call(call: PluginCall): Promise<Buffer>
  /** Answers the call that this process was started for, and ends the process. */
  run(): Promise<never>
}

export function defineAgent(definition: AgentDefinition): AgentPlugin {
  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(definition.name)) {
    const hint = 'Use lowercase letters, digits and single hyphens.'
    throw pluginError(invalidValue(escapeName(definition.name), 'the name of an agent', hint))
  }
  return {
    definition,
    info: infoOf(definition),
    call: (call) => answerCall(definition, call),
    run: () => runPlugin(definition),
  }
}

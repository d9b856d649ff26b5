// The capabilities of an agent follow from what its author has defined.
import type { Answer } from '../../protocol/external-agent.ts'
import type { Capability } from '../../protocol/external-capabilities.ts'
import type { AgentDefinition } from './definition.ts'

const offers: Record<Capability, (agent: AgentDefinition) => boolean> = {
  hooks: (agent) => agent.hooks !== undefined,
  transcript_analyzer: (agent) => agent.transcript?.analyses === true,
  transcript_preparer: (agent) => agent.prepareTranscript !== undefined,
  token_calculator: (agent) => agent.transcript?.countsTokens === true,
  text_generator: (agent) => agent.generateText !== undefined,
  hook_response_writer: (agent) => agent.hookResponse !== undefined,
  subagent_aware_extractor: (agent) => agent.subagentTranscripts !== undefined,
  compact_transcript: (agent) => agent.compactTranscript !== undefined,
}

export function hasCapability(agent: AgentDefinition, capability: Capability): boolean {
  return offers[capability](agent)
}

export function infoOf(agent: AgentDefinition): Answer<'info'> {
  const declared = Object.fromEntries(Object.entries(offers).map(([capability, has]) => [capability, has(agent)]))
  return {
    protocol_version: 1,
    name: agent.name,
    type: agent.type,
    description: agent.description,
    is_preview: agent.preview ?? false,
    protected_dirs: agent.protectedDirs ?? [],
    ...(agent.protectedFiles === undefined ? {} : { protected_files: agent.protectedFiles }),
    hook_names: Object.keys(agent.hooks?.events ?? {}),
    capabilities: {
      ...(declared as Record<Capability, boolean>),
      ...(agent.usesTerminal === undefined ? {} : { uses_terminal: agent.usesTerminal }),
      ...(agent.callerEnv === undefined ? {} : { caller_env_vars: agent.callerEnv }),
    },
  }
}

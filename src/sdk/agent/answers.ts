// Answers every subcommand from the definition of an agent. One without an answer does not compile.

import { Buffer } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { formatEvent } from '../../protocol/external-agent/event.ts'
import type { Capability } from '../../protocol/external-agent/messages.ts'
import type {
  SubcommandAnswer,
  SubcommandArguments,
  SubcommandInput,
  SubcommandName,
} from '../../protocol/external-agent/table.ts'
import { invalidValue } from '../../std/errors.ts'
import { given } from '../../std/given.ts'
import type { AgentContext, AgentDefinition, AgentHooks } from './definition.ts'
import { PluginError, pluginError } from './definition.ts'
import {
  formatTokenTotals,
  readFileSession,
  readIfPresent,
  readSubagents,
  sessionPath,
  writeFileSession,
} from './session-file.ts'
import { rawTranscript } from './transcripts.ts'

interface SubcommandCall<Name extends SubcommandName> {
  agent: AgentDefinition
  args: SubcommandArguments<Name>
  input: SubcommandInput<Name>
  context: AgentContext
}

type SubcommandAnswers = {
  [Name in SubcommandName]: (
    question: SubcommandCall<Name>,
  ) => SubcommandAnswer<Name> | Promise<SubcommandAnswer<Name>>
}

export const subcommandAnswers: SubcommandAnswers = {
  info: ({ agent }) => infoOf(agent),
  detect: async ({ agent, context }) => ({ present: await agent.detect(context) }),
  'get-session-id': ({ input }) => ({ session_id: requireText(input.session_id, 'session_id') }),
  'get-session-dir': ({ agent, args, context }) => ({
    session_dir: agent.sessions.dir(args['repo-path'], context),
  }),
  'resolve-session-file': ({ agent, args }) => ({
    session_file: sessionPath(agent, args['session-dir'], args['session-id']),
  }),
  'read-session': async ({ agent, input, context }) => {
    requireText(input.session_id, 'session_id')
    return agent.sessions.read ? agent.sessions.read(input, context) : readFileSession(agent, input, context)
  },
  'write-session': async ({ agent, input, context }) => {
    requireText(input.session_id, 'session_id')
    if (agent.sessions.write) await agent.sessions.write(input, context)
    else writeFileSession(agent, input, context)
    return undefined
  },
  'read-transcript': ({ args }) => readFileSync(args['session-ref']),
  'chunk-transcript': ({ agent, args, input }) => {
    if (args['max-size'] === 0) throw pluginError(invalidValue('0', '--max-size', 'Use 1 or more.'))
    const chunks = (agent.transcript ?? rawTranscript).chunk(Buffer.from(input), args['max-size'])
    return { chunks: chunks.map((chunk) => chunk.toString('base64')) }
  },
  'reassemble-transcript': ({ agent, input }) => {
    if (!Array.isArray(input.chunks)) throw new PluginError('chunks must be a list')
    return (agent.transcript ?? rawTranscript).join(
      input.chunks.map((chunk) => decodeBase64(requireText(chunk, 'a chunk'))),
    )
  },
  'format-resume-command': ({ agent, args }) => ({
    command: agent.resumeCommand(quoteForShell(args['session-id'])),
  }),
  'parse-hook': async ({ agent, args, input, context }) => {
    const read = hooksOf(agent).events[args.hook]
    const payload = Buffer.from(input).toString('utf8').trim()
    const event =
      read === undefined || payload === '' ? null : await read(parsePayload(args.hook, payload), context)
    if (event === null) return null
    if (!event.session) throw new PluginError(`the payload of the hook ${args.hook} names no session`)
    return formatEvent(event)
  },
  'install-hooks': async ({ agent, args, context }) => {
    const options = { force: args.force, localDev: args['local-dev'] }
    return { hooks_installed: await hooksOf(agent).install(options, context) }
  },
  'uninstall-hooks': async ({ agent, context }) => {
    await hooksOf(agent).uninstall(context)
    return undefined
  },
  'are-hooks-installed': async ({ agent, context }) => ({
    installed: await hooksOf(agent).installed(context),
  }),
  'get-transcript-position': ({ agent, args }) => ({
    position: transcriptOf(agent).position(bytesOf(args.path)),
  }),
  'extract-modified-files': ({ agent, args }) => {
    const bytes = bytesOf(args.path)
    return {
      files: transcriptOf(agent).read(bytes, args.offset).files,
      current_position: transcriptOf(agent).position(bytes),
    }
  },
  'extract-prompts': ({ agent, args }) => ({
    prompts: transcriptOf(agent).read(bytesOf(args['session-ref']), args.offset).prompts,
  }),
  'extract-summary': ({ agent, args }) => {
    const { summary } = transcriptOf(agent).read(bytesOf(args['session-ref']), 0)
    return { summary: summary ?? '', has_summary: summary !== undefined }
  },
  'prepare-transcript': async ({ agent, args, context }) => {
    await agent.prepareTranscript?.(args['session-ref'], context)
    return undefined
  },
  'calculate-tokens': ({ agent, args, input }) =>
    formatTokenTotals(transcriptOf(agent).read(Buffer.from(input), args.offset).tokens),
  'generate-text': async ({ agent, args, input, context }) => {
    const answer = await agent.generateText?.(Buffer.from(input).toString('utf8'), args.model, context)
    return { text: answer ?? '' }
  },
  'write-hook-response': async ({ agent, args, context }) =>
    Buffer.from((await agent.hookResponse?.(args.message, context)) ?? ''),
  'extract-all-modified-files': async ({ agent, args, input, context }) => {
    const main = transcriptOf(agent).read(Buffer.from(input), args.offset)
    const others = await readSubagents(agent, args['subagents-dir'], context)
    return { files: [...new Set([...main.files, ...others.flatMap(({ files }) => files)])] }
  },
  'calculate-total-tokens': async ({ agent, args, input, context }) => {
    const main = transcriptOf(agent).read(Buffer.from(input), args.offset)
    const others = await readSubagents(agent, args['subagents-dir'], context)
    return formatTokenTotals(
      main.tokens,
      others.map(({ tokens }) => tokens),
    )
  },
  'compact-transcript': async ({ agent, args, context }) => {
    const answer = await agent.compactTranscript?.(args['session-ref'], context)
    if (answer === undefined)
      throw new PluginError(`${agent.name} has no compact transcript for this session`)
    return answer
  },
}

const transcriptOf = (agent: AgentDefinition) => agent.transcript ?? rawTranscript

/** A session that has not begun has no file yet: its transcript is empty. */
const bytesOf = (path: string) => readIfPresent(path) ?? Buffer.alloc(0)

function hooksOf(agent: AgentDefinition): AgentHooks {
  if (agent.hooks === undefined) throw new PluginError(`${agent.name} has no hooks`)
  return agent.hooks
}

function parsePayload(hook: string, payload: string): unknown {
  try {
    return JSON.parse(payload)
  } catch {
    throw new PluginError(`the payload of the hook ${hook} is not JSON`)
  }
}

function requireText(value: unknown, name: string): string {
  if (typeof value !== 'string') throw new PluginError(`${name} must be a string`)
  return value
}

function decodeBase64(data: string): Buffer {
  if (data.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(data))
    throw new PluginError('a chunk is not base64')
  return Buffer.from(data, 'base64')
}

/** Users paste the command into a shell. */
function quoteForShell(word: string): string {
  return /^[\w.:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

/** Whether the author has defined what a capability needs. */
const capabilityTests: Record<Capability, (agent: AgentDefinition) => boolean> = {
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
  return capabilityTests[capability](agent)
}

export function infoOf(agent: AgentDefinition): SubcommandAnswer<'info'> {
  const declared = Object.fromEntries(
    Object.entries(capabilityTests).map(([capability, has]) => [capability, has(agent)]),
  )
  return {
    protocol_version: 1,
    name: agent.name,
    type: agent.type,
    description: agent.description,
    is_preview: agent.preview ?? false,
    protected_dirs: agent.protectedDirs ?? [],
    ...given({ protected_files: agent.protectedFiles }),
    hook_names: Object.keys(agent.hooks?.events ?? {}),
    capabilities: {
      ...(declared as Record<Capability, boolean>),
      ...given({ uses_terminal: agent.usesTerminal, caller_env_vars: agent.callerEnv }),
    },
  }
}

// Makes an agent of an external executable. Subcommands of capabilities that it does not declare are never
// called.

import { dirname, join } from 'node:path'
import type { Agent, HookInstaller, TranscriptAnalyser } from '../../model/agent.ts'
import type { AgentEvent } from '../../model/event.ts'
import { noTokens, type TokenUsage } from '../../model/tokens.ts'
import type { Messages } from '../../protocol/external-agent/messages.ts'
import { EntireError, messageOf } from '../../std/errors.ts'
import { given } from '../../std/given.ts'
import { asString, type JsonObject, parseJson } from '../../std/json.ts'
import { answerOrReport, ask, askForBytes, type PluginProgram } from './call.ts'
import { forgetHooks, rememberHooks } from './hooked-plugins.ts'
import type { Info } from './info.ts'
import { pluginResumer, pluginSource } from './session-files.ts'
import { anyTranscript, pluginCutter } from './transcript.ts'

export function externalAgent(plugin: PluginProgram, info: Info): Agent {
  const { capabilities } = info
  const analyser = pluginAnalyser(plugin, info)
  const protectedDirs = info.protected_dirs.filter(isBelow)
  return {
    name: plugin.name,
    type: info.type,
    description: info.description,
    executable: plugin.path,
    protectedDirs,
    detect: async () => (await ask(plugin, 'detect', {})).present,
    hookNames: capabilities.hooks === true ? info.hook_names : [],
    parseHook: (verb, payload, _env, raw) =>
      parseHook(plugin, verb, payload, raw ?? Buffer.from(JSON.stringify(payload))),
    projectDir: () => undefined,
    callerEnv: (capabilities.caller_env_vars ?? []).filter((name) => /^[A-Z][A-Z0-9_]*$/.test(name)),
    transcript: anyTranscript,
    source: pluginSource(plugin, info),
    cutter: pluginCutter(plugin),
    ...given({ analyser }),
    ...(capabilities.hooks === true
      ? { installer: pluginInstaller(plugin, { type: info.type, protectedDirs }) }
      : {}),
    ...(capabilities.hook_response_writer === true
      ? {
          hookResponse: async (message) =>
            (await answerOrReport(plugin, askForBytes(plugin, 'write-hook-response', { message }))) ?? '',
        }
      : {}),
    resume: pluginResumer(plugin),
    ...(capabilities.text_generator === true ? { generator: pluginGenerator(plugin) } : {}),
  }
}

async function parseHook(
  plugin: PluginProgram,
  verb: string,
  payload: JsonObject,
  raw: Uint8Array,
): Promise<AgentEvent | null> {
  const wire = await ask(plugin, 'parse-hook', { hook: verb }, raw)
  if (wire === null) return null
  const { parseEvent } = await import('../../protocol/external-agent/event.ts')
  const event = parseEvent(wire)
  if (event === undefined) return null
  const session = event.session === '' ? await askForSession(plugin, event, payload) : event.session
  if (session === '')
    throw new EntireError(
      'bad-payload',
      `entire-agent-${plugin.name} answered its hook ${verb} with an event without a session.`,
      {
        hint: `Check the plugin: \`entire agent check ${plugin.path}\`.`,
      },
    )
  return { ...event, session }
}

const hookTypes: Record<AgentEvent['type'], string> = {
  'session-start': 'session_start',
  'turn-start': 'user_prompt_submit',
  'turn-end': 'stop',
  compaction: 'stop',
  'session-end': 'session_end',
  'subagent-start': 'pre_tool_use',
  'subagent-end': 'post_tool_use',
}

async function askForSession(plugin: PluginProgram, event: AgentEvent, payload: JsonObject): Promise<string> {
  const input: Messages['hook-input'] = {
    hook_type: hookTypes[event.type],
    session_id: '',
    session_ref: event.transcript ?? '',
    timestamp: event.timestamp ?? '',
    user_prompt: event.prompt,
    raw_data: payload,
  }
  return (await ask(plugin, 'get-session-id', {}, JSON.stringify(input))).session_id
}

function pluginGenerator(plugin: PluginProgram): NonNullable<Agent['generator']> {
  return {
    command: ({ model }) => [plugin.path, 'generate-text', '--model', model ?? ''],
    env: plugin.env,
    dir: plugin.site.root,
    parseAnswer(output) {
      const text = asString((parseJson(output) as JsonObject | undefined)?.text)
      if (text === undefined || text.trim() === '') throw new Error('it did not answer with a text')
      return text
    },
  }
}

function isBelow(dir: string): boolean {
  return dir !== '' && !/^[/\\]|^[A-Za-z]:/.test(dir) && !dir.split(/[/\\]/).includes('..')
}

/** Lets the plugin install its own hooks. After an uninstall it is asked whether they are gone. */
function pluginInstaller(
  plugin: PluginProgram,
  agent: { type: string; protectedDirs: string[] },
): HookInstaller {
  const installed = async () => (await ask(plugin, 'are-hooks-installed', {})).installed
  return {
    configPath: plugin.path,
    async install(site, { force }) {
      const { hooks_installed: added } = await ask(plugin, 'install-hooks', { 'local-dev': false, force })
      rememberHooks(site, {
        name: plugin.name,
        type: agent.type,
        path: plugin.path,
        dirs: agent.protectedDirs,
      })
      return added
    },
    async uninstall(site) {
      const problem = await ask(plugin, 'uninstall-hooks', {})
        .then(installed)
        .then(
          (isInstalled) =>
            isInstalled
              ? `entire-agent-${plugin.name} reports that its hooks are still installed.`
              : undefined,
          messageOf,
        )
      if (problem === undefined) return forgetHooks(site, plugin.name)
      throw new EntireError('agent-failed', problem, {
        hint: `Its hooks may still be installed. To remove them, run \`${plugin.path} uninstall-hooks\`.`,
      })
    },
    installed,
    // Only the plugin knows what its hooks should look like.
    current: async () => true,
  }
}

function pluginAnalyser(plugin: PluginProgram, { capabilities }: Info): TranscriptAnalyser | undefined {
  const analyses = capabilities.transcript_analyzer === true
  const readsSubagents = capabilities.subagent_aware_extractor === true
  if (!analyses && !readsSubagents && capabilities.token_calculator !== true) return undefined
  const optional = <Value>(answer: Promise<Value>) => answerOrReport(plugin, answer)

  const position = async (reference: string) =>
    analyses
      ? (await optional(ask(plugin, 'get-transcript-position', { path: reference })))?.position
      : undefined
  const findFiles = async (call: Call): Promise<string[]> => {
    const { reference, from: offset } = call
    const own = analyses && optional(ask(plugin, 'extract-modified-files', { path: reference, offset }))
    const all =
      readsSubagents &&
      optional(
        ask(
          plugin,
          'extract-all-modified-files',
          { offset, 'subagents-dir': subagentsDir(call) },
          call.bytes,
        ),
      )
    const answers = await Promise.all([own, all])
    return [...new Set(answers.flatMap((answer) => (answer ? answer.files : [])))]
  }
  const countTokens = async (call: Call): Promise<TokenUsage> => {
    const { from: offset, bytes } = call
    if (readsSubagents) {
      const total = await optional(
        ask(plugin, 'calculate-total-tokens', { offset, 'subagents-dir': subagentsDir(call) }, bytes),
      )
      if (total) return toUsage(total)
    }
    const own =
      capabilities.token_calculator === true &&
      (await optional(ask(plugin, 'calculate-tokens', { offset }, bytes)))
    return own ? toUsage(own) : noTokens
  }

  return {
    position: async (reference) => (await position(reference)) ?? 0,
    async read(transcript) {
      const end = await position(transcript.reference)
      // Compacted or rewritten: what was read before is no longer in it.
      const call = end !== undefined && end < transcript.from ? { ...transcript, from: 0 } : transcript
      const [files, prompts, summary, tokens] = await Promise.all([
        findFiles(call),
        analyses &&
          optional(ask(plugin, 'extract-prompts', { 'session-ref': call.reference, offset: call.from })),
        analyses && optional(ask(plugin, 'extract-summary', { 'session-ref': call.reference })),
        countTokens(call),
      ])
      return {
        position: end ?? transcript.from,
        files,
        prompts: prompts ? prompts.prompts : [],
        tokens,
        ...(summary ? summaryIn(summary) : {}),
      }
    },
  }
}

function summaryIn({ summary, has_summary: hasSummary }: Messages['summary']): { summary?: string } {
  return hasSummary ? { summary } : {}
}

type Call = Parameters<TranscriptAnalyser['read']>[0]

/** Beside the transcript, in a directory named after the session, as Claude Code has it. */
function subagentsDir({ reference, session }: Call): string {
  return join(dirname(reference), session, 'subagents')
}

function toUsage(tokens: NonNullable<Messages['tokens']>): TokenUsage {
  const { subagent_tokens: subagents } = tokens
  return { ...plainUsage(tokens), ...(subagents ? { subagents: plainUsage(subagents) } : {}) }
}

type WireTokens = Omit<NonNullable<Messages['tokens']>, 'subagent_tokens'>

function plainUsage(tokens: WireTokens): TokenUsage {
  const isUsed = tokens.input_tokens + tokens.output_tokens > 0
  return {
    input: tokens.input_tokens,
    output: tokens.output_tokens,
    cacheCreation: tokens.cache_creation_tokens ?? 0,
    cacheRead: tokens.cache_read_tokens ?? 0,
    // Tokens are used only by calls, so usage without a count of calls is at least one call.
    calls: tokens.api_call_count || (isUsed ? 1 : 0),
  }
}

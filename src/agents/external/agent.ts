// Makes an agent of an external executable. Subcommands of capabilities that it does not declare are never
// called.

import type { Agent, HookInstaller } from '../../model/agent.ts'
import type { AgentEvent } from '../../model/event.ts'
import type { Messages } from '../../protocol/external-agent/messages.ts'
import { EntireError, messageOf } from '../../std/errors.ts'
import { given } from '../../std/given.ts'
import { asString, type JsonObject, parseJson } from '../../std/json.ts'
import { pluginAnalyser } from './analyser.ts'
import { answerOrReport, ask, askForBytes, type PluginProgram } from './call.ts'
import { forgetHooks, rememberHooks } from './hooked-plugins.ts'
import type { Info } from './info.ts'
import { pluginResumer, pluginSource, readCompact } from './session-files.ts'
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
    ...(capabilities.compact_transcript === true
      ? { readConversation: (bytes, session) => readCompact(plugin, bytes, session) }
      : {}),
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
        ...given({ searchPath: plugin.env.PATH }),
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

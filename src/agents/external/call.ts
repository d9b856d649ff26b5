// Calls a plugin: a process with a time limit and a size limit. Its answer is what the protocol promises, or
// an error that describes what the plugin returned instead.

import type { AnswerMessage } from '../../protocol/external-agent/answer.ts'
import { agentProtocolVersion, limits } from '../../protocol/external-agent/subcommand.ts'
import {
  callArguments,
  type SubcommandArguments,
  type SubcommandName,
} from '../../protocol/external-agent/table.ts'
import type { Environment } from '../../std/environment.ts'
import { EntireError } from '../../std/errors.ts'
import { given } from '../../std/given.ts'
import { type LimitedResult, runLimited } from '../../std/limited-process.ts'

export interface PluginSite {
  /** The root of the repository; plugins run there. */
  root: string
  env: Environment
  cliVersion: string
  timeoutMs: number
  /** Gets the problems of calls whose answer is optional. */
  report(problem: string): void
}

export interface PluginProgram {
  name: string
  path: string
  site: PluginSite
  env: Environment
  /**
   * A call ran into the time limit. Further calls would hold up the agent and every process that waits for
   * the lock.
   */
  isHung: boolean
  /** Called when a call runs into the time limit, so that other processes need not wait for the plugin. */
  onHang?(): void
}

export function makePlugin(name: string, path: string, site: PluginSite): PluginProgram {
  return { name, path, site, env: pluginEnv(site), isHung: false }
}

/** The answer as a message; undefined for subcommands that have none. */
export async function ask<Name extends SubcommandName>(
  plugin: PluginProgram,
  name: Name,
  args: SubcommandArguments<Name>,
  stdin?: string | Uint8Array,
): Promise<AnswerMessage<Name>> {
  // The schemas are loaded while the plugin works; hooks of built-in agents never load them.
  const [bytes, { parseSubcommandAnswer }] = await Promise.all([
    askForBytes(plugin, name, args, stdin),
    import('../../protocol/external-agent/answer.ts'),
  ])
  const parsed = parseSubcommandAnswer(name, bytes)
  if (parsed.ok) return parsed.value
  throw failure(`${programOf(plugin)} ${name} gave an invalid answer: ${plainText(parsed.problem)}`, plugin)
}

export async function askForBytes<Name extends SubcommandName>(
  plugin: PluginProgram,
  name: Name,
  args: SubcommandArguments<Name>,
  stdin?: string | Uint8Array,
): Promise<Buffer> {
  const result = await callPlugin(plugin, name, args, stdin)
  const problem = findProblem(plugin, name, result)
  if (problem !== undefined) throw failure(problem, plugin)
  return result.stdout
}

/** For answers that are optional: undefined after a failure, which is reported. */
export async function answerOrReport<Value>(
  plugin: PluginProgram,
  answer: Promise<Value>,
): Promise<Value | undefined> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof EntireError)) throw error
    plugin.site.report(error.message)
    return undefined
  }
}

/** Never throws: the result says what happened. */
export async function callPlugin<Name extends SubcommandName>(
  plugin: PluginProgram,
  name: Name,
  args: SubcommandArguments<Name>,
  stdin?: string | Uint8Array,
): Promise<LimitedResult> {
  const { site } = plugin
  if (plugin.isHung) return notAsked
  const result = await runLimited([plugin.path, ...callArguments(name, args)], {
    cwd: site.root,
    env: plugin.env,
    timeoutMs: site.timeoutMs,
    maxBytes: limits.maxBytes,
    ...given({ stdin }),
  })
  if (result.timedOut) {
    plugin.isHung = true
    plugin.onHang?.()
  }
  return result
}

const notAsked: LimitedResult = {
  code: null,
  signal: null,
  stdout: Buffer.alloc(0),
  stderr: '',
  timedOut: false,
  startError: 'hung',
}

// Inside a git hook these name the repository of the command that runs the hook, perhaps with another index.
const gitHookVariables =
  /^GIT_(?:DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|PREFIX|QUARANTINE_PATH|INTERNAL_\w+|IMPLICIT_WORK_TREE)$/

function pluginEnv({ root, env, cliVersion }: PluginSite): Environment {
  const own = Object.entries(env).filter(([name]) => !gitHookVariables.test(name))
  return {
    ...Object.fromEntries(own),
    ENTIRE_REPO_ROOT: root,
    ENTIRE_PROTOCOL_VERSION: String(agentProtocolVersion),
    ENTIRE_CLI_VERSION: cliVersion,
  }
}

/** In words, with the plugin's own error message, without characters that would act on a terminal. */
export function findProblem(
  plugin: PluginProgram,
  name: SubcommandName,
  result: LimitedResult,
): string | undefined {
  const call = `${programOf(plugin)} ${name}`
  const { code, signal, stderr, timedOut, overflowed, startError } = result
  if (result === notAsked) return `${call} was not tried: the plugin has not answered before.`
  if (startError !== undefined) return `${call} could not be started: ${startError}.`
  if (timedOut) return `${call} did not answer within ${plugin.site.timeoutMs / 1000} s, and was ended.`
  if (overflowed !== undefined)
    return `${call} wrote more than ${limits.maxBytes / 1024 / 1024} MB to ${overflowed}, and was ended.`
  if (code === 0) return undefined
  const errorText = plainText(stderr)
  return `${call}: ${errorText === '' ? (code === null ? `it was ended by ${signal}` : `exit code ${code}`) : errorText}`
}

function programOf({ name }: PluginProgram): string {
  return `entire-agent-${name}`
}

function failure(message: string, { path }: PluginProgram): EntireError {
  return new EntireError('agent-failed', message, {
    hint: `Check the plugin: \`entire agent check ${path}\`.`,
  })
}

// Output of a plugin is shown to people, so terminal sequences are removed.
const sequence = /\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-_])/g
const control = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g

/** Line breaks and tabs stay. */
function plainText(text: string): string {
  return text.replace(sequence, '').replace(control, '').trim()
}

export function plainLine(text: string): string {
  return plainText(text).replace(/[\n\t]+/g, ' ')
}

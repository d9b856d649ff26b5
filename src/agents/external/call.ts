// One question to a plugin: a process with a time limit and a size limit, whose answer is what the protocol promises, or an error that
// says what came instead.

import type { Env } from '../../model/agent.ts'
import type { AnswerMessage } from '../../protocol/external-agent/answer.ts'
import { agentProtocolVersion, limits } from '../../protocol/external-agent/subcommand.ts'
import {
  callArguments,
  type SubcommandArguments,
  type SubcommandName,
} from '../../protocol/external-agent/table.ts'
import { EntireError } from '../../std/errors.ts'
import { given } from '../../std/given.ts'
import { type LimitedResult, runLimited } from '../../std/limited-proc.ts'

export interface PluginSite {
  /** Of the repository; plugins run there. */
  root: string
  env: Env
  cliVersion: string
  timeoutMs: number
  /** Told of what went wrong where we can do without the answer. */
  report(problem: string): void
}

export interface Plugin {
  name: string
  path: string
  site: PluginSite
  env: Env
  /** It let us wait to the end once. Asking it more would hold up the agent, and everybody who waits for our lock. */
  isHung: boolean
  /** Told when it does, for others who must not wait for it as well. */
  onHang?(): void
}

export function makePlugin(name: string, path: string, site: PluginSite): Plugin {
  return { name, path, site, env: pluginEnv(site), isHung: false }
}

/** The answer as a message; undefined for subcommands that have none. */
export async function ask<Name extends SubcommandName>(
  plugin: Plugin,
  name: Name,
  args: SubcommandArguments<Name>,
  stdin?: string | Uint8Array,
): Promise<AnswerMessage<Name>> {
  // The schemas are loaded while the first plugin is at work; hooks of agents that are not external never load them.
  const [bytes, { parseSubcommandAnswer: parseAnswer }] = await Promise.all([
    askForBytes(plugin, name, args, stdin),
    import('../../protocol/external-agent/answer.ts'),
  ])
  const parsed = parseAnswer(name, bytes)
  if (parsed.ok) return parsed.value
  throw failure(
    `${programOf(plugin)} ${name} gave no answer that can be understood: ${plainText(parsed.problem)}`,
    plugin,
  )
}

export async function askForBytes<Name extends SubcommandName>(
  plugin: Plugin,
  name: Name,
  args: SubcommandArguments<Name>,
  stdin?: string | Uint8Array,
): Promise<Buffer> {
  const result = await callPlugin(plugin, name, args, stdin)
  const problem = findProblem(plugin, name, result)
  if (problem !== undefined) throw failure(problem, plugin)
  return result.stdout
}

/** For what we can do without: undefined, and somebody is told why. */
export async function unlessItFails<Value>(
  plugin: Plugin,
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
  plugin: Plugin,
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

// Inside a git hook these speak of the repository of the command that runs the hook, perhaps with an index of its own.
const foreign =
  /^GIT_(?:DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|PREFIX|QUARANTINE_PATH|INTERNAL_\w+|IMPLICIT_WORK_TREE)$/

function pluginEnv({ root, env, cliVersion }: PluginSite): Env {
  const own = Object.entries(env).filter(([name]) => !foreign.test(name))
  return {
    ...Object.fromEntries(own),
    ENTIRE_REPO_ROOT: root,
    ENTIRE_PROTOCOL_VERSION: String(agentProtocolVersion),
    ENTIRE_CLI_VERSION: cliVersion,
  }
}

/** What it says itself is passed on as it is, apart from what would act on a terminal. */
export function findProblem(plugin: Plugin, name: SubcommandName, result: LimitedResult): string | undefined {
  const call = `${programOf(plugin)} ${name}`
  const { code, signal, stderr, timedOut, overflowed, startError } = result
  if (result === notAsked) return `${call} was not tried: the plugin has not answered before.`
  if (startError !== undefined) return `${call} could not be started: ${startError}.`
  if (timedOut) return `${call} did not answer within ${plugin.site.timeoutMs / 1000} s, and was ended.`
  if (overflowed !== undefined)
    return `${call} wrote more than ${limits.maxBytes / 1024 / 1024} MB to ${overflowed}, and was ended.`
  if (code === 0) return undefined
  const said = plainText(stderr)
  return `${call}: ${said === '' ? (code === null ? `it was ended by ${signal}` : `exit code ${code}`) : said}`
}

function programOf({ name }: Plugin): string {
  return `entire-agent-${name}`
}

function failure(message: string, { path }: Plugin): EntireError {
  return new EntireError('agent-failed', message, {
    hint: `Check the plugin: \`entire agent check ${path}\`.`,
  })
}

// What a plugin says is shown to people, so it must not be able to move their cursor.

const sequence = /\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-_])/g
const control = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g

/** Its own lines and tabs stay. */
export function plainText(text: string): string {
  return text.replace(sequence, '').replace(control, '').trim()
}

export function plainLine(text: string): string {
  return plainText(text).replace(/[\n\t]+/g, ' ')
}

// Runs a plugin as a process: reads the call from the command line, and writes the answer or the failure.

import { Buffer } from 'node:buffer'
import { homedir } from 'node:os'
import process from 'node:process'
import {
  findSubcommand,
  isSubcommand,
  type SubcommandArguments,
  type SubcommandInput,
  type SubcommandName,
} from '../../protocol/external-agent/table.ts'
import { invalidValue, requires, unknownName } from '../../std/errors.ts'
import { hasCapability, subcommandAnswers } from './answers.ts'
import type { AgentContext, AgentDefinition } from './definition.ts'
import { escapeName, PluginError, pluginError } from './definition.ts'

/** Answers the call that this process was started for, and ends the process. */
export async function runPlugin(agent: AgentDefinition): Promise<never> {
  // Only the answer may go to standard output; what the author prints while debugging goes to standard error.
  console.log = console.error
  console.info = console.error
  console.debug = console.error
  const { env } = process
  const context = { repoRoot: env.ENTIRE_REPO_ROOT || process.cwd(), home: env.HOME || homedir(), env }
  let code = 0
  try {
    await write(
      process.stdout,
      await answerCall(agent, { words: process.argv.slice(2), stdin: readStdin, context }),
    )
  } catch (error) {
    code = 1
    await write(process.stderr, Buffer.from(`entire-agent-${agent.name}: ${describe(error)}\n`))
  }
  // Timers and connections that the author has left open do not keep the caller waiting.
  process.exit(code)
}

async function readStdin(): Promise<Buffer> {
  if (process.stdin.isTTY) return Buffer.alloc(0)
  const pieces: Buffer[] = []
  for await (const piece of process.stdin) pieces.push(Buffer.from(piece))
  return Buffer.concat(pieces)
}

/** Returns when everything is written, or when the reader has closed its end. */
function write(stream: NodeJS.WritableStream, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    stream.on('error', () => resolve())
    if (bytes.length === 0) resolve()
    else stream.write(bytes, () => resolve())
  })
}

/**
 * Messages of the plugin and of the system are enough; for a bug in the plugin, the author needs the stack.
 */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof PluginError || 'code' in error) return error.message
  return error.stack ?? error.message
}

export interface PluginCall {
  words: string[]
  /** Called only for subcommands that read standard input. */
  stdin(): Promise<Buffer>
  context: AgentContext
}

/** Returns what goes to standard output. Throws when the call fails. */
export async function answerCall(agent: AgentDefinition, call: PluginCall): Promise<Buffer> {
  const [name = '', ...words] = call.words
  if (name === '') throw new PluginError('a subcommand is required; `info` prints what this plugin can do')
  if (!isSubcommand(name)) throw pluginError(unknownName('subcommand', escapeName(name)))
  const { capability, stdin, stdout } = findSubcommand(name)
  if (capability !== undefined && !hasCapability(agent, capability)) {
    throw pluginError(requires(name, `the capability ${capability}, which ${agent.name} does not have`))
  }
  const args = parseCallArguments(name, words)
  const bytes = stdin === 'nothing' ? Buffer.alloc(0) : await call.stdin()
  const input = stdin === 'bytes' ? bytes : stdin === 'nothing' ? undefined : parseInput(name, bytes)
  const answer = await (subcommandAnswers[name] as Answering)({
    agent,
    args,
    input: input as never,
    context: call.context,
  })
  if (stdout === 'nothing') return Buffer.alloc(0)
  return stdout === 'bytes' ? Buffer.from(answer as Uint8Array) : Buffer.from(`${JSON.stringify(answer)}\n`)
}

type Answering = (call: {
  agent: AgentDefinition
  args: unknown
  input: never
  context: AgentContext
}) => unknown

function parseInput(name: SubcommandName, bytes: Buffer): SubcommandInput<typeof name> {
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch {
    throw new PluginError(`${name}: standard input is not JSON`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new PluginError(`${name}: standard input is not a JSON object`)
  }
  // Callers promise the fields; those that an answer depends on are checked where they are used.
  return value as SubcommandInput<typeof name>
}

/** Ignores unknown flags and their values, because a newer caller may send some. */
function parseCallArguments<Name extends SubcommandName>(
  name: Name,
  words: string[],
): SubcommandArguments<Name> {
  const expected = findSubcommand(name).args
  const given = new Map<string, string>()
  for (let at = 0; at < words.length; at += 1) {
    const [flag = '', inline] = splitFlag(words[at] ?? '')
    const isSwitch = expected[flag] === 'switch'
    const value = isSwitch ? 'true' : (inline ?? words[at + 1])
    if (!isSwitch && inline === undefined) at += 1
    if (value !== undefined) given.set(flag, value)
  }
  const entries = Object.entries(expected).map(([flag, kind]) => {
    if (kind === 'switch') return [flag, given.has(flag)]
    const value = given.get(flag)
    if (value === undefined) throw pluginError(requires(name, `--${flag}`))
    return [flag, kind === 'integer' ? parseCount(flag, value) : value]
  })
  return Object.fromEntries(entries)
}

function splitFlag(word: string): [string, string?] {
  if (!word.startsWith('--')) throw new PluginError(`unexpected argument ${JSON.stringify(word)}`)
  const equals = word.indexOf('=')
  return equals === -1 ? [word.slice(2)] : [word.slice(2, equals), word.slice(equals + 1)]
}

function parseCount(flag: string, value: string): number {
  const count = /^\d+$/.test(value) ? Number(value) : Number.NaN
  if (!Number.isSafeInteger(count))
    throw pluginError(invalidValue(escapeName(value), `--${flag}`, 'Use a whole number.'))
  return count
}

// The process around a call: arguments, streams and the exit code of a plugin.

import { Buffer } from 'node:buffer'
import { homedir } from 'node:os'
import process from 'node:process'
import {
  type Arguments,
  findSubcommand,
  type Input,
  isSubcommand,
  type SubcommandName,
} from '../../protocol/external-agent/table.ts'
import { answers, hasCapability } from './answers.ts'
import type { AgentDefinition, Context } from './definition.ts'
import { PluginError } from './plugin-error.ts'

/** Answers the call that this process was started for, and ends it. */
export async function runProgram(agent: AgentDefinition): Promise<never> {
  // The answer is all that may go to standard output; what the author prints while looking for a mistake goes to the other one.
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

/** Returns when everything is out. A reader who has left early is no failure of ours. */
function write(stream: NodeJS.WritableStream, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    stream.on('error', () => resolve())
    if (bytes.length === 0) resolve()
    else stream.write(bytes, () => resolve())
  })
}

/** What the system says is enough for a person; of a mistake in the plugin the author wants to see the place. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof PluginError || 'code' in error) return error.message
  return error.stack ?? error.message
}

// One call of a plugin: a command line and what is on standard input become an answer, or a failure with a reason.

export interface Call {
  words: string[]
  /** Asked for only when the subcommand has any use for it. */
  stdin(): Promise<Buffer>
  context: Context
}

/** What goes to standard output. Throws when the call has failed. */
export async function answerCall(agent: AgentDefinition, call: Call): Promise<Buffer> {
  const [name = '', ...words] = call.words
  if (name === '') throw new PluginError('a subcommand is needed; `info` says what this plugin can do')
  if (!isSubcommand(name)) throw new PluginError(`unknown subcommand ${JSON.stringify(name)}`)
  const { capability, stdin, stdout } = findSubcommand(name)
  if (capability !== undefined && !hasCapability(agent, capability)) {
    throw new PluginError(`${name} needs the capability ${capability}, which ${agent.name} does not have`)
  }
  const args = parseArguments(name, words)
  const bytes = stdin === 'nothing' ? Buffer.alloc(0) : await call.stdin()
  const input = stdin === 'bytes' ? bytes : stdin === 'nothing' ? undefined : parseInput(name, bytes)
  const answer = await (answers[name] as Answering)({
    agent,
    args,
    input: input as never,
    context: call.context,
  })
  if (stdout === 'nothing') return Buffer.alloc(0)
  return stdout === 'bytes' ? Buffer.from(answer as Uint8Array) : Buffer.from(`${JSON.stringify(answer)}\n`)
}

type Answering = (call: { agent: AgentDefinition; args: unknown; input: never; context: Context }) => unknown

function parseInput(name: SubcommandName, bytes: Buffer): Input<typeof name> {
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch {
    throw new PluginError(`${name}: what came on standard input is not JSON`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new PluginError(`${name}: what came on standard input is not a JSON object`)
  }
  // The shape is the caller's promise; what an answer depends on is checked where it is used.
  return value as Input<typeof name>
}

// Reads the command line of a call by the table of the protocol.

/** Unknown flags are passed over, with their value: a newer caller may send some. */
export function parseArguments<Name extends SubcommandName>(name: Name, words: string[]): Arguments<Name> {
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
    if (value === undefined) throw new PluginError(`${name} needs --${flag}`)
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
    throw new PluginError(`--${flag} must be a whole number, not ${JSON.stringify(value)}`)
  return count
}

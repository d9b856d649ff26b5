// One call of a plugin: a command line and what is on standard input become an answer, or a failure with a reason.
import { Buffer } from 'node:buffer'
import { findSubcommand, type Input, isSubcommand, type SubcommandName } from '../../protocol/external-agent.ts'
import { answers } from './answers.ts'
import { parseArguments } from './arguments.ts'
import type { AgentDefinition, Context } from './definition.ts'
import { hasCapability } from './info.ts'
import { PluginError } from './plugin-error.ts'

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
  const answer = await (answers[name] as Answering)({ agent, args, input: input as never, context: call.context })
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

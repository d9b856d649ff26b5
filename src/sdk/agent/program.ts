// The process around a call: arguments, streams and the exit code of a plugin.
import { Buffer } from 'node:buffer'
import { homedir } from 'node:os'
import process from 'node:process'
import { answerCall } from './call.ts'
import type { AgentDefinition } from './definition.ts'
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
    await write(process.stdout, await answerCall(agent, { words: process.argv.slice(2), stdin: readStdin, context }))
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

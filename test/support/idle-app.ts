// Parses words with the command line of the program, without running the command.
import { type Application, run } from '@stricli/core'
import type { CommandNode } from '../../src/cli/command-parts.ts'
import type { Cli } from '../../src/cli/context.ts'

function idle<T extends CommandNode | undefined>(target: T, reached: () => void): T {
  if (target === undefined) return target
  if ('loader' in target) return { ...target, loader: async () => async () => reached() }
  return {
    ...target,
    getDefaultCommand: () => idle(target.getDefaultCommand(), reached),
    getRoutingTargetForInput: (input: string) => idle(target.getRoutingTargetForInput(input), reached),
  }
}

export async function parseWords(
  app: Application<Cli>,
  words: string[],
): Promise<{ reached: boolean; output: string }> {
  const output: string[] = []
  let reached = false
  const root = idle(app.root, () => {
    reached = true
  })
  const stream = { write: (text: string) => void output.push(text) }
  const cli = { process: { stdout: stream, stderr: stream, env: {} } } as unknown as Cli
  await run({ ...app, root } as Application<Cli>, words, cli)
  return { reached, output: output.join('') }
}

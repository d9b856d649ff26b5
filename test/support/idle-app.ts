// A command line that takes its arguments and does nothing: to see whether words are right.
import { type Application, type Command, type RouteMap, run } from '@stricli/core'
import type { Cli } from '../../src/cli/context.ts'

type Target = Command<Cli> | RouteMap<Cli>

function idle<T extends Target | undefined>(target: T, reached: () => void): T {
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
): Promise<{ reached: boolean; said: string }> {
  const said: string[] = []
  let reached = false
  const root = idle(app.root, () => {
    reached = true
  })
  const stream = { write: (text: string) => void said.push(text) }
  const cli = { process: { stdout: stream, stderr: stream, env: {} } } as unknown as Cli
  await run({ ...app, root } as Application<Cli>, words, cli)
  return { reached, said: said.join('') }
}

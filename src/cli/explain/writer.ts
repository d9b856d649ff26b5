// Who writes a summary: the agent the settings name, else the one whose session it is, else any that is installed and can.
import { delimiter, isAbsolute } from 'node:path'
import { agents } from '../../agents/all.ts'
import type { Agent, TextGenerator } from '../../model/agent.ts'
import type { Settings } from '../../model/settings.ts'
import { EntireError } from '../../std/errors.ts'
import type { Cli } from '../context.ts'

export interface Writer {
  name: string
  generator: TextGenerator
  /** Absolute path of its program. */
  program: string
}

export function findWriter(cli: Cli, { provider }: Settings['summary'], sessionAgent: string | undefined): Writer {
  if (provider !== undefined) return namedWriter(cli, provider)
  const order = [...agents.filter((agent) => agent.type === sessionAgent), ...agents]
  const writer = order.map((agent) => writerOf(cli, agent)).find((found) => found !== undefined)
  if (writer !== undefined) return writer
  throw new EntireError('not-found', 'No agent that can write a summary was found.', {
    hint: `Install one of these programs, or make sure it is on the PATH: ${programs().join(', ')}.`,
  })
}

function namedWriter(cli: Cli, provider: string): Writer {
  const agent = agents.find(({ name, generator }) => name === provider && generator !== undefined)
  if (agent === undefined)
    throw new EntireError('bad-settings', `summary_generation: "${provider}" is no agent that can write summaries.`, {
      hint: `Use one of: ${agents
        .filter(({ generator }) => generator !== undefined)
        .map(({ name }) => name)
        .join(', ')}.`,
    })
  const writer = writerOf(cli, agent)
  if (writer !== undefined) return writer
  throw new EntireError('not-found', `The settings want summaries by ${agent.type}, and its program was not found.`, {
    hint: `Make sure \`${agent.generator?.command({})[0]}\` is on the PATH, or change summary_generation in .entire/settings.json.`,
  })
}

// Looked up here, because it runs in another directory: an entry like `.` would mean that one.
function writerOf(cli: Cli, { type, generator }: Agent): Writer | undefined {
  const path = (cli.env.PATH ?? '').split(delimiter).filter((entry) => isAbsolute(entry))
  const program = generator && Bun.which(generator.command({})[0] as string, { PATH: path.join(delimiter) })
  return generator && program ? { name: type, generator, program } : undefined
}

function programs(): string[] {
  return agents.flatMap(({ generator }) => generator?.command({})[0] ?? [])
}

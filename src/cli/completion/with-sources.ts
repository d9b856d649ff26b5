// A command whose values are proposed by what they are called, so that no command has to care.
import type { Command } from '@stricli/core'
import type { Cli } from '../context.ts'
import { type Asked, findSource, type Source } from './sources.ts'

/** `about` is filled with what each proposed value is. */
export function withSources(command: Command<Cli>, { cli, words, partial }: Asked, about: Map<string, string>): Command<Cli> {
  const give = (names: (string | undefined)[], separator: string | undefined) => {
    const source = findSource(words[0] ?? '', names)
    return source && proposer(source, separator)
  }
  const proposer = (source: Source, separator: string | undefined) => async () => {
    // Of a list only the last item is being typed.
    const head = separator === undefined ? '' : partial.slice(0, partial.lastIndexOf(separator) + 1)
    const candidates = await source({ cli, words, partial: partial.slice(head.length) })
    for (const candidate of candidates) about.set(head + candidate.value, candidate.about)
    return candidates.map(({ value }) => head + value)
  }
  const { flags = {}, positional } = command.parameters
  const sourced = Object.entries(flags).map(([name, flag]) => {
    if (flag.kind !== 'parsed') return [name, flag]
    const proposeCompletions = give([name, flag.placeholder], typeof flag.variadic === 'string' ? flag.variadic : undefined)
    return [name, { ...flag, ...(proposeCompletions && { proposeCompletions }) }]
  })
  const parameter = <P extends { placeholder?: string }>(known: P): P => {
    const proposeCompletions = give([known.placeholder], undefined)
    return { ...known, ...(proposeCompletions && { proposeCompletions }) }
  }
  const places =
    positional?.kind === 'array'
      ? { ...positional, parameter: parameter(positional.parameter) }
      : positional && { ...positional, parameters: positional.parameters.map(parameter) }
  return {
    ...command,
    parameters: { ...command.parameters, flags: Object.fromEntries(sourced), ...(places && { positional: places }) },
  } as Command<Cli>
}

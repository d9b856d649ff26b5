import { expect, test } from 'bun:test'
import type { Command } from '@stricli/core'
import { commandList, commandNames } from '../command-list.ts'
import type { CommandNode } from '../command-parts.ts'
import type { Cli } from '../context.ts'
import { findSource } from './sources.ts'

/** Placeholders of values that cannot be proposed. */
const free = ['n', 'hook', 'name']

function values(node: CommandNode, route: string[]): { route: string; names: (string | undefined)[] }[] {
  if ('getAllEntries' in node)
    return node
      .getAllEntries()
      .flatMap((entry) => values(entry.target as CommandNode, [...route, entry.name.original]))
  const { flags = {}, positional } = (node as Command<Cli>).parameters
  const places = positional?.kind === 'array' ? [positional.parameter] : (positional?.parameters ?? [])
  return [
    ...Object.entries(flags).flatMap(([name, flag]) =>
      flag.kind === 'parsed'
        ? [{ route: [...route, `--${name}`].join(' '), names: [name, flag.placeholder] }]
        : [],
    ),
    ...places.map(({ placeholder }) => ({
      route: [...route, `<${placeholder}>`].join(' '),
      names: [placeholder],
    })),
  ]
}

test('every value of every command can be completed, except free text', async () => {
  const all = (
    await Promise.all(commandNames.map(async (name) => values(await commandList[name].load(), [name])))
  ).flat()
  expect(all.length).toBeGreaterThan(15)
  const unknown = all.filter(({ route, names }) => findSource(route.split(' ')[0] ?? '', names) === undefined)
  expect(unknown.filter(({ names }) => !free.includes(names.at(-1) ?? '')).map(({ route }) => route)).toEqual(
    [],
  )
})

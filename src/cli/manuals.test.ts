// Checks that examples in manuals can be typed as shown, and that flags mean the same in every command.
import { expect, test } from 'bun:test'
import { parseWords } from '../../test/support/idle-app.ts'
import { examples, manuals, wordsOf } from '../../test/support/manual-examples.ts'
import { canonical } from './command-list.ts'
import type { CommandNode } from './command-parts.ts'
import { buildCli } from './entire.ts'

const app = await buildCli()

const parse = (words: string[]) => parseWords(app, canonical(words))

test.each(manuals)('%s has examples', (command) => {
  expect(examples.filter(([of]) => of === command).length).toBeGreaterThan(0)
})

test.each(manuals)('the help of %s fits 80 columns', (_command, help) => {
  expect(help.split('\n').filter((line) => line.length > 80)).toEqual([])
})

test.each(examples)('%s: %s', async (command, line) => {
  const words = wordsOf(line)
  expect(words).toBeDefined()
  const { reached, output } = await parse(words ?? [])
  if (words?.[0] === 'help') expect(output).toContain('USAGE')
  else expect({ reached, output }).toEqual({ reached: true, output: '' })
  expect(['entire', ...canonical(words ?? [])].join(' ').replace('doctor --', 'doctor check --')).toStartWith(
    command.split(' ').slice(0, 2).join(' '),
  )
})

test.each([
  [['status', '--jsn'], 'Unknown flag'],
  [['agent', 'add'], 'Missing argument <agent>'],
  [['resume', 'a', 'b'], 'Unexpected argument "b"'],
] as const)('wrong words are noticed: %j', async (words, problem) => {
  expect(await parse([...words])).toEqual({ reached: false, output: expect.stringContaining(problem) })
})

interface Flags {
  flags?: Record<string, { brief: string }>
  aliases?: Record<string, string>
}

function commandsBelow(target: CommandNode, path: string): [string, Flags][] {
  if ('parameters' in target) return [[path, target.parameters as Flags]]
  return target
    .getAllEntries()
    .flatMap((entry) => commandsBelow(entry.target, `${path} ${entry.name['convert-camel-to-kebab']}`))
}

const letters: Record<string, string> = { force: 'f', yes: 'y', all: 'a', dryRun: 'd', limit: 'n' }

test.each(commandsBelow(app.root, 'entire'))(
  '%s: flags have the names that other commands give them',
  (_path, { flags = {}, aliases = {} }) => {
    for (const [flag, letter] of Object.entries(letters))
      if (flag in flags) expect(aliases).toMatchObject({ [letter]: flag })
    for (const letter of Object.values(letters)) {
      const flag = aliases[letter]
      // -a alone has two meanings: --all, and --agent in `session attach`, which is older.
      if (flag !== undefined && !(letter === 'a' && flag === 'agent')) expect(letters[flag]).toBe(letter)
    }
    if (flags.json !== undefined) expect(flags.json.brief).toStartWith('Print ')
    for (const { brief } of Object.values(flags)) expect(brief).toMatch(/^\S.*[^.\s]$/)
  },
)

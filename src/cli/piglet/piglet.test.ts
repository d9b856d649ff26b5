// The examples in the help of piglet are valid commands.
import { expect, test } from 'bun:test'
import { generateHelpTextForAllCommands } from '@stricli/core'
import { parseWords } from '../../../test/support/idle-app.ts'
import { examplesIn, wordsOf } from '../../../test/support/manual-examples.ts'
import { buildPiglet } from './piglet.ts'

const app = buildPiglet()
const manuals = generateHelpTextForAllCommands(
  app as unknown as Parameters<typeof generateHelpTextForAllCommands>[0],
)

test.each(manuals)('%s has examples', (_command, help) => {
  expect(examplesIn(help)).not.toEqual([])
})

test.each(manuals.flatMap(([, help]) => examplesIn(help)))('%s', async (line) => {
  const words = wordsOf(line, 'piglet')
  expect(words).toBeDefined()
  expect(await parseWords(app, words ?? [])).toEqual({ reached: true, output: '' })
})

test('every command has --json', () => {
  const without = manuals
    .filter(([command, help]) => /^piglet ext ./.test(command) && !/--json/.test(help))
    .map(([command]) => command)
  expect(without).toEqual([])
})

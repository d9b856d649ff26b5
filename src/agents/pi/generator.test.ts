import { expect, test } from 'bun:test'
import { piGenerator } from './index.ts'

const flags = [
  'pi',
  '--no-session',
  '--no-tools',
  '--no-skills',
  '--no-prompt-templates',
  '--no-context-files',
]

test('it keeps nothing, has no tools, and reads the prompt', () => {
  expect(piGenerator.command({})).toEqual([...flags, '--print'])
  expect(piGenerator.command({ model: 'anthropic/sonnet' })).toEqual([
    ...flags,
    '--model',
    'anthropic/sonnet',
    '--print',
  ])
})

test('the answer is all it prints, and nothing is no answer', () => {
  expect(piGenerator.parseAnswer('{"intent":"x"}\n')).toBe('{"intent":"x"}')
  expect(() => piGenerator.parseAnswer(' \n')).toThrow('It printed no answer.')
})

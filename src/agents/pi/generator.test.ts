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

test('the generator keeps no session, has no tools, and reads the prompt from standard input', () => {
  expect(piGenerator.command({})).toEqual([...flags, '--print'])
  expect(piGenerator.command({ model: 'anthropic/sonnet' })).toEqual([
    ...flags,
    '--model',
    'anthropic/sonnet',
    '--print',
  ])
})

test('the answer is the whole output, and empty output is an error', () => {
  expect(piGenerator.parseAnswer('{"intent":"x"}\n')).toBe('{"intent":"x"}')
  expect(() => piGenerator.parseAnswer(' \n')).toThrow('It printed no answer.')
})

import { expect, test } from 'bun:test'
import { EntireError } from '../std/errors.ts'
import { formatError } from './command-line.ts'

test('a bug keeps its stack and names the program that ran', () => {
  const text = formatError(new TypeError('x is undefined'), 'piglet')
  expect(text).toStartWith('error: This is a bug in piglet. TypeError: x is undefined\n')
  expect(text).toEndWith('\nhint: Please report it with the lines above.')
})

test('an error that a person can act on has a message and a hint', () => {
  expect(formatError(new EntireError('busy', 'It is busy.', { hint: 'Wait.' }), 'entire')).toBe(
    'error: It is busy.\nhint: Wait.',
  )
})

test('what the operating system refuses is not called a bug', () => {
  const refused = Object.assign(new Error("EACCES: permission denied, open '/etc/x'"), {
    code: 'EACCES',
    syscall: 'open',
    path: '/etc/x',
  })
  expect(formatError(refused, 'entire')).toBe(
    'error: /etc/x: permission denied (EACCES, open).\nhint: Solve the problem and run the command again.',
  )
})

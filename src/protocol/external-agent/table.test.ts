import { expect, test } from 'bun:test'
import { capabilities, messages } from './messages.ts'
import { callArguments, findSubcommand, isSubcommand, type SubcommandName, subcommands } from './table.ts'

const names = Object.keys(subcommands) as SubcommandName[]

test('the table has the eleven mandatory subcommands of the protocol, and fifteen optional ones', () => {
  expect(names.filter((name) => findSubcommand(name).capability === undefined)).toEqual([
    'info',
    'detect',
    'get-session-id',
    'get-session-dir',
    'resolve-session-file',
    'read-session',
    'write-session',
    'read-transcript',
    'chunk-transcript',
    'reassemble-transcript',
    'format-resume-command',
  ])
  expect(names.length).toBe(26)
})

test('every capability has subcommands, and every message belongs to a subcommand', () => {
  const used = new Set(names.map((name) => findSubcommand(name).capability))
  expect(Object.keys(capabilities).filter((name) => !used.has(name as keyof typeof capabilities))).toEqual([])
  const sent = new Set(names.flatMap((name) => [findSubcommand(name).stdin, findSubcommand(name).stdout]))
  expect(Object.keys(messages).filter((name) => !sent.has(name as keyof typeof messages))).toEqual([])
})

test('a call consists of the subcommand, its arguments, and the switches that are on', () => {
  expect(callArguments('resolve-session-file', { 'session-dir': '/s', 'session-id': 'a b' })).toEqual([
    'resolve-session-file',
    '--session-dir',
    '/s',
    '--session-id',
    'a b',
  ])
  expect(callArguments('chunk-transcript', { 'max-size': 512 })).toEqual([
    'chunk-transcript',
    '--max-size',
    '512',
  ])
  expect(callArguments('install-hooks', { force: true, 'local-dev': false })).toEqual([
    'install-hooks',
    '--force',
  ])
})

test('only subcommands of the table are subcommands', () => {
  expect(isSubcommand('info')).toBe(true)
  expect(isSubcommand('toString')).toBe(false)
})

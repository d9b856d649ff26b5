import { expect, test } from 'bun:test'
import { cleanPrompt } from './message-text.ts'

test.each([
  ['fix the bug', 'fix the bug'],
  ['  fix\n\nit  ', 'fix\n\nit'],
  ['<ide_opened_file>a.ts is open</ide_opened_file>\nfix it', 'fix it'],
  ['<system-reminder>be kind</system-reminder>fix it<system-reminder>and brief</system-reminder>', 'fix it'],
  ['fix it\n<hook_context>from a hook</hook_context>', 'fix it'],
  ['is a<b and c>d?', 'is a<b and c>d?'],
  ['what does <task-notification> mean?', 'what does <task-notification> mean?'],
  [
    '<command-name>/compact</command-name>\n  <command-message>compact</command-message>\n  <command-args>x</command-args>',
    undefined,
  ],
  ['<task-notification>\n<task-id>a1</task-id>\ncut off here', undefined],
  ['<session_context>\nThis is the CLI', undefined],
  ['[Request interrupted by user]', undefined],
  ['[Request interrupted by user for tool use]', undefined],
  ['', undefined],
])('of %j the user typed %j', (text, typed) => {
  expect(cleanPrompt(text)).toBe(typed)
})

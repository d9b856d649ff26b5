import { expect, test } from 'bun:test'
import { cleanCursorPrompt } from './transcript.ts'

test.each([
  ['go', 'go'],
  ['<user_query>\ngo\n</user_query>', 'go'],
  ['<open_files>a.ts</open_files>\n<user_query>go</user_query>\n<rules>x</rules>', 'go'],
  ['<user_query>one</user_query><user_query>two</user_query>', 'one\n\ntwo'],
  ['<timestamp>Sunday</timestamp>\ngo', 'go'],
  ['<user_query>what does <timestamp> do?</user_query>', 'what does <timestamp> do?'],
  ['<user_query> </user_query>', undefined],
  ['<system-reminder>x</system-reminder>', undefined],
  ['', undefined],
])('of %j the user typed %j', (text, typed) => {
  expect(cleanCursorPrompt(text)).toBe(typed as string)
})

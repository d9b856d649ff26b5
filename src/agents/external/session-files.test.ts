import { expect, test } from 'bun:test'
import { checkSessionRef } from './session-files.ts'

const dir = '/home/me/.sample/sessions'

test.each([
  '/home/me/.sample/sessions/a.log',
  '/home/me/.sample/sessions/2026/a.log',
  'a',
  'a/b',
  'a/../b',
  '..a',
  'with space',
])('a reference inside the directory is accepted: %s', (reference) =>
  expect(() => checkSessionRef(reference, dir)).not.toThrow(),
)

test.each([
  ['/home/me/.sample/sessions', 'outside'],
  ['/home/me/.sample/sessions-too/a.log', 'outside'],
  ['/etc/passwd', 'outside'],
  ['/home/me/.sample/sessions/../../x', '".."'],
  ['/home/me/.sample/sessions/./a', '"."'],
  ['../../x', 'leads out'],
  ['a/../../x', 'leads out'],
  ['', 'not a key'],
  ['\\server\\share', 'not a key'],
  ['C:\\x', 'outside'],
])('a reference that leads out of the directory is refused: %s', (reference, why) => {
  expect(() => checkSessionRef(reference, dir)).toThrow(why)
})

import { expect, test } from 'bun:test'
import { droidResume } from './index.ts'

test.each([
  ['/home/dev/app', '-home-dev-app'],
  // As captured: everything but slashes stays.
  ['/home/dev/droid/My_Proj.v2 x', '-home-dev-droid-My_Proj.v2 x'],
  ['/home/dév/проект', '-home-dév-проект'],
])('the sessions of %s are in %s', (root, name) => {
  expect(droidResume.sessionDir(root, { HOME: '/h' })).toBe(`/h/.factory/sessions/${name}`)
})

test('a variable of Droid sets the home, and a variable for tests the directory', () => {
  expect(droidResume.sessionDir('/r', { HOME: '/h', FACTORY_HOME_OVERRIDE: '/o' })).toBe(
    '/o/.factory/sessions/-r',
  )
  expect(droidResume.sessionDir('/r', { HOME: '/h', ENTIRE_TEST_DROID_PROJECT_DIR: '/t' })).toBe('/t')
})

test('the file of a session is named after its id, and the session is resumed by its id', () => {
  expect(droidResume.sessionFile('/d', 'abc')).toBe('/d/abc.jsonl')
  expect(droidResume.command('abc')).toBe('droid --session-id abc')
})

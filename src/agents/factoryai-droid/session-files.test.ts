import { expect, test } from 'bun:test'
import { droidResume } from './index.ts'

test.each([
  ['/home/dev/app', '-home-dev-app'],
  // As captured: everything but slashes stays.
  ['/home/dev/droid/My_Proj.v2 x', '-home-dev-droid-My_Proj.v2 x'],
  ['/home/dév/проект', '-home-dév-проект'],
])('the sessions of %s lie in %s', (root, name) => {
  expect(droidResume.sessionDir(root, { HOME: '/h' })).toBe(`/h/.factory/sessions/${name}`)
})

test('Droid’s own variable names another home, and tests name the directory', () => {
  expect(droidResume.sessionDir('/r', { HOME: '/h', FACTORY_HOME_OVERRIDE: '/o' })).toBe(
    '/o/.factory/sessions/-r',
  )
  expect(droidResume.sessionDir('/r', { HOME: '/h', ENTIRE_TEST_DROID_PROJECT_DIR: '/t' })).toBe('/t')
})

test('a session is a file named by its id, and is resumed by it', () => {
  expect(droidResume.sessionFile('/d', 'abc')).toBe('/d/abc.jsonl')
  expect(droidResume.command('abc')).toBe('droid --session-id abc')
})

import { expect, test } from 'bun:test'
import { hookRecogniser } from './hook-command.ts'
import { addHooks, type HookLayout, removeHooks } from './hook-settings.ts'

const layout: HookLayout = {
  configPath: '.some/hooks.json',
  entries: (program) => [
    { event: 'start', matcher: '', hook: { type: 'command', bash: `${program} hooks some start` } },
    { event: 'stop', matcher: '', hook: { type: 'command', bash: `${program} hooks some stop` } },
  ],
  isEntireHook: hookRecogniser(['some']),
  members: [],
  switches: [],
  defaults: [{ path: ['version'], value: 1 }],
  groups: 'none',
  commandKey: 'bash',
}
const options = { command: 'entire', force: false }
const theirs = { version: 3, hooks: { stop: [{ bash: 'make lint' }] } }
const format = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

test('commands without groups are directly in the list of their event', () => {
  const { text, added } = addHooks('{}\n', layout, options)
  expect(added).toBe(2)
  expect(JSON.parse(text)).toEqual({
    version: 1,
    hooks: {
      start: [{ type: 'command', bash: 'entire hooks some start' }],
      stop: [{ type: 'command', bash: 'entire hooks some stop' }],
    },
  })
  expect(addHooks(text, layout, options)).toEqual({ text, added: 0 })
  expect(removeHooks(text, layout, '{}\n').trim()).toBe('{}')
})

test('foreign hooks and an existing version stay', () => {
  const { text } = addHooks(format(theirs), layout, options)
  expect(JSON.parse(text)).toEqual({
    version: 3,
    hooks: {
      stop: [{ bash: 'make lint' }, { type: 'command', bash: 'entire hooks some stop' }],
      start: [{ type: 'command', bash: 'entire hooks some start' }],
    },
  })
  expect(removeHooks(text, layout, format(theirs))).toBe(format(theirs))
})

test('the version stays for foreign hooks that were added to a file of Entire', () => {
  const { text } = addHooks('{}\n', layout, options)
  const added = JSON.parse(text)
  added.hooks.stop.push({ bash: 'make lint' })
  expect(JSON.parse(removeHooks(format(added), layout, '{}\n'))).toEqual({
    version: 1,
    hooks: { stop: [{ bash: 'make lint' }] },
  })
})

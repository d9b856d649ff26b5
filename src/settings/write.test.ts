import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { formatJson, type JsonObject } from '../std/json.ts'
import { applyChanges, changeSettings, findOverridden } from './write.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'entire-settings-file-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const path = (name: string) => join(root, '.entire', name)
const text = (name = 'settings.json') => readFileSync(path(name), 'utf8')
function put(content: string, name = 'settings.json') {
  mkdirSync(join(root, '.entire'), { recursive: true })
  writeFileSync(path(name), content)
}

test('a new file has the usual JSON layout', () => {
  changeSettings(root, 'project', { strategy: 'manual-commit', strategy_options: { push_sessions: false } })
  expect(text()).toBe(formatJson({ strategy: 'manual-commit', strategy_options: { push_sessions: false } }))
  expect(statSync(path('settings.json')).mode & 0o777).toBe(0o644 & ~process.umask())
})

test.each([
  ['a value in its place', '{\n\t"a": 1, // one\n\t"b": 2\n}', { a: 3 }, '{\n\t"a": 3, // one\n\t"b": 2\n}'],
  [
    'a new key at the end',
    '{\n  // first\n  "a": 1 // one\n}\n',
    { b: true },
    '{\n  // first\n  "a": 1, // one\n  "b": true\n}\n',
  ],
  [
    'a key inside a block',
    '{\n  "o": {\n    "x": 1\n  }\n}\n',
    { o: { y: 2 } },
    '{\n  "o": {\n    "x": 1,\n    "y": 2\n  }\n}\n',
  ],
  ['a block in place of something else', '{\n  "o": null\n}\n', { o: { y: 2 } }, '{\n  "o": {"y":2}\n}\n'],
  [
    'a key is taken out with its comma',
    '{\n  "a": 1,\n  // two\n  "b": 2\n}\n',
    { a: undefined },
    '{\n  // two\n  "b": 2\n}\n',
  ],
  [
    'with it the blocks that it leaves empty',
    '{\n  "o": {\n    "p": {\n      "x": 1\n    }\n  },\n  "b": 2\n}\n',
    { o: { p: { x: undefined } } },
    '{\n  "b": 2\n}\n',
  ],
  ['what is not there cannot be taken out', '{"b":2}', { o: { x: undefined } }, '{"b":2}'],
] as const)('%s', (_rule, before, changes, after) => {
  expect(applyChanges(before, 'settings.json', changes)).toBe(after)
})

test('a byte order mark stays, and a file that already has the value is not written', () => {
  put('\uFEFF{ "enabled": true }')
  const before = statSync(path('settings.json'), { bigint: true })
  changeSettings(root, 'project', { enabled: true })
  expect(statSync(path('settings.json'), { bigint: true }).ino).toBe(before.ino)
  changeSettings(root, 'project', { enabled: false })
  expect(text()).toBe('\uFEFF{ "enabled": false }')
})

test('a broken file is named and not changed', () => {
  put('{ broken')
  expect(() => changeSettings(root, 'project', { enabled: false })).toThrow(
    '.entire/settings.json is not valid JSON',
  )
  expect(text()).toBe('{ broken')
})

test('writing a key keeps all others and their order, and removing it restores the file', () => {
  const key = fc.string().filter((name) => !/^\d+$/.test(name) && name !== '__proto__' && name !== 'enabled')
  const layout = fc.constantFrom(undefined, '  ', '\t')
  fc.assert(
    fc.property(fc.dictionary(key, fc.jsonValue()), layout, (content, indent) => {
      const before = JSON.stringify(content, null, indent)
      const clean = JSON.parse(before) as JsonObject
      const written = applyChanges(before, 'settings.json', { enabled: false })
      expect(Object.keys(JSON.parse(written) as JsonObject)).toEqual([...Object.keys(clean), 'enabled'])
      expect(JSON.parse(written) as JsonObject).toEqual({ ...clean, enabled: false })
      expect(
        JSON.parse(applyChanges(written, 'settings.json', { enabled: undefined })) as JsonObject,
      ).toEqual(clean)
    }),
    { numRuns: 100, seed: 20261116 },
  )
})

test('finds changes of the project’s file that the local file overrides', () => {
  put('{"strategy":"auto-commit","enabled":true,"o":{"x":1}}', 'settings.local.json')
  expect(findOverridden(root, { strategy: 'manual-commit', enabled: true, o: { x: 2, y: 3 } })).toEqual([
    'strategy',
    'o.x',
  ])
})

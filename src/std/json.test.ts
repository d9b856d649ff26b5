import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { findObjects, formatJson } from './json.ts'

test.each<[string, object[]]>([
  ['{"a":1}', [{ a: 1 }]],
  ['Sure!\n```json\n{"a": {"b": "}"}}\n```\nAnything else?', [{ a: { b: '}' } }]],
  ['[{"a":1},{"b":2}]', [{ a: 1 }, { b: 2 }]],
  ['{"a":1}\n{"b":2}\n', [{ a: 1 }, { b: 2 }]],
  ['a {brace} and {"a":"\\"{"}', [{ a: '"{' }]],
  ['{"a":1', []],
  ['nothing', []],
  ['', []],
  ['"text"', []],
])('objects are found in %j', (text, objects) => {
  const found = findObjects(text)
  expect(found).toEqual(objects as typeof found)
})

test('an object is found whatever text surrounds it', () => {
  const around = fc.string().map((text) => text.replace(/[{}[\]"]/g, ' '))
  fc.assert(
    fc.property(around, fc.dictionary(fc.string(), fc.jsonValue()), around, (before, object, after) => {
      const written = JSON.parse(JSON.stringify(object))
      expect(findObjects(`${before} x ${JSON.stringify(object)} ${after}`)).toEqual([written])
    }),
    { seed: 7 },
  )
})

test('a text of nothing but open braces is given up quickly', () => {
  expect(findObjects('{'.repeat(300_000))).toEqual([])
})

test('formatted JSON says the same without characters that a terminal obeys', () => {
  const value = { '\x7f\u009b31m': 'a\u202eb\x1b[2J\u2028ü' }
  expect(formatJson(value)).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e]/)
  expect(JSON.parse(formatJson(value))).toEqual(value)
})

import { expect, test } from 'bun:test'
import { extensionReference } from '../../scripts/docs/extension-protocol.ts'
import { extensionSchemas } from '../../scripts/extension-schemas.ts'
import { extensionEvents } from './extension/events.ts'
import { permissionMeanings } from './extension/method.ts'
import { methods } from './extension/table.ts'

test('the reference names every method, event and permission', () => {
  const text = extensionReference()
  for (const name of [
    ...Object.keys(methods),
    ...Object.keys(extensionEvents),
    ...Object.keys(permissionMeanings),
  ])
    expect(text).toContain(`| \`${name}\` |`)
  expect(text).toContain(
    '| `tool/execute` | request to the extension | `callId?, name, args?` | `content?, isError?, errorCode?, errorHint?` | 30 min | – |',
  )
  expect(text).toContain('| `host/auth.getKey` | request to the host | `provider` | `key?` | 30 s | `auth` |')
  expect(text).toContain('| `shutdown` | notice to the extension | – | – | – | – |')
})

test('the reference links to schemas that exist', () => {
  const linked = [...extensionReference().matchAll(/schemas\/extension\/([\w-]+\.json)/g)].map(
    ([, file]) => file,
  )
  expect([...new Set(linked)].sort()).toEqual(Object.keys(extensionSchemas()).sort())
})

test('the schema of the protocol has the params of every method and the results of requests, all of them open', () => {
  const { $defs, allOf } = JSON.parse(extensionSchemas()['protocol.json'] ?? '')
  const expected = Object.entries(methods).flatMap(([name, method]) => [
    `${name}:params`,
    ...('result' in method ? [`${name}:result`] : []),
  ])
  expect(Object.keys($defs)).toEqual(expected)
  expect(allOf).toHaveLength(88)
  expect($defs['register/tool:params'].required).toEqual(['name'])
  expect(JSON.stringify($defs)).not.toContain('"additionalProperties":false')
  // Every reference points to something.
  for (const { then } of allOf) {
    const ref: string = then.properties.params.anyOf[0].$ref
    const name = decodeURIComponent(ref.slice('#/$defs/'.length)).replaceAll('~1', '/').replaceAll('~0', '~')
    expect($defs).toHaveProperty([name])
  }
})

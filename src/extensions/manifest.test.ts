import { describe, expect, test } from 'bun:test'
import { parseManifest } from './manifest.ts'
import { runtimeCommand } from './runtime.ts'

const dir = '/ext/hello'

test('a manifest says what to run and what it may do', () => {
  const text = `name: hello
version: 1.10
runtime: node
entry: src/index.js
description: is not looked at
capabilities: [tools]
permissions: ["auth:openai", session:write]
transport: fd
watch:
  - src/**/*.js
`
  expect(parseManifest(text, dir)).toEqual({
    name: 'hello',
    version: '1.10',
    runtime: 'node',
    entry: 'src/index.js',
    dir,
    permissions: ['auth:openai', 'session:write'],
    transport: 'fd',
    watch: ['src/**/*.js'],
  })
})

test('what is left out is empty, and permissions that are left out are not an empty list', () => {
  expect(parseManifest('name: 12\nruntime: ./hello\n', dir)).toEqual({
    name: '12',
    version: '',
    runtime: './hello',
    entry: '',
    dir,
    permissions: undefined,
    transport: undefined,
    watch: [],
  })
  expect(parseManifest('name: a\nruntime: b\npermissions:\n', dir).permissions).toEqual([])
})

describe('a bad manifest is refused with its file and the rule', () => {
  test.each([
    ['runtime: node\n', 'name is required'],
    ['name: ""\nruntime: node\n', 'name is required'],
    ['name: a\n', 'runtime is required'],
    ['name: ../a\nruntime: node\n', 'must not have slashes'],
    ['name: "a\\u001b[2J"\nruntime: node\n', 'control characters'],
    ['name: [a]\nruntime: node\n', 'name must be a string'],
    ['name: a\nruntime: node\npermissions: all\n', 'permissions must be a list'],
    ['name: a\nruntime: node\ntransport: tcp\n', 'transport must be stdio or fd'],
    ['- a\n', 'is not a list of fields'],
    ['', 'is not a list of fields'],
    ['name: "a\n', 'is not valid YAML'],
  ])('%j', (text, rule) => {
    expect(() => parseManifest(text, dir)).toThrow(rule)
    expect(() => parseManifest(text, dir)).toThrow('/ext/hello/manifest.yaml: ')
  })
})

describe('a runtime is run', () => {
  test.each([
    ['bun', 'index.ts', ['bun', 'run', '/ext/hello/index.ts']],
    ['node', 'index.js', ['node', '/ext/hello/index.js']],
    ['deno', 'index.ts', ['deno', 'run', '--allow-all', '/ext/hello/index.ts']],
    ['python', 'main.py', ['python3', '/ext/hello/main.py']],
    ['/usr/bin/ruby', 'main.rb', ['/usr/bin/ruby', '/ext/hello/main.rb']],
    ['hello', '', ['/ext/hello/hello']],
    ['toString', '', ['/ext/hello/toString']],
  ])('%s', (runtime, entry, command) => {
    expect(runtimeCommand({ ...parseManifest('name: a\nruntime: b\n', dir), runtime, entry })).toEqual(
      command,
    )
  })
})

// The published libraries work on Node: a program that hosts extensions, and types for both sides.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { libraries } from '../../scripts/build-libraries.ts'
import { installPackage } from '../support/install-package.ts'

const root = join(import.meta.dir, '../..')
const modules = join(root, 'node_modules')

let dir: string
beforeAll(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'extension-library-')))
  installPackage(dir)
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const extension = `import { createExtension } from 'entire-ts/extension-sdk'
createExtension({ name: 'sum', version: '1' })
  .tool('add', { description: 'Adds', parameters: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] }, execute: async ({ a, b }, { host }) => \`\${a + b} for \${await host.sessionTitle()}\` })
  .run()
`

const program = `import { callTool, createHeadless } from 'entire-ts/extension-host'

const piglet = createHeadless({ cwd: process.cwd(), configDir: process.cwd(), env: process.env })
await piglet.start()
piglet.app.requests['host/setSessionTitle']({ title: 'sums' }, undefined as never)
const outcome = await callTool(piglet.host, 'add', { a: 2, b: 3 }, { id: '1', signal: new AbortController().signal })
console.log(outcome?.content[0]?.text)
await piglet.stop()
`

test('a program on Node hosts an extension, and both are typed', () => {
  mkdirSync(join(dir, 'extensions', 'sum'), { recursive: true })
  writeFileSync(
    join(dir, 'extensions', 'sum', 'manifest.yaml'),
    'name: sum\nruntime: node\nentry: main.mjs\n',
  )
  writeFileSync(join(dir, 'extensions', 'sum', 'main.mts'), extension)
  writeFileSync(join(dir, 'program.mts'), program)
  const compilerOptions = {
    target: 'ES2022',
    module: 'NodeNext',
    strict: true,
    skipLibCheck: true,
    types: ['node'],
  }
  writeFileSync(
    join(dir, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['program.mts', 'extensions/**/*.mts'] }),
  )
  const options = { cwd: dir, encoding: 'utf8' as const, timeout: 60_000 }
  const compiled = spawnSync(join(modules, '.bin', 'tsc'), [], options)
  expect(`${compiled.stdout}${compiled.stderr}`).toBe('')
  const { stdout, stderr } = spawnSync('node', ['program.mjs'], options)
  expect(`${stdout}${stderr}`).toBe('5 for sums\n')
})

test('package.json exports every library that is built, and its types', () => {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  expect(exports).toEqual(
    Object.fromEntries(
      Object.entries(libraries).map(([name, entry]) => [
        `./${name}`,
        { types: `./dist/types/${entry.slice(4, -3)}.d.ts`, default: `./dist/${name}.js` },
      ]),
    ),
  )
})

test.each(['extension-sdk', 'extension-host'])('%s needs nothing but Node', (name) => {
  const text = readFileSync(join(dir, `node_modules/entire-ts/dist/${name}.js`), 'utf8')
  expect(text).not.toMatch(/\bBun\.\w+\(/)
  const imported = [...text.matchAll(/(?:from|import\()\s*["']([^"']+)["']/g)].map(
    ([, module]) => module ?? '',
  )
  expect(imported.filter((module) => !module.startsWith('node:'))).toEqual([])
})

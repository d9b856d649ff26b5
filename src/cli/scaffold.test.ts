import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { kitSource } from './scaffold.ts'

const base = realpathSync(mkdtempSync(join(tmpdir(), 'kit-')))
afterAll(() => rmSync(base, { recursive: true, force: true }))

function put(path: string, name?: string): string {
  const program = join(base, path)
  mkdirSync(dirname(program), { recursive: true })
  writeFileSync(program, '')
  if (name !== undefined)
    writeFileSync(join(dirname(dirname(program)), 'package.json'), JSON.stringify({ name }))
  return program
}

test('in a clone the kit is that of the clone, also when the program is called by a link', () => {
  const program = put('my "clone"/dist/entire', 'entire-ts')
  const link = join(base, 'entire')
  symlinkSync(program, link)
  for (const path of [program, link])
    expect(JSON.parse(`"${kitSource(path)}"`)).toBe(`file:${join(base, 'my "clone"')}`)
})

test.each([
  ['installed', 'lib/node_modules/entire-ts/dist/entire', 'entire-ts'],
  ['a file somewhere', 'bin/dist/entire', undefined],
  ['part of something else', 'other/dist/entire', 'other'],
])('where the program is %s, there is a release', (_title, path, name) => {
  expect(kitSource(put(path, name))).toBeUndefined()
})

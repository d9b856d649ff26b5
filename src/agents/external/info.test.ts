import { afterEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Info, openInfoCache } from './info.ts'

const dir = mkdtempSync(join(tmpdir(), 'entire-info-'))
const plugin = join(dir, 'entire-agent-x')
const file = join(dir, 'cache.json')
const now = () => new Date('2026-01-13T12:00:00Z')
const info = {
  name: 'x',
  type: 'X',
  description: 'x',
  hook_names: [],
  protected_dirs: [],
  capabilities: {},
} as unknown as Info

afterEach(() => rmSync(file, { force: true }))
process.on('exit', () => rmSync(dir, { recursive: true, force: true }))

test('an answer is remembered until the file of the plugin changes', () => {
  writeFileSync(plugin, 'one')
  openInfoCache(file, now).remember(plugin, { info })
  expect(openInfoCache(file, now).find(plugin)).toEqual({ info })
  utimesSync(plugin, 1, 1)
  expect(openInfoCache(file, now).find(plugin)).toBeUndefined()
})

test('a problem is remembered for ten minutes', () => {
  writeFileSync(plugin, 'one')
  openInfoCache(file, now).remember(plugin, { problem: 'it hangs' })
  expect(openInfoCache(file, now).find(plugin)).toEqual({ problem: 'it hangs' })
  expect(openInfoCache(file, () => new Date('2026-01-13T12:11:00Z')).find(plugin)).toBeUndefined()
})

test.each(['', 'garbage', '{"plugins":[]}', '{"plugins":{"/x":5}}'])(
  'a damaged file remembers nothing: %s',
  (text) => {
    writeFileSync(file, text)
    expect(openInfoCache(file, now).find(plugin)).toBeUndefined()
  },
)

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseManifest } from '../../extensions/manifest.ts'
import { Undo } from '../tools/tool-context.ts'
import { readPigletConfig, writeSetting } from './config.ts'
import { createFindKey } from './keys.ts'
import { Trust } from './trust.ts'

let dir: string
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'entire-settings-')))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

describe('settings', () => {
  test('of the wrong type count as not set; a broken file is named', () => {
    writeFileSync(join(dir, 'config.yaml'), 'a: { b: x, "c.d": 5 }\nlist: [p, 1, q]\n')
    const config = readPigletConfig(dir)
    expect([
      config.number('a.b', 3),
      config.number('a.c.d', 3),
      config.text('list'),
      config.texts('list'),
      config.flag('a'),
      config.get('a.b.c'),
      config.get('constructor'),
    ]).toEqual([3, 5, '', ['p', 'q'], false, undefined, undefined])
    expect(readPigletConfig(join(dir, 'none')).get('a')).toBeUndefined()
    writeFileSync(join(dir, 'config.yaml'), 'a: [')
    expect(() => readPigletConfig(dir)).toThrow(join(dir, 'config.yaml'))
    expect(() => writeSetting(dir, 'a', 1)).toThrow(join(dir, 'config.yaml'))
  })

  test('changing one keeps everything else, comments included', () => {
    writeFileSync(join(dir, 'config.yaml'), '# mine\nagent:\n  maxTurns: 3 # few\n')
    writeSetting(dir, 'agent.compactAt', 9)
    writeSetting(dir, 'defaultModel', 'a/b')
    expect(readFileSync(join(dir, 'config.yaml'), 'utf8')).toBe(
      '# mine\nagent:\n  maxTurns: 3 # few\n  compactAt: 9\ndefaultModel: a/b\n',
    )
    writeSetting(join(dir, 'new'), 'a.b', true)
    expect(readPigletConfig(join(dir, 'new')).flag('a.b')).toBe(true)
  })
})

test('a key is found by an alias; a variable that is not set gives no key; a command that fails is reported', async () => {
  const find = createFindKey(dir, {
    PATH: process.env.PATH,
    GEMINI_API_KEY: 'env',
    GITHUB_COPILOT_API_KEY: 'gc',
  })
  expect([await find('google'), await find('COPILOT'), await find('none')]).toEqual(['env', 'gc', ''])
  writeFileSync(
    join(dir, 'auth.json'),
    JSON.stringify({ Gemini: 'file', a: '$UNSET', b: '!echo no >&2; exit 2' }),
    { mode: 0o600 },
  )
  expect([await find('google'), await find('a')]).toEqual(['file', ''])
  await expect(find('b')).rejects.toThrow('failed: no')
  writeFileSync(join(dir, 'auth.json'), '[]')
  await expect(find('a')).rejects.toThrow('auth.json is not a JSON object')
})

test('grants are stored privately, can be revoked, and a broken file is never overwritten', () => {
  const trust = new Trust(dir)
  expect([trust.allows('e', 'auth:x'), trust.trustsProject(dir), trust.grants('e')]).toEqual([
    false,
    false,
    [],
  ])
  trust.grant('e', ['auth:x', 'env:T'])
  trust.grant('f', ['auth'])
  symlinkSync(dir, join(dir, 'link'))
  trust.trustProject(join(dir, 'link'))
  expect([
    trust.allows('e', 'auth:x'),
    trust.allows('e', 'auth:y'),
    trust.allows('f', 'auth:y'),
    trust.variables(parseManifest('name: e\nruntime: node\n', join(dir, 'extensions', 'e'))),
    trust.variables(parseManifest('name: e\nruntime: node\n', join(dir, 'elsewhere', 'e'))),
    trust.trustsProject(dir),
  ]).toEqual([true, false, true, ['T'], [], true])
  expect(statSync(trust.path).mode & 0o777).toBe(0o600)
  trust.revoke('e')
  trust.distrustProject(dir)
  expect([trust.allows('e', 'auth:x'), trust.allows('f', 'auth:y'), trust.trustsProject(dir)]).toEqual([
    false,
    true,
    false,
  ])
  writeFileSync(trust.path, 'broken')
  expect(() => trust.grant('e', ['auth'])).toThrow('trust.json')
  expect(readFileSync(trust.path, 'utf8')).toBe('broken')
})

test('one generation of a file is kept, under the name that the reference program gives it', () => {
  const undo = new Undo(dir)
  const path = join(dir, 'f')
  undo.keep(path)
  expect(undo.list()).toEqual({})
  writeFileSync(path, 'first')
  undo.keep(path)
  writeFileSync(path, 'second!')
  undo.keep(path)
  expect(undo.list()).toEqual({ [path]: 7 })
  const name = new Bun.CryptoHasher('sha256').update(path).digest('hex').slice(0, 32)
  expect([
    readFileSync(join(dir, 'undo', `${name}.snap`), 'utf8'),
    readFileSync(join(dir, 'undo', `${name}.path`), 'utf8'),
  ]).toEqual(['second!', path])
  rmSync(path)
  undo.restore(path)
  expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['second!', 0o644])
})

// Installs and removes hooks: existing hooks stay, run, and are restored byte for byte.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EntireError } from '../../std/errors.ts'
import { hooksStatus, installHooks, uninstallHooks } from './install.ts'
import { type HookName, hookMarker, hookNames } from './names.ts'

let base: string
let dir: string
const options = { command: 'entire' }
const mine = '#!/bin/sh\necho mine\n'

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'entire-hooks-'))
  dir = join(base, 'a hooks dir')
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

function put(name: string, content: string, mode = 0o755): void {
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, name), content)
  chmodSync(join(dir, name), mode)
}
const text = (name: string) => readFileSync(join(dir, name), 'utf8')
const stat = (name: string) => lstatSync(join(dir, name), { throwIfNoEntry: false })
const isOurs = (name: string) => text(name).includes(`\n${hookMarker}\n`)

describe('install', () => {
  test('makes the directory and five executable hooks, and a second run writes nothing', () => {
    expect(installHooks(dir, options)).toEqual({ written: hookNames, backups: [], warnings: [] })
    for (const name of hookNames)
      expect({ name, ours: isOurs(name), mode: stat(name)!.mode & 0o700 }).toEqual({
        name,
        ours: true,
        mode: 0o700,
      })
    expect(installHooks(dir, options)).toEqual({ written: [], backups: [], warnings: [] })
  })

  test('keeps an existing hook under its backup name and chains it, once', () => {
    put('commit-msg', mine, 0o751)
    put('pre-push.sample', 'sample')
    expect(installHooks(dir, options)).toEqual({
      written: hookNames,
      backups: ['commit-msg.pre-entire'],
      warnings: [],
    })
    expect([text('commit-msg.pre-entire'), stat('commit-msg.pre-entire')!.mode & 0o777]).toEqual([
      mine,
      0o751,
    ])
    expect(text('commit-msg')).toContain('$_entire_hook_dir/commit-msg.pre-entire')
    expect(text('pre-push')).not.toContain('Chain:')
    expect(stat('pre-push.pre-entire')).toBeUndefined()
    expect(installHooks(dir, options).written).toEqual([])
  })

  test('keeps an earlier backup, and the hook that has replaced Entire’s since', () => {
    put('commit-msg', mine)
    installHooks(dir, options)
    put('commit-msg', '#!/bin/sh\necho newer\n')
    const { written, warnings } = installHooks(dir, options)
    expect(written).toEqual(['commit-msg'])
    expect(warnings).toEqual([
      expect.stringContaining('backup commit-msg.pre-entire already exists from a previous install'),
    ])
    expect(text('commit-msg.pre-entire')).toBe(mine)
    expect(text('commit-msg')).toContain('commit-msg.pre-entire.2')
    expect(installHooks(dir, options)).toEqual({ written: [], backups: [], warnings: [] })
    uninstallHooks(dir)
    expect([text('commit-msg'), text('commit-msg.pre-entire')]).toEqual(['#!/bin/sh\necho newer\n', mine])
  })

  test('moves a link and does not touch what it points to', () => {
    mkdirSync(dir)
    writeFileSync(join(base, 'elsewhere.sh'), mine, { mode: 0o755 })
    symlinkSync('../elsewhere.sh', join(dir, 'post-commit'))
    installHooks(dir, options)
    expect(readlinkSync(join(dir, 'post-commit.pre-entire'))).toBe('../elsewhere.sh')
    expect(stat('post-commit')!.isFile() && isOurs('post-commit')).toBe(true)
    expect(readFileSync(join(base, 'elsewhere.sh'), 'utf8')).toBe(mine)
    uninstallHooks(dir)
    expect(readlinkSync(join(dir, 'post-commit'))).toBe('../elsewhere.sh')
  })

  test('where no directory can be created, the error says what to check', () => {
    writeFileSync(join(base, 'file'), '')
    for (const place of [join(base, 'file'), join(base, 'file', 'hooks')]) {
      expect(hooksStatus(place, options)).toBe('missing')
      const error = thrownBy(() => installHooks(place, options))
      expect(error).toMatchObject({ code: 'write-failed', hint: expect.stringContaining('core.hooksPath') })
      expect(uninstallHooks(place)).toEqual({ removed: [], warnings: [] })
    }
  })
})

describe('status of hooks', () => {
  const changes: Record<string, [() => void, 'all' | 'outdated' | 'missing']> = {
    'nothing happened': [() => {}, 'all'],
    'a hook was deleted': [() => rmSync(join(dir, 'pre-push')), 'missing'],
    'a hook was overwritten': [() => put('pre-push', mine), 'missing'],
    'a hook lost its executable bit': [() => chmodSync(join(dir, 'pre-push'), 0o644), 'missing'],
    'a hook is from another version': [
      () => put('pre-push', `#!/bin/sh\n${hookMarker}\nentire hooks git pre-push "$1"\n`),
      'outdated',
    ],
    'the backup is gone': [() => rmSync(join(dir, 'commit-msg.pre-entire')), 'outdated'],
  }
  for (const [change, [make, expected]] of Object.entries(changes))
    test(`${change}: ${expected}, and installing again repairs it`, () => {
      put('commit-msg', mine)
      installHooks(dir, options)
      make()
      expect(hooksStatus(dir, options)).toBe(expected)
      expect(installHooks(dir, options).written.length).toBe(expected === 'all' ? 0 : 1)
      expect(hooksStatus(dir, options)).toBe('all')
    })

  test('another command makes them outdated; a path outside ASCII does not', () => {
    installHooks(dir, options)
    const other = { command: '/opt/Zoë’s/entire' }
    expect(hooksStatus(dir, other)).toBe('outdated')
    expect(installHooks(dir, other).written).toEqual(hookNames)
    expect(hooksStatus(dir, other)).toBe('all')
  })
})

describe('uninstall', () => {
  test('removes Entire’s hooks, and nothing where there are none', () => {
    expect(uninstallHooks(dir)).toEqual({ removed: [], warnings: [] })
    installHooks(dir, options)
    expect(uninstallHooks(dir)).toEqual({ removed: hookNames, warnings: [] })
    expect(hookNames.filter((name) => stat(name))).toEqual([])
    expect(stat('.')?.isDirectory()).toBe(true)
  })

  test('leaves a foreign hook alone', () => {
    put('commit-msg', mine)
    expect(uninstallHooks(dir)).toEqual({ removed: [], warnings: [] })
    expect(text('commit-msg')).toBe(mine)
  })

  test('restores a backup even when Entire’s hook is gone', () => {
    put('commit-msg', mine, 0o711)
    installHooks(dir, options)
    rmSync(join(dir, 'commit-msg'))
    expect(uninstallHooks(dir).removed).toEqual(hookNames.filter((name: HookName) => name !== 'commit-msg'))
    expect([text('commit-msg'), stat('commit-msg')!.mode & 0o777, stat('commit-msg.pre-entire')]).toEqual([
      mine,
      0o711,
      undefined,
    ])
  })

  test('does not overwrite a hook that has replaced Entire’s', () => {
    put('commit-msg', mine)
    installHooks(dir, options)
    put('commit-msg', 'newer')
    expect(uninstallHooks(dir).warnings).toEqual([
      'commit-msg was modified since install; backup commit-msg.pre-entire left in place',
    ])
    expect([text('commit-msg'), text('commit-msg.pre-entire')]).toEqual(['newer', mine])
  })

  test('without permission names every hook that failed, and so does an installation', () => {
    put('commit-msg', mine)
    installHooks(dir, options)
    rmSync(join(dir, 'pre-push'))
    chmodSync(base, 0o755)
    chmodSync(dir, 0o555)
    const [removing, installing] = asNobody(() => [
      thrownBy(() => uninstallHooks(dir)),
      thrownBy(() => installHooks(dir, options)),
    ])
    chmodSync(dir, 0o755)
    expect(removing).toMatchObject({
      code: 'write-failed',
      message: expect.stringMatching(/^The git hooks could not be removed: prepare-.*; commit-msg: /),
    })
    expect(String(removing)).not.toContain('pre-push')
    expect(installing).toMatchObject({ code: 'write-failed', message: expect.stringContaining(dir) })
    expect(text('commit-msg.pre-entire')).toBe(mine)
  })
})

// Root ignores permissions.
function asNobody<T>(act: () => T): T {
  if (process.getuid?.() !== 0) return act()
  process.seteuid?.(65534)
  try {
    return act()
  } finally {
    process.seteuid?.(0)
  }
}

function thrownBy(act: () => unknown): unknown {
  try {
    return act()
  } catch (error) {
    expect(error).toBeInstanceOf(EntireError)
    return error
  }
}

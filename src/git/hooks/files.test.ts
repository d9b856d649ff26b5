// The user is warned about an unusual hooks directory.
import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findHooksDirWarning } from './files.ts'

const places: [string, string | undefined][] = [
  ['repo/.git/hooks', undefined],
  ['repo/.git/not-there-yet', undefined],
  ['repo/.husky/_', undefined],
  ['repo/.githooks', 'work tree'],
  ['repo/..hooks', 'work tree'],
  ['home/.githooks', 'other repositories'],
  ['repo-hooks', 'other repositories'],
]

for (const [place, expected] of places)
  test(`hooks in ${place}: ${expected ?? 'no warning'}`, () => {
    const base = mkdtempSync(join(tmpdir(), 'entire-hooks-'))
    try {
      for (const dir of ['repo/.git/hooks', 'repo/.husky/_', 'repo/.githooks', 'home/.githooks'])
        mkdirSync(join(base, dir), { recursive: true })
      writeFileSync(join(base, 'repo/.husky/_/.gitignore'), '*')
      const hooksDir = join(base, place)
      const warning = findHooksDirWarning(hooksDir, {
        root: join(base, 'repo'),
        commonDir: join(base, 'repo/.git'),
      })
      if (expected === undefined) expect(warning).toBeUndefined()
      else for (const part of [expected, hooksDir]) expect(warning).toContain(part)
    } finally {
      rmSync(base, { recursive: true, force: true })
    }
  })

import { expect, test } from 'bun:test'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { recordedRepo } from './recorded-repo.ts'
import { tempDir, tempRepo } from './repo.ts'
import { availableKinds } from './repo-kinds.ts'
import { copyTemplate, takeSnapshot } from './template.ts'

test('a template is made once; paths in the copies of its files and links lead into the copy', async () => {
  await using dir = tempDir()
  let made = 0
  const make = async (base: string) => {
    made += 1
    mkdirSync(join(base, 'objects'))
    for (const name of ['config', 'objects/ab']) writeFileSync(join(base, name), `\xff ${base}/x`, 'latin1')
    writeFileSync(join(base, 'run'), '#!/bin/sh\n', { mode: 0o755 })
    symlinkSync(join(base, 'config'), join(base, 'link'))
  }
  const name = `template-test-${process.pid}`
  for (const copy of ['one', 'two']) {
    const target = join(dir.base, copy)
    await copyTemplate(name, target, make)
    expect(readFileSync(join(target, 'config'), 'latin1')).toBe(`\xff ${target}/x`)
    expect(readFileSync(join(target, 'objects/ab'), 'latin1')).not.toContain(target)
    expect(readlinkSync(join(target, 'link'))).toBe(join(target, 'config'))
    expect(lstatSync(join(target, 'run')).mode & 0o777).toBe(0o755)
  }
  expect(made).toBe(1)
})

test('a snapshot puts back what was changed, removed and added', async () => {
  await using dir = tempDir()
  const place = join(dir.base, 'place')
  mkdirSync(place)
  for (const name of ['changed', 'removed']) writeFileSync(join(place, name), 'before')
  const { mtimeMs } = lstatSync(join(place, 'changed'))
  using snapshot = takeSnapshot(place)
  writeFileSync(join(place, 'changed'), 'after')
  writeFileSync(join(place, 'added'), 'after')
  snapshot.restore()
  expect(readFileSync(join(place, 'changed'), 'utf8')).toBe('before')
  expect(Math.abs(lstatSync(join(place, 'changed')).mtimeMs - mtimeMs)).toBeLessThan(1)
  expect([existsSync(join(place, 'removed')), existsSync(join(place, 'added'))]).toEqual([true, false])
})

test('every kind of repository is clean and sound when it is copied, and mentions no template', async () => {
  await using dir = tempDir()
  for (const kind of await availableKinds(dir.base, dir.env)) {
    await using repo = await tempRepo({ kind })
    expect({ kind, status: await repo.git('status', '--porcelain') }).toEqual({ kind, status: '' })
    await repo.git('fsck', '--strict')
    const found = await repo.run(['grep', '-rlI', '--exclude=.gitmodules', 'templates/', repo.base])
    const files = found.stdout
      .toString()
      .split('\n')
      .filter((line) => line !== '' && !line.includes('/hooks/'))
    expect({ kind, files }).toEqual({ kind, files: [] })
  }
})

test('a copied repository records as one in which the program was enabled', async () => {
  await using repo = await recordedRepo()
  const again = await repo.entire(['enable'])
  expect(again).toMatchObject({ code: 0, out: expect.stringContaining('Already enabled.') })
})

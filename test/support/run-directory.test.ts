import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeRunDirectory } from './run-directory.ts'

test('the directories of runs that were killed are removed, those of others stay', () => {
  const dead = Bun.spawnSync(['true']).pid
  // The name is taken from a process that lives as long as this one.
  const mine = makeRunDirectory(process.ppid)
  const wasThere = makeRunDirectory(process.ppid) === mine
  const left = mine.replace(/\d+$/, String(dead))
  mkdirSync(join(left, 'templates'), { recursive: true })
  const elsewhere = join(dirname(mine), `entire-tests-0-${dead}`)
  mkdirSync(elsewhere)
  const other = makeRunDirectory(process.pid)
  expect([wasThere, existsSync(left), existsSync(mine), existsSync(other)]).toEqual([true, false, true, true])
  // The process may well live, where its id means something.
  expect(existsSync(elsewhere)).toBe(true)
  rmSync(elsewhere, { recursive: true })
  // One of them may hold the temporary files of this run.
  for (const path of [mine, other])
    if (!process.env.TMPDIR?.startsWith(path)) rmSync(path, { recursive: true })
})

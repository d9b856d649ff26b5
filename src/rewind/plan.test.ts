import { expect, test } from 'bun:test'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { tempDir } from '../../test/support/repo.ts'
import type { Status } from '../git/status.ts'
import { lookAtDisk } from './disk.ts'
import { planRewind, type RewindFacts, type SkipReason } from './plan.ts'

const entry = { mode: '100644', oid: 'a'.repeat(40) }

/** Files that are on disk, in the step, in HEAD and touched by sessions. */
interface Ground {
  disk: string[]
  step?: string[]
  head?: string[]
  touched?: string[]
  before?: string[]
  unchanged?: string[]
}

async function plan(ground: Ground, prepare: (root: string) => void = () => {}) {
  await using dir = tempDir()
  const root = join(dir.base, 'root')
  for (const path of ground.disk) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), path)
  }
  prepare(root)
  const { step = [], head = [], touched = [], before = [], unchanged = [] } = ground
  const status: Status = {
    at: 0,
    head: 'h',
    branch: 'main',
    modified: [],
    deleted: [],
    untracked: ground.disk.filter((path) => !head.includes(path)),
  }
  const facts: RewindFacts = {
    status,
    differences: [
      ...step.map((path) => ({ path, entry })),
      ...head.filter((path) => !step.includes(path)).map((path) => ({ path, entry: undefined })),
    ],
    entries: new Map(step.map((path) => [path, entry])),
    committed: new Map(head.map((path) => [path, entry])),
    leftOut: new Set(),
    unchanged: new Set(unchanged),
    disk: lookAtDisk(root),
    isTouched: (path) => touched.includes(path),
    isMadeBySession: (path) => touched.includes(path) && !before.includes(path),
    isProtected: (path) => path.startsWith('.claude/'),
  }
  return planRewind(facts)
}

const kept = (path: string, reason: SkipReason) => ({ path, reason })

test('files that differ from the step are restored, and files of sessions that it lacks are removed', async () => {
  const ground = {
    disk: ['a', 'b', 'c'],
    step: ['a', 'b', 'd'],
    head: ['a', 'd'],
    touched: ['b', 'c'],
    unchanged: ['b'],
  }
  expect(await plan(ground)).toEqual({ restore: ['a', 'd'], remove: ['c'], skip: [] })
})

test('files that no session made stay, even if a step has another version of them', async () => {
  const ground = {
    disk: ['mine', 'before', 'notes'],
    step: ['notes', 'lost'],
    touched: ['before'],
    before: ['before'],
  }
  expect(await plan(ground)).toEqual({
    restore: ['lost'],
    remove: [],
    skip: ['before', 'mine', 'notes'].map((path) => kept(path, 'not-made-by-a-session')),
  })
})

test('files that the agent deleted are deleted, except in directories of agents; .entire is never planned', async () => {
  const ground = { disk: ['gone', '.claude/x', '.entire/y'], head: ['gone', '.claude/x', '.entire/y'] }
  expect(await plan(ground)).toEqual({
    restore: [],
    remove: ['gone'],
    skip: [kept('.claude/x', 'of-an-agent')],
  })
})

test('a file becomes a directory and back where nothing else is in the way', async () => {
  const ground = {
    disk: ['file/inner', 'dir'],
    step: ['file', 'dir/inner'],
    touched: ['file/inner', 'dir', 'file', 'dir/inner'],
  }
  expect(await plan(ground)).toEqual({
    restore: ['dir/inner', 'file'],
    remove: ['dir', 'file/inner'],
    skip: [],
  })
})

test('links are not followed out of the work tree, and what is in the way of a file stays', async () => {
  const outside = (root: string) => {
    mkdirSync(join(root, '../outside'), { recursive: true })
    writeFileSync(join(root, '../outside/file'), 'outside')
    symlinkSync('../outside', join(root, 'link'))
    mkdirSync(join(root, 'other/.git'), { recursive: true })
    writeFileSync(join(root, 'dir/ignored'), 'ignored')
  }
  const ground = {
    disk: ['dir/made'],
    step: ['link/file', 'other/file', 'dir'],
    touched: ['dir/made', 'link/file', 'other/file', 'dir'],
  }
  expect(await plan(ground, outside)).toEqual({
    restore: [],
    remove: ['dir/made'],
    skip: ['dir', 'link/file', 'other/file'].map((path) => kept(path, 'something-in-the-way')),
  })
})

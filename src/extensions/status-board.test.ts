import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../../test/support/until.ts'
import { publishBoard, readBoards, type StatusBoard } from './status-board.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'entire-board-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const board = (at: string): StatusBoard => ({ pid: process.pid, cwd: '/p', at, extensions: [] })

test('a program publishes the state of its extensions until it ends', async () => {
  let count = 0
  const published = publishBoard(dir, () => board(String(count++)), 5)
  expect(readBoards(dir)).toEqual([board('0')])
  await until(() => readBoards(dir)[0]?.at !== '0')
  published.close()
  expect(readBoards(dir)).toEqual([])
})

test('files of programs that are gone, and unreadable files, are removed', () => {
  publishBoard(dir, () => board('0')).close()
  const gone = Bun.spawnSync(['true']).pid
  writeFileSync(join(dir, 'run', `${gone}.json`), JSON.stringify({ ...board('0'), pid: gone }))
  writeFileSync(join(dir, 'run', '1.json'), '{')
  writeFileSync(join(dir, 'run', 'other.txt'), '')
  expect(readBoards(dir)).toEqual([])
  expect(readdirSync(join(dir, 'run'))).toEqual(['other.txt'])
})

test('a directory that cannot be written is not an error', () => {
  writeFileSync(join(dir, 'file'), '')
  publishBoard(join(dir, 'file'), () => board('0')).close()
  expect(readBoards(join(dir, 'file'))).toEqual([])
  expect(existsSync(join(dir, 'run'))).toBe(false)
})

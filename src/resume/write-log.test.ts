import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeLog } from './write-log.ts'

const base = mkdtempSync(join(tmpdir(), 'entire-restore-write-'))
afterAll(() => rmSync(base, { recursive: true, force: true }))

const now = new Date('2026-11-15T12:34:56.789Z')
let places = 0

function place(): string {
  places += 1
  return join(base, String(places), 'projects', 's.jsonl')
}

function write(path: string, ...pieces: string[]) {
  const log = writeLog(path, now)
  for (const piece of pieces) log.write(Buffer.from(piece))
  return log.finish()
}

const names = (path: string) => readdirSync(join(path, '..')).sort()

test('a new log is private, and its directories too', () => {
  const path = place()
  expect(write(path, 'a\n', 'b\n')).toBeUndefined()
  expect(readFileSync(path, 'utf8')).toBe('a\nb\n')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(statSync(join(path, '..')).mode & 0o777).toBe(0o750)
})

test('a replaced log is kept as a backup, under a name that no agent takes for a log', () => {
  const path = place()
  write(path, 'one\n')
  expect(write(path, 'two\n')).toBe(`${path}.backup-20261115T123456Z`)
  expect(write(path, 'three\n')).toBe(`${path}.backup-20261115T123456Z-1`)
  expect(names(path)).toEqual([
    's.jsonl',
    's.jsonl.backup-20261115T123456Z',
    's.jsonl.backup-20261115T123456Z-1',
  ])
  expect(readFileSync(`${path}.backup-20261115T123456Z`, 'utf8')).toBe('one\n')
  expect(readFileSync(`${path}.backup-20261115T123456Z-1`, 'utf8')).toBe('two\n')
})

test('the same log is not written, and one that only grew needs no copy', () => {
  const path = place()
  write(path, 'one\n')
  const before = statSync(path)
  expect(write(path, 'one\n')).toBeUndefined()
  expect(statSync(path)).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs })
  expect(write(path, 'one\n', 'two\n')).toBeUndefined()
  expect(names(path)).toEqual(['s.jsonl'])
})

test('giving up leaves everything as it was', () => {
  const path = place()
  write(path, 'one\n')
  const log = writeLog(path, now)
  log.write(Buffer.from('half'))
  log.abort()
  expect(names(path)).toEqual(['s.jsonl'])
  expect(readFileSync(path, 'utf8')).toBe('one\n')
})

test('a symlink in the place of the log is replaced, and what it points to stays', () => {
  const path = place()
  write(path, 'one\n')
  const target = join(base, 'target')
  writeFileSync(target, 'of the user\n')
  rmSync(path)
  symlinkSync(target, path)
  write(path, 'two\n')
  expect(readFileSync(target, 'utf8')).toBe('of the user\n')
  expect(readFileSync(path, 'utf8')).toBe('two\n')
})

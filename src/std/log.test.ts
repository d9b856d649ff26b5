import { expect, test } from 'bun:test'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir } from '../../test/support/repo.ts'
import { fileLog, parseLogLevel, startTrace } from './log.ts'

test('one JSON line per event at or above the level, in a private file', async () => {
  await using dir = tempDir()
  const path = join(dir.base, 'logs', 'entire.log')
  const log = fileLog(path, 'info', { session: 's1' })
  log.write('debug', 'unseen')
  log.write('info', 'line\nbreak', { files: 2 })
  log.write('error', 'failed')
  const lines = readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines).toMatchObject([
    { level: 'INFO', msg: 'line\nbreak', session: 's1', files: 2 },
    { level: 'ERROR', msg: 'failed', session: 's1' },
  ])
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('a log that cannot be written is silent', async () => {
  await using dir = tempDir()
  writeFileSync(join(dir.base, 'file'), '')
  const log = fileLog(join(dir.base, 'file', 'entire.log'), 'debug')
  expect(() => log.write('error', 'lost')).not.toThrow()
  expect(readFileSync(join(dir.base, 'file'), 'utf8')).toBe('')
})

test('levels are read in upper and lower case, anything else is undefined', () => {
  expect(['DEBUG', 'Warn', 'loud', undefined].map(parseLogLevel)).toEqual([
    'debug',
    'warn',
    undefined,
    undefined,
  ])
})

test('a log never takes more than two files of a few megabytes', async () => {
  await using dir = tempDir()
  const path = join(dir.base, 'entire.log')
  const log = fileLog(path, 'info')
  for (let line = 0; line < 12; line += 1) log.write('info', 'x'.repeat(1024 * 1024))
  expect(statSync(path).size + statSync(`${path}.1`).size).toBeLessThan(13 * 1024 * 1024)
})

test('a trace sums phases with the same name, and the phases add up to the whole', () => {
  const times = [9, 10, 22, 25, 30]
  const trace = startTrace(() => times.shift() as number)
  for (const phase of ['lock', 'write', 'lock']) trace.mark(phase)
  expect(trace.text()).toBe('start=9 lock=4 write=12')
  expect(trace.total()).toBe(30)
})

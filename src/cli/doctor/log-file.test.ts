// The log is read backwards, however its lines fall into blocks.
import { expect, test } from 'bun:test'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import fc from 'fast-check'
import { tempRepo } from '../../../test/support/repo.ts'
import { logFile } from '../../sessions/places.ts'
import { parseLogLine, readLogBackwards } from './log-file.ts'

test('all lines are read, across blocks and across both files', async () => {
  await using repo = await tempRepo()
  const path = logFile(repo.repo)
  mkdirSync(dirname(path), { recursive: true })
  const line = fc.oneof(
    fc.string({ minLength: 1, maxLength: 200, unit: 'grapheme' }).map((text) => text.replace(/[\n\r]/g, ' ')),
    fc.nat(200_000).map((length) => 'é'.repeat(length / 2 + 1)),
  )
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 12 }),
      fc.array(line, { maxLength: 4 }),
      fc.boolean(),
      (newer, older, ends) => {
        writeFileSync(
          path,
          newer.map((text, index) => (ends || index < newer.length - 1 ? `${text}\n` : text)).join(''),
        )
        writeFileSync(`${path}.1`, older.map((text) => `${text}\n`).join(''))
        expect([...readLogBackwards(repo.repo)]).toEqual([...newer.toReversed(), ...older.toReversed()])
      },
    ),
    { numRuns: 60, seed: 4711 },
  )
})

test('an endless line costs bounded memory, and the lines before and after it are read', async () => {
  await using repo = await tempRepo()
  const path = logFile(repo.repo)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, 'first\n')
  for (let megabyte = 0; megabyte < 8; megabyte += 1) appendFileSync(path, 'x'.repeat(1024 * 1024))
  appendFileSync(path, '\nlast\n')
  const lines = [...readLogBackwards(repo.repo)]
  expect([lines[0], lines.at(-1), lines.length]).toEqual(['last', 'first', 3])
  expect(lines[1]?.length).toBeLessThan(2 * 1024 * 1024)
})

test('without a file there are no lines', async () => {
  await using repo = await tempRepo()
  expect([...readLogBackwards(repo.repo)]).toEqual([])
})

test.each([
  ['', undefined],
  ['{"time":"t","level":"INFO"}', undefined],
  ['[1]', undefined],
  [
    '{"time":"t","level":"INFO","msg":"m","ms":"soon"}',
    { time: 't', level: 'INFO', message: 'm', ms: undefined },
  ],
  ['{"time":"t","level":"INFO","msg":"m","ms":5,"session_id":"s"}', { message: 'm', ms: 5, session: 's' }],
])('parse %s', (text, expected) => {
  const line = parseLogLine(text)
  if (expected === undefined) expect(line).toBeUndefined()
  else expect(line).toMatchObject(expected)
})

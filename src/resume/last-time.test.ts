import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lastTimeIn, readLastTime } from './stored-transcript.ts'

const dir = mkdtempSync(join(tmpdir(), 'entire-last-time-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const [early, late] = ['2026-11-15T12:00:00.000Z', '2026-11-15T13:00:00.000Z']
const line = (value: unknown) => `${JSON.stringify(value)}\n`
const document = {
  sessionId: 's',
  lastUpdated: late,
  messages: [{ id: '1', timestamp: early }, { id: '2', timestamp: late }, { id: '3' }],
}

test.each<[string, string, string | undefined]>([
  ['nothing', '', undefined],
  ['no times', line({ type: 'summary' }) + line({ message: { timestamp: late } }), undefined],
  ['a time that is not one', line({ timestamp: 'soon' }), undefined],
  ['the last line', line({ timestamp: early }) + line({ timestamp: late }), late],
  [
    'the last line that has one',
    `${line({ timestamp: late }) + line({ type: 'last-prompt' })}half a li`,
    late,
  ],
  ['not the latest one', line({ timestamp: late }) + line({ timestamp: early }), early],
  ['no last newline', line({ timestamp: early }) + JSON.stringify({ timestamp: late }), late],
  ['a document on one line', JSON.stringify(document), late],
  ['a document on many', JSON.stringify(document, null, 2), late],
])('the time of a log: %s', (_name, text, expected) => {
  expect(lastTimeIn(Buffer.from(text))?.toISOString()).toBe(expected)
})

test('a file is read from its end, and further only when it must be', () => {
  const path = join(dir, 'long.jsonl')
  const filler = line({ type: 'tool', output: 'x'.repeat(1000) })
  writeFileSync(path, line({ timestamp: early }) + filler.repeat(3000))
  expect(readLastTime(path)?.toISOString()).toBe(early)
  writeFileSync(path, filler.repeat(3000) + line({ timestamp: late, output: 'y'.repeat(600_000) }))
  expect(readLastTime(path)?.toISOString()).toBe(late)
  expect(readLastTime(join(dir, 'absent.jsonl'))).toBeUndefined()
  expect(readLastTime(dir)).toBeUndefined()
})

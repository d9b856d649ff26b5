import { expect, test } from 'bun:test'
import { tempRepo } from '../../../test/support/repo.ts'
import { logFile } from '../../sessions/places.ts'
import { writeAtomic } from '../../std/file.ts'
import { readDegraded } from './json.ts'

const line = (record: object) => `${JSON.stringify(record)}\n`

test('a session is degraded from a failed hook until one succeeds', async () => {
  await using temp = await tempRepo()
  expect(readDegraded(temp.repo)).toEqual(new Set())
  writeAtomic(
    logFile(temp.repo),
    [
      line({ level: 'ERROR', msg: 'x', session_id: 'recovered' }),
      line({ level: 'INFO', msg: 'claude-code stop', session_id: 'recovered', ms: 12 }),
      line({ level: 'INFO', msg: 'claude-code stop', session_id: 'bad', ms: 12 }),
      line({ level: 'ERROR', msg: 'x', session_id: 'bad', hook: 'stop' }),
      line({ level: 'WARN', msg: 'x', session_id: 'warned' }),
      line({ level: 'ERROR', msg: 'without session' }),
      'garbage "session_id"\n',
    ].join(''),
  )
  expect(readDegraded(temp.repo)).toEqual(new Set(['bad']))
})

test('only the end of a long log is read', async () => {
  await using temp = await tempRepo()
  const filler = line({ level: 'INFO', msg: 'x'.repeat(1000) }).repeat(100)
  writeAtomic(
    logFile(temp.repo),
    `${line({ level: 'ERROR', session_id: 'early' })}${filler}${line({ level: 'ERROR', session_id: 'late' })}`,
  )
  expect(readDegraded(temp.repo)).toEqual(new Set(['late']))
})

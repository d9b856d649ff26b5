// Hook durations are read from log lines of any version.
import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { tempRepo } from '../../../test/support/repo.ts'
import { logFile } from '../../sessions/places.ts'
import { medians, readHookRuns, slowestPhase } from './trace.ts'

const line = (fields: Record<string, unknown>) =>
  `${JSON.stringify({ time: '2026-02-10T12:00:00Z', level: 'INFO', ...fields })}\n`

test('hooks are read with their phases; lines without durations, garbage and other lines are skipped', async () => {
  await using repo = await tempRepo()
  const path = logFile(repo.repo)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(
    path,
    [
      line({ msg: 'claude-code stop', ms: 30, phases: 'start=9 lock=0 write=21.5 odd= =3', session_id: 's' }),
      'garbage\n',
      line({ msg: 'claude-code stop', ms: 50 }),
      line({ msg: 'claude-code stop', component: 'hooks' }),
      line({ msg: 'packing objects in the background', ms: 5 }),
      line({ msg: 'git post-commit', ms: 7, phases: '' }),
      line({ msg: 'claude-code stop', ms: 41, phases: 5 }),
    ].join(''),
  )
  const runs = readHookRuns(repo.repo, 100)
  expect(runs.map(({ hook, ms }) => [hook, ms])).toEqual([
    ['claude-code stop', 30],
    ['claude-code stop', 50],
    ['git post-commit', 7],
    ['claude-code stop', 41],
  ])
  expect(runs[0]?.phases).toEqual([
    { name: 'start', ms: 9 },
    { name: 'lock', ms: 0 },
    { name: 'write', ms: 21.5 },
  ])
  expect(runs.map((run) => slowestPhase(run)?.name)).toEqual(['write', undefined, undefined, undefined])
  expect(medians(runs)).toEqual([
    { hook: 'claude-code stop', count: 3, median: 41, slowest: 50 },
    { hook: 'git post-commit', count: 1, median: 7, slowest: 7 },
  ])
  expect(readHookRuns(repo.repo, 1).map(({ ms }) => ms)).toEqual([41])
})

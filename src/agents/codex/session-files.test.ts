import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { given } from '../../std/given.ts'
import { codexResume, codexSubagentTranscript } from './session-files.ts'

const base = mkdtempSync(join(tmpdir(), 'entire-codex-files-'))
afterAll(() => rmSync(base, { recursive: true, force: true }))
const id = '01a1e0bb-f7e9-71d1-9885-c8386c66670e'
const other = '01a1e0aa-c2b2-73c0-8c7e-a95a0806d6f7'

function put(dir: string, name: string): string {
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, name), '{}\n')
  return join(dir, name)
}

test.each([
  [{ HOME: '/home/dev' }, '/home/dev/.codex/sessions'],
  [{ HOME: '/home/dev', CODEX_HOME: '/cfg' }, '/cfg/sessions'],
  [{ HOME: '/home/dev', CODEX_HOME: '/cfg', ENTIRE_TEST_CODEX_SESSION_DIR: '/test' }, '/test'],
])('sessions of all projects are in one directory: %j', (env, dir) => {
  for (const root of ['/w/app', '/w/we ird.é']) expect(codexResume.sessionDir(root, env)).toBe(dir)
})

test('an existing rollout is found by its id, whatever day it began on', () => {
  const dir = join(base, 'found')
  put(join(dir, '2026/11/15'), `rollout-2026-11-15T19-42-57-${other}.jsonl`)
  const path = put(join(dir, '2025/02/01'), `rollout-2025-02-01T01-02-03-${id}.jsonl`)
  put(join(dir, '2025/02/02'), `rollout-2025-02-02T01-02-03-x${id}.jsonl`)
  expect(codexResume.sessionFile(dir, id)).toBe(path)
  // Where a hook saw it, its directory is that of the day.
  expect(codexResume.sessionFile(join(dir, '2025/02/01'), id)).toBe(path)
})

test('a new rollout is named as it was recorded, or after its local start time', () => {
  const dir = join(base, 'new')
  const file = (origin?: Parameters<typeof codexResume.sessionFile>[2]) =>
    codexResume.sessionFile(dir, id, origin)
  const name = `rollout-2026-11-15T19-42-57-${id}.jsonl`
  expect(file({ name, startedAt: '2020-01-01T00:00:00Z' })).toBe(join(dir, '2026/11/15', name))
  expect(codexResume.sessionFile(join(dir, '2026/11/15'), id, { name })).toBe(join(dir, '2026/11/15', name))
  // 11 o'clock in the time zone of this machine.
  const started = new Date(2026, 2, 4, 11, 12, 13)
  const here = join(dir, '2026/03/04', `rollout-2026-03-04T11-12-13-${id}.jsonl`)
  for (const odd of [
    undefined,
    'x.jsonl',
    `../rollout-2026-11-15T19-42-57-${id}.jsonl`,
    `rollout-2026-11-15T19-42-57-${other}.jsonl`,
  ])
    expect(file({ startedAt: started.toISOString(), ...given({ name: odd }) })).toBe(here)
})

test('without a start time, the id says when the session began', () => {
  const began = new Date(0x01a1e0bbf7e9)
  const day = [
    began.getFullYear(),
    String(began.getMonth() + 1).padStart(2, '0'),
    String(began.getDate()).padStart(2, '0'),
  ]
  expect(codexResume.sessionFile(base, id)).toStartWith(
    join(base, ...day.map(String), `rollout-${day.join('-')}T`),
  )
  expect(basename(String(codexResume.sessionFile(base, 'odd')))).toMatch(
    /^rollout-(?:1969-12-31|1970-01-01)T\d\d-\d\d-\d\d-odd\.jsonl$/,
  )
})

test('a session is resumed by its id', () => {
  expect(codexResume.command(id)).toBe(`codex resume ${id}`)
})

test('subagents are siblings, even on the next day, and are restored beside the session', () => {
  const main = put(join(base, 'sub/2026/11/15'), `rollout-2026-11-15T23-59-57-${id}.jsonl`)
  expect(codexSubagentTranscript(main, other)).toBe(
    join(base, 'sub/2026/11/15', `rollout-2026-11-15T23-59-57-${other}.jsonl`),
  )
  const late = put(join(base, 'sub/2026/11/16'), `rollout-2026-11-16T00-00-02-${other}.jsonl`)
  expect(codexSubagentTranscript(main, other)).toBe(late)
})

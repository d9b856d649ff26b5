import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { awaitTranscript, cursorResume, predictTranscript } from './index.ts'

const dir = mkdtempSync(join(tmpdir(), 'entire-cursor-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

test.each([
  ['/home/dev/app', 'home-dev-app'],
  ['/home/dev/My_Proj.v2 x', 'home-dev-My-Proj-v2-x'],
  ['/home/dév/app', 'home-d-v-app'],
])('the transcripts of %s are in %s', (root, name) => {
  expect(cursorResume.sessionDir(root, { HOME: '/h' })).toBe(`/h/.cursor/projects/${name}/agent-transcripts`)
  expect(cursorResume.sessionDir(root, { HOME: '/h', ENTIRE_TEST_CURSOR_PROJECT_DIR: '/t' })).toBe('/t')
})

test('a conversation of the editor has a directory, one of the command line only a file', () => {
  expect(cursorResume.sessionFile(dir, 'abc')).toBe(join(dir, 'abc.jsonl'))
  mkdirSync(join(dir, 'abc'))
  expect(cursorResume.sessionFile(dir, 'abc')).toBe(join(dir, 'abc/abc.jsonl'))
  expect(cursorResume.command()).toBe('Open this project in Cursor.')
})

test('an id that is not a valid file name gives no path', () => {
  expect(predictTranscript('/r', 'abc', { ENTIRE_TEST_CURSOR_PROJECT_DIR: dir })).toBe(
    join(dir, 'abc/abc.jsonl'),
  )
  expect(predictTranscript('/r', '../abc', { HOME: '/h' })).toBeUndefined()
  expect(predictTranscript(undefined, 'abc', {})).toBeUndefined()
})

test('a transcript that is written late is awaited, except where Cursor keeps no transcripts', async () => {
  const late = join(dir, 'late/late.jsonl')
  const writing = Bun.sleep(120).then(() => {
    mkdirSync(join(dir, 'late'))
    writeFileSync(late, '')
    return Bun.sleep(60).then(() => writeFileSync(late, '{"role":"user"}\n'))
  })
  expect(await awaitTranscript(late, undefined)).toBeUndefined()
  expect(await Bun.file(late).text()).toBe('{"role":"user"}\n')
  await writing
  expect(await awaitTranscript(join(dir, 'no/where/abc.jsonl'), undefined)).toBeUndefined()
})

test('a transcript that never appeared is not awaited again, until it exists', async () => {
  const none = join(dir, 'none/none.jsonl')
  const tenMinutes = 600_000
  const remembered = await awaitTranscript(none, undefined, 60)
  expect(remembered).toEqual({ transcript: 'missing' })
  expect(await awaitTranscript(none, remembered?.transcript, tenMinutes)).toEqual({ transcript: 'missing' })
  mkdirSync(join(dir, 'none'))
  writeFileSync(none, '{"role":"user"}\n')
  expect(await awaitTranscript(none, remembered?.transcript, tenMinutes)).toBeUndefined()
})

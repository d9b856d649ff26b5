import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cutAsPlugin, longList, ownChunks } from '../../../test/support/own-chunks.ts'
import { writePlugin } from '../../../test/support/sh-plugin.ts'
import { makePlugin } from './call.ts'
import { pluginCutter } from './transcript.ts'

const dir = mkdtempSync(join(tmpdir(), 'chunks-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

function cutterOf(defect: string) {
  const home = mkdtempSync(join(dir, 'home-'))
  const reports: string[] = []
  const site = {
    root: home,
    env: { PATH: process.env.PATH, HOME: home },
    cliVersion: '1',
    timeoutMs: 2_000,
    report: (problem: string) => void reports.push(problem),
  }
  const plugin = makePlugin('sample', writePlugin(home, 'sample', `${defect}\n${ownChunks}`), site)
  const calls = () => readFileSync(join(home, 'calls'), 'utf8').trimEnd().split('\n')
  return { plugin, cutter: pluginCutter(plugin), reports, calls }
}

const text = longList(1_000_000)
const whole = Buffer.from(text)
const isWhole = (bytes: Buffer) => bytes.equals(whole)

test('a plugin cuts a document and joins it to the same bytes', async () => {
  const { cutter, reports } = cutterOf('')
  const cut = (await cutter.cut(whole, 300_000)) ?? []
  expect(cut.map(String)).toEqual(await cutAsPlugin(text, 300_000))
  expect(cut.length).toBeGreaterThan(3)
  expect(await cutter.join(cut, isWhole)).toEqual(whole)
  expect(reports).toEqual([])
})

test('joining the same chunks twice calls the plugin once', async () => {
  const { cutter, calls } = cutterOf('')
  const cut = (await cutAsPlugin(text, 300_000)).map((chunk) => Buffer.from(chunk))
  await cutter.join(cut, isWhole)
  expect(await cutter.join([...cut], isWhole)).toEqual(whole)
  expect(calls()).toEqual(['reassemble-transcript'])
})

test('a plugin is not asked for more than fits into an answer', async () => {
  const { cutter, reports } = cutterOf('echo asked > "$HOME/asked"')
  expect(await cutter.cut(Buffer.alloc(8_000_000, 'x'), 4_000_000)).toBeUndefined()
  expect(reports).toEqual([])
  expect(await cutter.join([Buffer.alloc(6_000_000), Buffer.alloc(6_000_000)], isWhole)).toBeUndefined()
  expect(reports).toEqual([expect.stringContaining('too large to be joined by entire-agent-sample')])
})

const on = (subcommand: string, act: string) =>
  `if [ "$1" = ${subcommand} ]; then cat > /dev/null; ${act}; exit 0; fi`
const chunk = (...texts: string[]) =>
  `echo '${JSON.stringify({ chunks: texts.map((chunk) => Buffer.from(chunk).toString('base64')) })}'`

describe('the chunks of a plugin are rejected when', () => {
  test.each([
    ['it loses a chunk', on('chunk-transcript', chunk('{"chunk":0,"items":[]}')), 'the same bytes'],
    ['it gives no chunk', on('chunk-transcript', `echo '{"chunks":[]}'`), 'the same bytes'],
    [
      'it gives chunks without end',
      on('chunk-transcript', `printf '{"chunks":[""'; yes ',""' | head -5000 | tr -d '\\n'; echo ']}'`),
      '5001 chunks',
    ],
    [
      'its chunks are not base64',
      on('chunk-transcript', `echo '{"chunks":["%%%"]}'`),
      'gave an invalid answer',
    ],
    ['it prints garbage', on('chunk-transcript', 'echo hello'), 'gave an invalid answer'],
    ['it floods', on('chunk-transcript', 'yes'), 'wrote more than 10 MB'],
    ['it fails', on('chunk-transcript', 'echo out of scissors >&2; exit 3'), 'out of scissors'],
    ['it hangs', on('chunk-transcript', 'sleep 60'), 'did not answer within 2 s'],
    ['it does not read what it is to cut', 'if [ "$1" = chunk-transcript ]; then exit 1; fi', 'exit code 1'],
    ['it joins to something else', on('reassemble-transcript', 'echo "[]"'), 'the same bytes'],
    ['it hangs while it joins', on('reassemble-transcript', 'sleep 60'), 'did not answer within 2 s'],
  ])('%s', async (_title, defect, report) => {
    const { plugin, cutter, reports } = cutterOf(defect)
    expect(await cutter.cut(whole, 300_000)).toBeUndefined()
    expect(reports.join('\n')).toContain(report)
    // It can still be asked other questions.
    expect(plugin.isHung).toBe(false)
  })
})

describe('the transcript that a plugin joins is rejected when', () => {
  test.each([
    [
      'it joins to something else',
      on('reassemble-transcript', 'echo "[]"'),
      'was not restored by entire-agent-sample',
    ],
    ['it fails', on('reassemble-transcript', 'echo out of glue >&2; exit 3'), 'out of glue'],
    ['it floods', on('reassemble-transcript', 'yes'), 'wrote more than 10 MB'],
    ['it hangs', on('reassemble-transcript', 'sleep 60'), 'did not answer within 2 s'],
  ])('%s', async (_title, defect, report) => {
    const { cutter, reports } = cutterOf(defect)
    const cut = (await cutAsPlugin(text, 300_000)).map((chunk) => Buffer.from(chunk))
    expect(await cutter.join(cut, isWhole)).toBeUndefined()
    expect(reports.join('\n')).toContain(report)
    expect(reports.at(-1)).toContain('were concatenated instead')
  })
})

import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { aiderResume, aiderSections, aiderSessionId, historyFile } from './session-files.ts'

const root = mkdtempSync(join(tmpdir(), 'entire-aider-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const fixture = readFileSync(resolve(import.meta.dir, '../../../test/fixtures/agents/aider/edits.md'), 'utf8')

function section(path: string, time: string | undefined): string | undefined {
  const part = aiderSections.find(path, aiderSessionId(path, time))
  return part && readFileSync(path).toString('utf8', part.from, part.to)
}

test('a session is found in the history by the time it began', () => {
  const path = join(root, 'history.md')
  writeFileSync(path, fixture)
  const second = fixture.indexOf('# aider chat started at 2026-11-16 11:30:00')
  expect(section(path, '2026-11-16 10:00:01')).toBe(fixture.slice(1, second))
  expect(section(path, '2026-11-16 11:30:00')).toBe(fixture.slice(second))
  expect(section(path, '2026-11-16 11:30:01')).toBeUndefined()
  expect(section(path, undefined)).toBe('\n')
  expect(aiderSections.find(path, '5e551010-0000-4000-8000-000000000001')).toBeUndefined()
  expect(section(join(root, 'none.md'), '2026-11-16 11:30:00')).toBeUndefined()
})

test('a session is found anywhere in a long history, and a quoted heading is not taken for one', () => {
  const path = join(root, 'long.md')
  const heading = '# aider chat started at 2026-11-16 08:00:00\n'
  const quoted = `> ${heading}`
  for (const before of [0, 1024 * 1024 - 30, 1024 * 1024, 3 * 1024 * 1024 + 7]) {
    for (const after of [0, 1024 * 1024 - heading.length, 1024 * 1024 - 10, 2 * 1024 * 1024 + 3]) {
      const own = `${heading}${quoted}${'x'.repeat(after)}\n`
      writeFileSync(path, `${'y'.repeat(before)}\n${own}`)
      expect(section(path, '2026-11-16 08:00:00') === own).toBe(true)
    }
  }
})

test('sessions of two work trees that begin in the same second have different names', () => {
  const [a, b] = [
    aiderSessionId('/a/.aider.chat.history.md', '2026-11-16 08:00:00'),
    aiderSessionId('/b/.aider.chat.history.md', '2026-11-16 08:00:00'),
  ]
  expect(a).toMatch(/^[0-9a-f]{8}-aider-20261116-080000$/)
  expect(a.slice(0, 8)).not.toBe(b.slice(0, 8))
})

test('the path of the history comes from the configuration of aider', () => {
  const dir = join(root, 'configured')
  mkdirSync(dir)
  expect(historyFile(dir, {})).toBe(join(dir, '.aider.chat.history.md'))
  for (const line of [
    'chat-history-file: logs/chat.md',
    'chat-history-file:  "logs/chat.md"  # here',
    "chat-history-file: 'logs/chat.md'",
  ]) {
    writeFileSync(join(dir, '.aider.conf.yml'), `model: gpt-5\n${line}\n`)
    expect(historyFile(dir, {})).toBe(join(dir, 'logs/chat.md'))
  }
  writeFileSync(join(dir, '.aider.conf.yml'), '# chat-history-file: not-this.md\n')
  expect(historyFile(dir, {})).toBe(join(dir, '.aider.chat.history.md'))
  expect(historyFile(dir, { AIDER_CHAT_HISTORY_FILE: '/elsewhere/chat.md' })).toBe('/elsewhere/chat.md')
})

test('the project is asked before the home directory, and .env before the settings of aider', () => {
  const [dir, home] = [join(root, 'project'), join(root, 'home')]
  for (const path of [dir, home]) mkdirSync(path)
  const named = () => historyFile(dir, { HOME: home })
  const steps: [file: string, text: string, found: string][] = [
    [join(home, '.aider.conf.yml'), 'chat-history-file: /home/chat.md\n', '/home/chat.md'],
    [join(dir, '.aider.conf.yml'), 'chat-history-file: own.md\n', join(dir, 'own.md')],
    [join(home, '.env'), 'KEY=1\nAIDER_CHAT_HISTORY_FILE="/env/home.md"\n', '/env/home.md'],
    [join(dir, '.env'), 'export AIDER_CHAT_HISTORY_FILE=logs/env.md # here\n', join(dir, 'logs/env.md')],
  ]
  for (const [file, text, found] of steps) {
    writeFileSync(file, text)
    expect(named()).toBe(found)
  }
})

test('a restored session is added to the history once, and the rest of the history is kept', async () => {
  const path = join(root, 'odd dir', 'ünï', '.aider.chat.history.md')
  const session = aiderSessionId('/other/machine.md', '2026-11-16 10:00:01')
  const log = {
    session,
    path,
    root,
    startedAt: '',
    bytes: Buffer.from(fixture.slice(1, fixture.indexOf('# aider chat started at 2026-11-16 11'))),
  }
  await aiderResume.deliver?.(log)
  const alone = readFileSync(path, 'utf8')
  expect(alone).toStartWith('\n# aider chat started at 2026-11-16 10:00:01\n')
  writeFileSync(path, '\n# aider chat started at 2026-11-15 10:00:00\n\n#### theirs  ')
  await aiderResume.deliver?.(log)
  await aiderResume.deliver?.(log)
  expect(readFileSync(path, 'utf8')).toBe(
    `\n# aider chat started at 2026-11-15 10:00:00\n\n#### theirs  ${alone}`,
  )
})

// Checks the page for authors of extensions: its extension runs with its manifest and does what the page
// says.
import { expect, test } from 'bun:test'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { collectInjections } from '../src/extensions/prompt-chain.ts'
import type { LocalTool } from '../src/extensions/registry.ts'
import { callTool } from '../src/extensions/tool-calls.ts'
import { deadlines } from '../src/protocol/extension/method.ts'
import { methods } from '../src/protocol/extension/table.ts'
import { createExtension } from '../src/sdk/extension.ts'
import { hostOf, recordingApp } from './extensions/app.ts'
import { builtFile } from './support/built-file.ts'

const page = readFileSync(join(import.meta.dir, '../docs/write-an-extension.md'), 'utf8')
const block = (name: string) =>
  new RegExp(`<!-- tested: ${name} -->\\n\`\`\`\\w+\\n([\\s\\S]*?)\n\`\`\``).exec(page)?.[1] ?? ''
const signal = new AbortController().signal

const read: LocalTool = {
  name: 'read',
  description: 'Reads',
  parameters: { type: 'object' },
  execute: async ({ path }) => ({ content: [{ type: 'text', text: `read ${path}` }], isError: false }),
}

test('the extension of the page does what the page says', async () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'extension-page-')))
  const dir = join(base, 'owl')
  mkdirSync(dir)
  copyFileSync(builtFile('extension-sdk.js'), join(dir, 'extension-sdk.js'))
  // The code of the page contains no types, so it runs as JavaScript.
  writeFileSync(
    join(dir, 'main.mjs'),
    block('extension').replace("'entire-ts/extension-sdk'", "'./extension-sdk.js'"),
  )
  writeFileSync(join(dir, 'manifest.yaml'), block('manifest'))
  writeFileSync(join(base, 'poem.txt'), 'to whit to whoo')
  const { app, asked, acted, logged } = recordingApp(base, (method) => {
    if (method === 'host/chat') return { text: 'An owl at night' }
    return method === 'host/askUser' ? { selected: 'Yes' } : {}
  })
  const host = hostOf(base, app, { local: { tools: [read], commands: [] } })
  await host.start()
  try {
    const call = async (name: string, args: Record<string, unknown>) =>
      (await callTool(host, name, args, { id: '1', signal }))?.content[0]?.text
    expect(await call('count_words', { path: 'poem.txt' })).toBe('4 words')
    expect(await call('count_words', { path: 'prose.txt' })).toBe(
      '[error:FILE_NOT_FOUND] There is no prose.txt.\nhint: Use ls to list the files.',
    )
    expect(await call('read', { path: 'a.txt' })).toBe('read a.txt')
    expect(await call('read', { path: '.env' })).toBe('Secrets are not read here.')
    await host.find('owl')?.request('command/execute', { name: 'title', args: '' })
    expect(asked.at(-1)).toEqual(['host/setSessionTitle', { title: 'An owl at night' }])
    host.dispatch('EventTurnEnd', { ToolResults: [] })
    await host.eventsHeard()
    expect(acted).toEqual([{ type: 'setStatus', key: 'owl', text: '0 tools' }])
    expect(await collectInjections(host, 'hi', signal, () => {})).toMatch(/^It is \d+ o'clock\.$/)
    expect(logged.filter((line) => !line.startsWith('debug'))).toEqual([])
  } finally {
    await host.stop()
    rmSync(base, { recursive: true, force: true })
  }
})

test('the calls, times and names on the page are those of the protocol', () => {
  const { host } = createExtension({ name: 'page' })
  for (const [, name] of page.matchAll(/\bhost\.(\w+)\(/g))
    expect([name, name !== undefined && name in host]).toEqual([name, true])
  expect([
    methods['tool/execute'].deadlineMs,
    methods['event/dispatch'].deadlineMs,
    methods.initialize.deadlineMs,
  ]).toEqual([deadlines.person, deadlines.quick, deadlines.start])
  expect(deadlines).toMatchObject({ person: 30 * 60_000, quick: 30_000, start: 10_000 })
})

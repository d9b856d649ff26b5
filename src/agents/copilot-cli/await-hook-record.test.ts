import { afterAll, expect, test } from 'bun:test'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { AgentEvent } from '../../model/event.ts'
import { awaitHookRecord } from './session-files.ts'

const dir = mkdtempSync(join(tmpdir(), 'entire-preparer-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const time = 1794771322270
const stop: AgentEvent = { type: 'turn-end', session: 's', timestamp: new Date(time).toISOString() }
const line = (type: string, data: unknown) => `${JSON.stringify({ type, data })}\n`
const hook = (timestamp: number) =>
  line('hook.start', { hookType: 'agentStop', input: { sessionId: 's', timestamp } })
const said = line('assistant.message', { content: 'Done.' })

/**
 * Writes the first part, starts to prepare, writes the second part, and returns the content when preparing
 * was done.
 */
async function prepareWhileWriting(
  path: string,
  first: string,
  second: string,
  event: AgentEvent,
): Promise<string> {
  mkdirSync(dirname(path), { recursive: true })
  if (first !== '') writeFileSync(path, first)
  const late = Bun.sleep(60).then(() => appendFileSync(path, second))
  await awaitHookRecord(path, event)
  const seen = existsSync(path) ? readFileSync(path, 'utf8') : ''
  await late
  return seen
}

test.each([
  ['the file is not there yet', '', said + hook(time)],
  ['only the beginning is there', line('session.start', {}), said + hook(time)],
  ['an earlier turn ended', said + hook(time - 1), said + hook(time)],
  ['the line is half written', said + hook(time).slice(0, 40), hook(time).slice(40)],
  ['the time is in some other line', line('user.message', { content: `"hook.start" ${time}` }), hook(time)],
])('waits for the record that the hook is about: %s', async (name, first, second) => {
  expect(await prepareWhileWriting(join(dir, name, 'events.jsonl'), first, second, stop)).toBe(first + second)
})

test.each([
  ['it is there already', 'events.jsonl', said + hook(time), stop],
  ['the event has no time', 'events.jsonl', said, { type: 'turn-end', session: 's' } satisfies AgentEvent],
  ['the log is that of another program', 'chat.jsonl', said, stop],
])('does not wait when %s', async (name, file, first, event) => {
  expect(await prepareWhileWriting(join(dir, name, file), first, said, event)).toBe(first)
})

test('gives up on a line that never comes', async () => {
  const path = join(dir, 'never', 'events.jsonl')
  expect(await prepareWhileWriting(path, said, said, stop)).toBe(said + said)
})

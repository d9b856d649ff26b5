import { afterAll, expect, test } from 'bun:test'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentEvent } from '../../model/event.ts'
import { given } from '../../std/given.ts'
import { awaitLastMessage } from './session-files.ts'

const fixtures = join(import.meta.dir, '../../../test/fixtures/agents/claude-code')
const dir = mkdtempSync(join(tmpdir(), 'entire-preparer-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const stop = (lastMessage?: string): AgentEvent => ({
  type: 'turn-end',
  session: 's',
  ...given({ lastMessage }),
})
const user = (content: string) => `${JSON.stringify({ type: 'user', message: { content } })}\n`
const said = (id: string, text: string) =>
  `${JSON.stringify({ type: 'assistant', message: { id, content: [{ type: 'text', text }] } })}\n`
const noise = (size: number) => `${JSON.stringify({ type: 'attachment', content: 'x'.repeat(size) })}\n`

/**
 * Writes the first part, starts to prepare, writes the second part, and returns the content when preparing
 * was done.
 */
async function prepareWhileWriting(
  name: string,
  first: string,
  second: string,
  event: AgentEvent,
): Promise<string> {
  const path = join(dir, `${name}.jsonl`)
  writeFileSync(path, first)
  const late = Bun.sleep(60).then(() => appendFileSync(path, second))
  await awaitLastMessage(path, event)
  const seen = readFileSync(path, 'utf8')
  await late
  return seen
}

test.each([
  ['the answer comes late', user('go'), said('m1', 'Done.'), 'Done.'],
  [
    'an earlier turn ended with the same words',
    user('go') + said('m1', 'Done.') + user('again'),
    said('m2', 'Done.'),
    'Done.',
  ],
  [
    'the answer has several parts',
    user('go') + said('m1', 'First.'),
    said('m1', 'Second.'),
    'First.\n\nSecond.',
  ],
  [
    'the last line is half written',
    user('go') + said('m1', 'Done.').slice(0, 30),
    said('m1', 'Done.').slice(30),
    'Done.',
  ],
  [
    'the answer is larger than the first look',
    user('go'),
    said('m1', 'y'.repeat(200_000)),
    'y'.repeat(200_000),
  ],
  ['other large lines follow', user('go'), said('m1', 'Done.') + noise(100_000), 'Done.'],
])('waits until the last message is there: %s', async (name, first, second, lastMessage) => {
  expect(await prepareWhileWriting(name, first, second, stop(lastMessage))).toBe(first + second)
})

test.each([
  ['the transcript has it already', user('go') + said('m1', 'Done.'), stop('Done.')],
  [
    'the first part of the answer is beyond the first look',
    user('go') + said('m1', 'y'.repeat(10_000)) + said('m1', 'Second.'),
    stop(`${'y'.repeat(10_000)}\n\nSecond.`),
  ],
  ['nothing is expected', user('go'), stop()],
  ['only blanks are expected', user('go'), stop(' \n')],
  [
    'the message is one of a subagent, in its own transcript',
    user('go'),
    { ...stop('Done.'), subagentTranscript: '/other.jsonl' },
  ],
])('does not wait when %s', async (name, first, event) => {
  expect(await prepareWhileWriting(name, first, noise(10), event)).toBe(first)
})

/** Whether it is done before the event loop turns, so without a pause. */
const outcomeOf = (waiting: Promise<undefined>) =>
  Promise.race([
    waiting.then(() => 'returned at once'),
    new Promise((resolve) => setImmediate(() => resolve('waits'))),
  ])

test('does not wait for a missing file, nor for one that is no longer written', async () => {
  expect(await outcomeOf(awaitLastMessage(join(dir, 'missing.jsonl'), stop('Done.')))).toBe(
    'returned at once',
  )
  const path = join(dir, 'old.jsonl')
  writeFileSync(path, user('go'))
  utimesSync(path, new Date(0), new Date(0))
  expect(await outcomeOf(awaitLastMessage(path, stop('Done.')))).toBe('returned at once')
})

test('gives up on a message that never comes', async () => {
  const path = join(dir, 'never.jsonl')
  writeFileSync(path, user('go'))
  const waiting = awaitLastMessage(path, stop('Done.'))
  expect(await outcomeOf(waiting)).toBe('waits')
  await waiting
  expect(readFileSync(path, 'utf8')).toBe(user('go'))
})

test('every captured turn is complete in its final transcript, and incomplete in the one at the time of the hook', async () => {
  const scenario = join(fixtures, 's8-bashfail')
  const final = readFileSync(
    join(scenario, 'home/.claude/projects/-home-dev-app/56b00090-beb3-4904-94c0-99cfc2c4f867.jsonl'),
    'utf8',
  )
  const atHook = readFileSync(join(scenario, '008-Stop.transcript-at-hook.jsonl'), 'utf8')
  const answer = final.indexOf('It failed with exit 3.')
  const end = final.indexOf('\n', answer) + 1
  expect(final.startsWith(atHook)).toBe(true)
  const before = atHook.length < end ? atHook : final.slice(0, final.lastIndexOf('\n', answer) + 1)
  const seen = await prepareWhileWriting(
    'captured',
    before,
    final.slice(before.length),
    stop('It failed with exit 3.'),
  )
  expect(seen.length).toBeGreaterThanOrEqual(end)
})

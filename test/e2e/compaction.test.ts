// Compacts sessions: a compaction saves like the end of a turn, and counting continues where it was.
import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { fakeAgent } from '../support/fake-agent.ts'
import { recordedRepo } from '../support/recorded-repo.ts'

const line = (name: string) => `export const ${name} = '${name}'\n`

test('compaction in the middle of a turn saves a step and leaves the turn running', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.prompt('write a lot')
  agent.write('a.ts', line('a'))
  await agent.hook('pre-compact', { trigger: 'auto' })
  expect(repo.state(agent.session)).toMatchObject({
    phase: 'active',
    checkpoint_count: 1,
    files_touched: ['a.ts'],
  })
  expect(repo.temporary()).toEqual([`pre-prompt-${agent.session}.json`])
  agent.log({ type: 'system', subtype: 'compact_boundary' })
  agent.log({
    type: 'user',
    isCompactSummary: true,
    message: { role: 'user', content: 'A summary of what was said.' },
  })
  // The agent reports another start of the same session, which is ignored.
  expect(await agent.hook('session-start', { source: 'compact' })).toEqual({ code: 0, out: '', err: '' })
  agent.write('b.ts', line('b'))
  agent.say('Done.')
  await agent.stop()
  expect(repo.state(agent.session)).toMatchObject({
    phase: 'idle',
    checkpoint_count: 2,
    files_touched: ['a.ts', 'b.ts'],
    token_usage: { api_call_count: 3 },
  })
  await repo.commitAs('human', 'all', 'a.ts', 'b.ts')
  const id = await repo.checkpointOf()
  expect(await repo.storedSession(id)).toMatchObject({
    checkpoints_count: 2,
    token_usage: { api_call_count: 3, input_tokens: 30 },
  })
  expect(await repo.transcriptLines(id)).toEqual(agent.lines())
  expect(await repo.stored(id, '0/prompt.txt')).toBe('write a lot')
})

test('compaction keeps the position: the next checkpoint begins where the last one ended', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': line('a') })
  await repo.commitAs('human', 'a', 'a.ts')
  const start = repo.state(agent.session).checkpoint_transcript_start
  expect(start).toBe(agent.lines().length)
  await agent.hook('pre-compact', { trigger: 'manual' })
  expect(repo.state(agent.session)).toMatchObject({ phase: 'idle', checkpoint_transcript_start: start })
  agent.log({ type: 'system', subtype: 'compact_boundary' })
  await agent.turn('write b', { 'b.ts': line('b') })
  await repo.commitAs('human', 'b', 'b.ts')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({
    checkpoint_transcript_start: start,
    token_usage: { api_call_count: 2 },
  })
})

test('a transcript that was rewritten shorter is read from its beginning, and nothing is counted twice', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': line('a') })
  await agent.turn('write b', { 'b.ts': line('b') })
  await repo.commitAs('human', 'both', 'a.ts', 'b.ts')
  expect(repo.state(agent.session)).toMatchObject({
    token_usage: { api_call_count: 4 },
    checkpoint_transcript_start: 6,
  })
  // The agent removed all its messages but the last answer.
  writeFileSync(agent.transcript, `${agent.lines().slice(-1).join('\n')}\n`)
  await agent.turn('write c', { 'c.ts': line('c') })
  await repo.commitAs('human', 'c', 'c.ts')
  const id = await repo.checkpointOf()
  const stored = await repo.storedSession(id)
  expect(stored).toMatchObject({ files_touched: ['c.ts'] })
  expect(stored.checkpoint_transcript_start).toBeUndefined()
  expect(await repo.transcriptLines(id)).toEqual(agent.lines())
  expect(await repo.stored(id, '0/prompt.txt')).toBe('write c')
})

test('compaction of a session that was never recorded leaves no trace', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  agent.write('a.ts', line('a'))
  const { code } = await agent.hook('pre-compact', { trigger: 'manual' })
  expect(code).toBe(0)
  expect(repo.hasState(agent.session)).toBe(false)
  expect(await repo.shadows()).toEqual([])
})

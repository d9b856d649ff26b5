// Hands work over from one session to another, or from one agent to another.
import { expect, test } from 'bun:test'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fakeAgent } from '../support/fake-agent.ts'
import { recordedRepo } from '../support/recorded-repo.ts'

test('clearing a conversation ends it and starts a new one; a commit with work of both names both', async () => {
  await using repo = await recordedRepo()
  const [old, fresh] = [fakeAgent(repo), fakeAgent(repo)]
  await old.turn('write a', { 'a.ts': 'export const a = 1\n' })
  await old.hook('session-end', { reason: 'clear' })
  expect(await fresh.start('clear')).toContain('1 other active conversation(s)')
  await fresh.turn('write b', { 'b.ts': 'export const b = 1\n' })
  expect(repo.state(old.session).phase).toBe('ended')
  await repo.commitAs('human', 'both', 'a.ts', 'b.ts')
  const id = await repo.checkpointOf()
  const slots = await Promise.all([repo.storedSession(id, 0), repo.storedSession(id, 1)])
  expect(new Set(slots.map((slot) => slot.session_id))).toEqual(new Set([old.session, fresh.session]))
  expect(repo.state(old.session)).toMatchObject({ phase: 'ended', fully_condensed: true })
})

test('a forked or resumed conversation counts from where its recording began', async () => {
  await using repo = await recordedRepo()
  const fork = fakeAgent(repo)
  fork.log({ type: 'user', message: { role: 'user', content: 'said before we were there' } })
  fork.write('old.ts', 'export const old = 1\n')
  fork.say('Done long ago.')
  await repo.commit('before', 'old.ts')
  await fork.turn('write a', { 'a.ts': 'export const a = 1\n' })
  await repo.commitAs('human', 'a', 'a.ts')
  const id = await repo.checkpointOf()
  expect(await repo.storedSession(id)).toMatchObject({
    files_touched: ['a.ts'],
    checkpoint_transcript_start: 3,
    token_usage: { api_call_count: 2 },
  })
  expect(await repo.stored(id, '0/prompt.txt')).toBe('write a')
  expect(await repo.transcriptLines(id)).toEqual(fork.lines())
})

test('hooks of one agent that another agent runs too do not end the turns of the session’s owner', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.prompt('write a')
  agent.write('a.ts', 'export const a = 1\n')
  const payload = JSON.stringify({
    session_id: agent.session,
    transcript_path: agent.transcript,
    cwd: repo.root,
  })
  for (const verb of ['after-agent', 'session-end']) {
    expect((await repo.entire(['hooks', 'gemini', verb], { stdin: payload })).code).toBe(0)
  }
  expect(repo.state(agent.session)).toMatchObject({
    phase: 'active',
    agent_type: 'Claude Code',
    checkpoint_count: 0,
  })
  agent.say('Done.')
  await agent.stop()
  expect(repo.state(agent.session)).toMatchObject({ phase: 'idle', checkpoint_count: 1 })
})

test('a commit with work of two agents has a slot for each', async () => {
  await using repo = await recordedRepo()
  expect((await repo.entire(['enable', '--agent', 'gemini'])).code).toBe(0)
  const claude = fakeAgent(repo)
  await claude.turn('begin a', { 'a.ts': 'export const a = 1\n' })

  const session = '0badc0de-1111-4222-8333-444455556666'
  const transcript = join(repo.base, 'home/.gemini/tmp/repo/chats/session-2026-11-15T12-00-0badc0de.jsonl')
  const gemini = (verb: string, fields = {}) =>
    repo.entire(['hooks', 'gemini', verb], {
      stdin: JSON.stringify({ session_id: session, transcript_path: transcript, cwd: repo.root, ...fields }),
    })
  mkdirSync(dirname(transcript), { recursive: true })
  writeFileSync(transcript, `${JSON.stringify({ sessionId: session, kind: 'main' })}\n`)
  await gemini('before-agent', { prompt: 'finish a' })
  repo.write('a.ts', 'export const a = 1\nexport const done = true\n')
  const call = { id: 'c1', name: 'replace', status: 'success', args: { file_path: join(repo.root, 'a.ts') } }
  appendFileSync(
    transcript,
    [
      { id: 'm1', timestamp: '2026-11-15T12:00:00Z', type: 'user', content: 'finish a' },
      {
        id: 'm2',
        timestamp: '2026-11-15T12:00:01Z',
        type: 'gemini',
        content: 'Finished.',
        toolCalls: [call],
        tokens: { input: 30, output: 5, cached: 10, thoughts: 1, tool: 0 },
      },
    ]
      .map((message) => `${JSON.stringify(message)}\n`)
      .join(''),
  )
  await gemini('after-agent')
  await repo.commitAs('human', 'a', 'a.ts')
  const id = await repo.checkpointOf()
  const slots = await Promise.all([repo.storedSession(id, 0), repo.storedSession(id, 1)])
  expect(slots.map((slot) => slot.agent).toSorted()).toEqual(['Claude Code', 'Gemini CLI'])
  const second = slots.find((slot) => slot.agent === 'Gemini CLI')
  expect(second).toMatchObject({
    session_id: session,
    files_touched: ['a.ts'],
    token_usage: { input_tokens: 20, cache_read_tokens: 10, output_tokens: 6, api_call_count: 1 },
  })
})

test('resumed from another directory, a session keeps its transcript although the first hook names a wrong one', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': 'export const a = 1\n' })
  await agent.end()
  await agent.hook('session-start', {
    source: 'resume',
    transcript_path: join(repo.base, 'home/.claude/projects/-elsewhere', `${agent.session}.jsonl`),
  })
  expect(repo.state(agent.session)).toMatchObject({ phase: 'idle', transcript_path: agent.transcript })
  await agent.turn('write b', { 'b.ts': 'export const b = 1\n' })
  await repo.commitAs('human', 'both', 'a.ts', 'b.ts')
  expect(await repo.transcriptLines(await repo.checkpointOf())).toEqual(agent.lines())
})

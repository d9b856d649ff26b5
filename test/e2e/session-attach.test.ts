// `entire session attach`: a session that ran while hooks were off becomes part of the last commit's
// checkpoint.
import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { unrecordedSession } from '../support/unrecorded-session.ts'

const id = '11111111-aaaa-4000-8000-000000000001'

/** Commits without the hooks of entire. */
async function commitUnseen(repo: RecordedRepo, message: string, ...paths: string[]): Promise<string> {
  await repo.git('add', '--', ...paths)
  await repo.git('-c', 'core.hooksPath=/dev/null', 'commit', '--quiet', '-m', message)
  return repo.head()
}

const createdIn = (out: string) => /Created checkpoint (\S+)/.exec(out)?.[1] as string
const noteOf = (repo: RecordedRepo, commit = 'HEAD') =>
  repo.git('notes', '--ref=entire-checkpoints', 'show', commit)

test('the transcript is stored in a checkpoint of the last commit, which is linked by a note and not changed', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const secret = `ghp_${'A1b2C3d4E5f6G7h8I9j0'.repeat(2).slice(0, 36)}`
  const session = unrecordedSession(repo, id)
  session.turn(`add a parser, the key is ${secret}`, { 'p.ts': 'one\ntwo\n' }, 0)
  session.turn('and a test', { 'p.test.ts': 'three\n' }, 10)
  repo.write('by-hand.ts', 'four\n')
  const head = await commitUnseen(repo, 'parser', 'p.ts', 'p.test.ts', 'by-hand.ts')
  const ran = await repo.entire(['session', 'attach', id])
  const checkpoint = createdIn(ran.out)
  expect(ran).toEqual({
    code: 0,
    out: [
      `Attached session ${id}`,
      '  Captured: 2 turns · claude-test-1 · 40 tokens',
      `  Created checkpoint ${checkpoint}`,
      `  Linked to ${head.slice(0, 7)} by a note`,
      '',
      'Copy to your commit message to attach:',
      '',
      `  Entire-Checkpoint: ${checkpoint}`,
      '',
    ].join('\n'),
    err: 'Auto-detected agent: Claude Code\n',
  })
  expect(await repo.head()).toBe(head)
  expect(await noteOf(repo)).toBe(`Entire-Checkpoint: ${checkpoint}`)
  expect(await repo.storedSession(checkpoint)).toMatchObject({
    session_id: id,
    agent: 'Claude Code',
    model: 'claude-test-1',
    branch: 'main',
    checkpoints_count: 2,
    files_touched: ['p.test.ts', 'p.ts'],
    token_usage: { input_tokens: 20, output_tokens: 8, api_call_count: 2 },
    initial_attribution: { agent_lines: 3, human_added: 1, agent_percentage: 75 },
    transcript_path: expect.stringContaining(`.claude/projects/`),
  })
  const stored = await repo.transcript(checkpoint)
  expect(stored).toContain('and a test')
  expect(stored).not.toContain(secret)
  expect(await repo.stored(checkpoint, '0/content_hash.txt')).toBe(
    `sha256:${createHash('sha256').update(stored).digest('hex')}`,
  )
  const prompts = await repo.stored(checkpoint, '0/prompt.txt')
  expect(prompts).toContain('add a parser')
  expect(prompts).not.toContain(secret)
  expect(JSON.stringify(repo.state(id))).not.toContain(secret)
  expect(repo.state(id)).toMatchObject({
    phase: 'ended',
    attached_manually: true,
    last_checkpoint_id: checkpoint,
    session_turn_count: 2,
    started_at: '2026-01-15T12:00:00Z',
    ended_at: '2026-01-15T12:11:00Z',
    base_commit: head,
  })
  expect(await repo.subjects('entire/checkpoints/v1')).toHaveLength(2)
})

test('the session is added to the existing checkpoint of the commit', async () => {
  await using repo = await recordedRepo()
  const recorded = fakeAgent(repo)
  await recorded.turn('write a', { 'a.ts': 'a\n' })
  unrecordedSession(repo, id).turn('write b', { 'b.ts': 'b\n' })
  await repo.commitAs('human', 'a and b', 'a.ts', 'b.ts')
  const checkpoint = await repo.checkpointOf()
  const head = await repo.head()
  const { code, out } = await repo.entire(['session', 'attach', id, '--force'])
  expect({ code, out }).toEqual({
    code: 0,
    out: `Attached session ${id}\n  Captured: 1 turn · claude-test-1 · 20 tokens\n  Added to existing checkpoint ${checkpoint}\n`,
  })
  expect(await repo.head()).toBe(head)
  expect(await repo.storedSession(checkpoint, 0)).toMatchObject({ session_id: recorded.session })
  expect(await repo.storedSession(checkpoint, 1)).toMatchObject({ session_id: id, files_touched: ['b.ts'] })
  expect(JSON.parse(await repo.stored(checkpoint, 'metadata.json'))).toMatchObject({
    files_touched: ['a.ts', 'b.ts'],
    checkpoints_count: 2,
  })
})

test('attaching again adds nothing, unless the session has continued', async () => {
  await using repo = await recordedRepo()
  const session = unrecordedSession(repo, id)
  session.turn('write a', { 'a.ts': 'a\n' })
  await commitUnseen(repo, 'a', 'a.ts')
  const first = createdIn((await repo.entire(['session', 'attach', id])).out)
  const tip = await repo.git('rev-parse', 'entire/checkpoints/v1')
  expect(await repo.entire(['session', 'attach', id])).toEqual({
    code: 0,
    out: `Session ${id} already has checkpoint ${first}\n`,
    err: '',
  })
  repo.write('other.ts', 'x\n')
  await commitUnseen(repo, 'other', 'other.ts')
  const later = await repo.entire(['session', 'attach', id.slice(0, 6)])
  expect(later.out).toBe(
    `Session ${id} already has checkpoint ${first}\n\nCopy to your commit message to attach:\n\n  Entire-Checkpoint: ${first}\n`,
  )
  expect(await repo.git('rev-parse', 'entire/checkpoints/v1')).toBe(tip)
  session.turn('write b', { 'b.ts': 'b\n' })
  await commitUnseen(repo, 'b', 'b.ts')
  const second = createdIn((await repo.entire(['session', 'attach', id])).out)
  expect(second).not.toBe(first)
  expect(await repo.storedSession(second)).toMatchObject({
    files_touched: ['b.ts'],
    checkpoint_transcript_start: 2,
    token_usage: { input_tokens: 10 },
  })
  expect(await repo.stored(second, '0/prompt.txt')).toBe('write b')
  expect(await repo.transcriptLines(second)).toHaveLength(4)
})

test('attaching a continued session to the same commit replaces its part of the checkpoint', async () => {
  await using repo = await recordedRepo()
  const session = unrecordedSession(repo, id)
  session.turn('write a', { 'a.ts': 'a\n' })
  await commitUnseen(repo, 'a', 'a.ts')
  const checkpoint = createdIn((await repo.entire(['session', 'attach', id])).out)
  session.turn('explain a', {})
  expect((await repo.entire(['session', 'attach', id])).out).toContain(
    `Added to existing checkpoint ${checkpoint}`,
  )
  expect(JSON.parse(await repo.stored(checkpoint, 'metadata.json')).sessions).toHaveLength(1)
  expect(await repo.storedSession(checkpoint)).toMatchObject({
    files_touched: ['a.ts'],
    token_usage: { input_tokens: 20 },
  })
  expect(await repo.stored(checkpoint, '0/prompt.txt')).toBe('write a\n\n---\n\nexplain a')
})

test('sessions started in a subdirectory, and in any kind of repository, are found', async () => {
  for (const kind of ['plain', 'sha256', 'linked-worktree'] as const) {
    await using repo = await recordedRepo({ kind })
    unrecordedSession(repo, id, 'src/deep').turn('write a', { 'src/deep/a.ts': 'a\n' })
    await commitUnseen(repo, 'a', 'src/deep/a.ts')
    const { code, out, err } = await repo.entire(['session', 'attach', '1111'])
    expect({ kind, code, err }).toEqual({ kind, code: 0, err: 'Auto-detected agent: Claude Code\n' })
    expect(await repo.storedSession(createdIn(out))).toMatchObject({
      session_id: id,
      files_touched: ['src/deep/a.ts'],
    })
  }
})

test('the session can be attached to the first commit', async () => {
  await using repo = await recordedRepo()
  await repo.git('checkout', '--quiet', '--orphan', 'fresh')
  await repo.git('rm', '-r', '--quiet', '--cached', '.')
  unrecordedSession(repo, id).turn('write a', { 'a.ts': 'a\nb\n' })
  await commitUnseen(repo, 'a', 'a.ts')
  const { out } = await repo.entire(['session', 'attach', id])
  expect(await repo.storedSession(createdIn(out))).toMatchObject({
    initial_attribution: { agent_lines: 2, agent_percentage: 100 },
  })
})

test('a Gemini session is found by a prefix of its id, and stored under its full id', async () => {
  const fixture =
    'test/fixtures/agents/gemini/run1-create/home/.gemini/tmp/proj/chats/session-2026-11-15T19-21-c6e3dc5e.jsonl'
  await using repo = await recordedRepo()
  repo.env.ENTIRE_TEST_GEMINI_PROJECT_DIR = `${repo.base}/chats`
  repo.write('../chats/session-2026-11-15T19-21-c6e3dc5e.jsonl', readFileSync(fixture))
  const { code, out, err } = await repo.entire(['session', 'attach', 'c6e3dc5e', '-a', 'gemini'])
  expect({ code, err }).toEqual({ code: 0, err: '' })
  const full = /Attached session (c6e3dc5e-\S+)/.exec(out)?.[1] as string
  expect(await repo.storedSession(createdIn(out))).toMatchObject({ session_id: full, agent: 'Gemini CLI' })
  expect(repo.state(full)).toMatchObject({ agent_type: 'Gemini CLI' })
})

test('a running session is completed when its turn ends', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.prompt('write a')
  agent.write('a.ts', 'a\n')
  await commitUnseen(repo, 'a', 'a.ts')
  const { out } = await repo.entire(['session', 'attach', agent.session])
  const checkpoint = createdIn(out)
  expect(repo.state(agent.session)).toMatchObject({
    phase: 'active_committed',
    turn_checkpoint_ids: [checkpoint],
  })
  agent.say('That was it.')
  await agent.stop()
  expect(await repo.transcript(checkpoint)).toContain('That was it.')
  expect(repo.state(agent.session)).toMatchObject({ phase: 'idle' })
})

test('with one ref per checkpoint the checkpoint gets its own ref and is queued for the push', async () => {
  await using repo = await recordedRepo()
  repo.write(
    '.entire/settings.local.json',
    JSON.stringify({ checkpoints: { primary: { type: 'git-refs' } } }),
  )
  unrecordedSession(repo, id).turn('write a', { 'a.ts': 'a\n' })
  await commitUnseen(repo, 'a', 'a.ts')
  const checkpoint = createdIn((await repo.entire(['session', 'attach', id])).out)
  const ref = `refs/entire/checkpoints/${checkpoint.slice(-2)}/${checkpoint}`
  expect(JSON.parse(await repo.git('show', `${ref}:0/metadata.json`))).toMatchObject({ session_id: id })
  expect(repo.read('.git/entire-checkpoint-push-queue.jsonl')).toContain(ref)
})

// Replays captured sessions of Claude Code, through the installed hooks, in a real repository.
import { expect, test } from 'bun:test'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { replay } from '../support/replay.ts'

async function ready(): Promise<RecordedRepo> {
  const repo = await recordedRepo()
  await repo.commit('set up')
  return repo
}

test('four runs of one conversation (create, resume, commit in mid-turn, compact) are one session', async () => {
  await using repo = await ready()
  const h0 = await repo.head()

  // A file, created in the first run.
  const create = replay(repo, 'claude-code/A1-create')
  const session = create.session
  await create.to('002-UserPromptSubmit')
  // There is no transcript yet at the first prompt.
  expect(existsSync(create.transcript)).toBe(false)
  expect(repo.state(session)).toMatchObject({ phase: 'active', first_prompt: 'create hello.txt' })
  await create.to('008-Stop')
  expect(repo.state(session)).toMatchObject({
    phase: 'idle',
    checkpoint_count: 1,
    files_touched: ['hello.txt'],
    model_name: 'claude-opus-5-5',
    token_usage: {
      input_tokens: 203,
      cache_creation_tokens: 40,
      cache_read_tokens: 600,
      output_tokens: 103,
      api_call_count: 2,
    },
  })
  expect(await repo.subjects(repo.shadow(h0))).toEqual(['Create hello.txt'])
  expect(await repo.git('show', `${repo.shadow(h0)}:.entire/metadata/${session}/summary.txt`)).toBe(
    'Created hello.txt.',
  )
  await create.rest()
  expect(repo.state(session).phase).toBe('ended')

  // Edited in the second.
  const edit = replay(repo, 'claude-code/A2-resume-edit')
  await edit.to('001-SessionStart')
  expect(repo.state(session)).toMatchObject({ phase: 'idle', transcript_path: create.transcript })
  await edit.rest()
  expect(repo.state(session)).toMatchObject({
    phase: 'ended',
    checkpoint_count: 2,
    session_turn_count: 2,
    token_usage: { api_call_count: 5 },
  })
  expect(await repo.subjects(repo.shadow(h0))).toEqual(['Edit hello.txt', 'Create hello.txt'])

  // Committed by the agent in the third; its last words are written while the Stop hook runs.
  const commit = replay(repo, 'claude-code/A3-continue-commit')
  await commit.to('005-PostToolUse')
  const id = await repo.checkpointOf()
  expect(await repo.git('log', '-1', '--format=%s')).toBe('mock: agent commit')
  expect(repo.state(session)).toMatchObject({ phase: 'active_committed', turn_checkpoint_ids: [id] })
  expect(await repo.storedSession(id)).toMatchObject({
    session_id: session,
    agent: 'Claude Code',
    model: 'claude-opus-5-5',
    checkpoints_count: 2,
    files_touched: ['hello.txt'],
  })
  expect(await repo.stored(id, '0/prompt.txt')).toBe(
    'create hello.txt\n\n---\n\nedit hello.txt\n\n---\n\ncommit the changes',
  )
  expect(await repo.transcript(id)).not.toContain('"text":"Committed."')
  await commit.to('008-Stop')
  expect(await repo.transcript(id)).toContain('"text":"Committed."')
  expect(repo.state(session)).toMatchObject({
    phase: 'idle',
    checkpoint_count: 0,
    token_usage: { api_call_count: 7 },
  })
  await commit.rest()

  // Compacted in the fourth: nothing to save, and a subagent that never ran.
  const compact = replay(repo, 'claude-code/A4-compact')
  await compact.rest()
  expect(await repo.shadows()).toEqual([])
  expect(repo.state(session)).toMatchObject({ phase: 'ended', checkpoint_count: 0, last_checkpoint_id: id })
  expect(repo.temporary()).toEqual([])
  expect(repo.log().filter((line) => line.level === 'ERROR')).toEqual([])
})

test('a commit from the agent’s shell is linked to the session that the environment names', async () => {
  await using repo = await ready()
  for (const name of ['after.txt', 'sub/bg.txt']) repo.write(name, 'left over from elsewhere\n')
  const run = replay(repo, 'claude-code/s17-commit-githookenv')
  await run.to('005-PostToolUse')
  const id = await repo.checkpointOf()
  expect(await repo.storedSession(id)).toMatchObject({
    session_id: run.session,
    files_touched: ['after.txt', 'sub/bg.txt'],
    checkpoints_count: 0,
  })
  await run.rest()
  expect(await repo.transcript(id)).toContain('"text":"Committed."')
  expect(await repo.stored(id, '0/prompt.txt')).toBe('commit everything')
  expect(repo.state(run.session)).toMatchObject({
    phase: 'ended',
    checkpoint_count: 0,
    token_usage: { api_call_count: 2 },
  })
})

test('an agent that changed its directory is recorded in its project', async () => {
  await using repo = await ready()
  const elsewhere = join(repo.base, 'elsewhere')
  mkdirSync(elsewhere)
  const moved = ['005-PostToolUse', '006-PostToolBatch', '008-Stop', '009-SessionEnd']
  const run = replay(repo, 'claude-code/A1-create', {
    patch: (payload, hook) => (moved.includes(hook) ? { ...payload, cwd: elsewhere } : payload),
  })
  await run.rest()
  expect(repo.state(run.session)).toMatchObject({
    phase: 'ended',
    checkpoint_count: 1,
    files_touched: ['hello.txt'],
  })
  expect(existsSync(join(elsewhere, '.entire'))).toBe(false)
})

test('a turn with only a failing command makes no step', async () => {
  await using repo = await ready()
  const run = replay(repo, 'claude-code/s8-bashfail')
  const said = await run.rest()
  expect(said).toContain('No files were modified during this session')
  expect(await repo.shadows()).toEqual([])
  expect(repo.state(run.session)).toMatchObject({
    phase: 'ended',
    checkpoint_count: 0,
    first_prompt: 'run a failing command',
  })
})

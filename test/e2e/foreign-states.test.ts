// Shows and continues sessions that another version of the program has started.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fakeAgent } from '../support/fake-agent.ts'
import { asForeign } from '../support/foreign-repo.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'

setDefaultTimeout(60_000)

const session = '0b1c0e52-8f0e-4a54-9a13-5a3f1f0a7c11'

function putState(repo: RecordedRepo, fields: object, id = session): void {
  const dir = join(repo.repo.commonDir, 'entire-sessions')
  mkdirSync(dir, { recursive: true })
  const state = {
    session_id: id,
    started_at: '2026-02-10T12:00:00.1+01:00',
    checkpoint_count: 0,
    worktree_path: repo.root,
    ...fields,
  }
  writeFileSync(join(dir, `${id}.json`), `${JSON.stringify(state, null, 2)}\n`)
}

async function ground(): Promise<{ repo: RecordedRepo; head: string }> {
  const repo = await recordedRepo()
  return { repo, head: await repo.commit('ground') }
}

test('a turn that another version began is finished here, and its commit is linked', async () => {
  const { repo, head } = await ground()
  await using _repo = repo
  const agent = fakeAgent(repo, { session })
  agent.log({ type: 'user', message: { role: 'user', content: 'write a' } })
  putState(repo, {
    ...{
      cli_version: '0.4.4',
      base_commit: head,
      attribution_base_commit: head,
      phase: 'active',
      turn_id: '0f1e2d3c4b5a',
    },
    ...{
      agent_type: 'Claude Code',
      transcript_path: agent.transcript,
      first_prompt: 'write a',
      untracked_files_at_start: ['mine.txt'],
    },
    pending_prompt_attribution: {
      checkpoint_number: 1,
      user_lines_added: 0,
      user_lines_removed: 0,
      agent_lines_added: 0,
      agent_lines_removed: 0,
    },
  })
  repo.write(
    `.entire/tmp/pre-prompt-${session}.json`,
    JSON.stringify({
      session_id: session,
      timestamp: '2026-02-10T12:00:00Z',
      untracked_files: null,
      step_transcript_start: 0,
    }),
  )
  agent.write('a.ts', 'export const a = 1\n')
  agent.say('Done.')
  await agent.stop()
  expect(repo.state(session)).toMatchObject({ phase: 'idle', checkpoint_count: 1, files_touched: ['a.ts'] })
  await repo.commitAs('human', 'a', 'a.ts')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({
    session_id: session,
    files_touched: ['a.ts'],
    agent: 'Claude Code',
  })
})

test('a step that another version saved is in the checkpoint of the next commit, and is a rewind point', async () => {
  const { repo, head } = await ground()
  await using _repo = repo
  const agent = fakeAgent(repo, { session })
  agent.log({ type: 'user', message: { role: 'user', content: 'write a' } })
  agent.write('a.ts', 'export const a = 1\n')
  agent.say('Done.')
  const dir = `.entire/metadata/${session}`
  // As that version does it: no parent, the whole tree, everything unredacted.
  const step = await asForeign(repo).put(
    `refs/heads/${repo.shadow(head)}`,
    {
      'README.md': repo.read('README.md'),
      'a.ts': 'export const a = 1\n',
      [`${dir}/full.jsonl`]: `${agent.lines().join('\n')}\n`,
      [`${dir}/prompt.txt`]: 'write a',
      [`${dir}/summary.txt`]: 'Done.',
      [`${dir}/context.md`]: '# Session Context\n',
    },
    {
      message: `Write a\n\nEntire-Metadata: ${dir}\nEntire-Session: ${session}\nEntire-Strategy: manual-commit\n`,
    },
  )
  putState(repo, {
    ...{
      cli_version: '0.4.4',
      base_commit: head,
      attribution_base_commit: head,
      phase: 'idle',
      checkpoint_count: 1,
      files_touched: ['a.ts'],
    },
    ...{ agent_type: 'Claude Code', transcript_path: agent.transcript, first_prompt: 'write a' },
    prompt_attributions: [
      {
        checkpoint_number: 1,
        user_lines_added: 0,
        user_lines_removed: 0,
        agent_lines_added: 0,
        agent_lines_removed: 0,
      },
    ],
  })
  expect(JSON.parse((await repo.entire(['rewind', '--list'])).out)).toMatchObject([
    { id: step, message: 'Write a', session_id: session, session_prompt: 'write a', is_logs_only: false },
  ])
  repo.write('a.ts', 'export const a = 2\n')
  expect(await repo.entire(['rewind', '--to', step, '--everything'])).toMatchObject({ code: 0 })
  expect(repo.read('a.ts')).toBe('export const a = 1\n')
  await repo.commitAs('human', 'a', 'a.ts')
  const id = await repo.checkpointOf()
  expect(await repo.storedSession(id)).toMatchObject({
    session_id: session,
    files_touched: ['a.ts'],
    agent: 'Claude Code',
  })
  expect(await repo.transcriptLines(id)).toEqual(agent.lines())
  expect(await repo.shadows()).toEqual([])
})

test('a session that another program records beside ours is in the next commit, whole', async () => {
  const { repo } = await ground()
  await using _repo = repo
  await fakeAgent(repo).turn('write mine', { 'mine.ts': 'export const mine = 1\n' })
  await repo.commitAs('human', 'mine', 'mine.ts')
  const head = await repo.head()

  const agent = fakeAgent(repo, { session })
  agent.log({ type: 'user', message: { role: 'user', content: 'write a' } })
  agent.write('a.ts', 'export const a = 1\n')
  agent.say('Done.')
  agent.log({ type: 'user', message: { role: 'user', content: 'and b' } })
  agent.write('b.ts', 'export const b = 1\n')
  agent.say('Done, too.')
  const dir = `.entire/metadata/${session}`
  await asForeign(repo).put(
    `refs/heads/${repo.shadow(head)}`,
    {
      'a.ts': 'export const a = 1\n',
      'b.ts': 'export const b = 1\n',
      [`${dir}/full.jsonl`]: `${agent.lines().join('\n')}\n`,
      [`${dir}/prompt.txt`]: 'write a\n\n---\n\nand b',
    },
    {
      message: `And b\n\nEntire-Metadata: ${dir}\nEntire-Session: ${session}\nEntire-Strategy: manual-commit\n`,
    },
  )
  putState(repo, {
    ...{ cli_version: '0.4.4', base_commit: head, attribution_base_commit: head, phase: 'idle' },
    ...{ checkpoint_count: 2, files_touched: ['a.ts', 'b.ts'], agent_type: 'Claude Code' },
    ...{ transcript_path: agent.transcript, first_prompt: 'write a' },
  })
  await repo.commitAs('human', 'a', 'a.ts', 'b.ts')
  const id = await repo.checkpointOf()
  expect(await repo.storedSession(id)).toMatchObject({
    session_id: session,
    token_usage: { api_call_count: 4, output_tokens: 12 },
  })
  expect(await repo.stored(id, '0/prompt.txt')).toBe('write a\n\n---\n\nand b')
  expect(await repo.stored(id, '0/context.md')).toContain('and b')
})

test('a turn in which another program committed is completed at its end, and its earlier prompts stay', async () => {
  const { repo } = await ground()
  await using _repo = repo
  const agent = fakeAgent(repo, { session })
  agent.log({ type: 'user', message: { role: 'user', content: 'write a' } })
  agent.say('What should be in it?')
  agent.log({ type: 'user', message: { role: 'user', content: 'anything' } })
  agent.write('a.ts', 'export const a = 1\n')
  const checkpoint = 'a3b2c4d5e6f7'
  const dir = 'a3/b2c4d5e6f7'
  await repo.git('add', 'a.ts')
  await repo.git('commit', '--quiet', '--no-verify', '-m', `a\n\nEntire-Checkpoint: ${checkpoint}`)
  const record = {
    checkpoint_id: checkpoint,
    strategy: 'manual-commit',
    checkpoints_count: 0,
    files_touched: ['a.ts'],
  }
  await asForeign(repo).put('refs/heads/entire/checkpoints/v1', {
    [`${dir}/metadata.json`]: { ...record, sessions: [{ metadata: `/${dir}/0/metadata.json` }] },
    [`${dir}/0/metadata.json`]: { ...record, session_id: session, agent: 'Claude Code', zeta: [1] },
    [`${dir}/0/full.jsonl`]: `${agent.lines().join('\n')}\n`,
    [`${dir}/0/prompt.txt`]: 'write a\n\n---\n\nanything',
    [`${dir}/0/context.md`]: '# Session Context\n',
  })
  const head = await repo.head()
  putState(repo, {
    ...{ cli_version: '0.4.4', base_commit: head, attribution_base_commit: head, phase: 'active' },
    ...{ turn_id: '0f1e2d3c4b5a', turn_checkpoint_ids: [checkpoint], agent_type: 'Claude Code' },
    ...{ transcript_path: agent.transcript, first_prompt: 'write a' },
  })
  // That program keeps only the prompts of the running turn.
  repo.write(`.entire/metadata/${session}/prompt.txt`, 'anything')
  agent.say('Committed.')
  await agent.stop()
  expect(await repo.message('entire/checkpoints/v1')).toBe(
    `Finalize transcript for Checkpoint: ${checkpoint}\n`,
  )
  expect(await repo.transcriptLines(checkpoint)).toEqual(agent.lines())
  expect(await repo.storedSession(checkpoint)).toMatchObject({ session_id: session, zeta: [1] })
  expect(await repo.stored(checkpoint, '0/prompt.txt')).toBe('write a\n\n---\n\nanything')
  expect(await repo.stored(checkpoint, '0/context.md')).toMatch(
    /### Prompt 1\n\nwrite a\n\n### Prompt 2\n\nanything/,
  )
  expect(repo.state(session)).toMatchObject({ phase: 'idle' })
  expect(repo.state(session)).not.toHaveProperty('turn_checkpoint_ids')
})

const phases: [fields: object, status: string][] = [
  [{ phase: 'active' }, 'active'],
  [{ phase: 'active_committed' }, 'active'],
  [{ phase: 'idle' }, 'idle'],
  [{}, 'idle'],
  [{ phase: '' }, 'idle'],
  [{ phase: 'waiting_for_godot' }, 'idle'],
  [{ phase: 'ended', ended_at: '2026-02-10T13:00:00Z' }, 'ended'],
]

test('sessions with the phases of any version are listed with their phase', async () => {
  const { repo, head } = await ground()
  await using _repo = repo
  for (const [index, [fields]] of phases.entries())
    putState(repo, { base_commit: head, ...fields }, `s${index}`)
  putState(
    repo,
    { base_commit: '', concurrent_warning_shown: true, worktree_path: undefined },
    '2026-01-05-oldest',
  )
  writeFileSync(join(repo.repo.commonDir, 'entire-sessions', 'torn.json'), '{"session_id": "to')
  writeFileSync(
    join(repo.repo.commonDir, 'entire-sessions', 'other.json'),
    '{"session_id": "../../elsewhere"}',
  )
  writeFileSync(join(repo.repo.commonDir, 'entire-sessions', 's1.json.tmp'), '{}')
  const { code, out, err } = await repo.entire(['session', 'list', '--all', '--json'])
  expect({ code, err }).toEqual({
    code: 0,
    err: expect.stringMatching(/^! 2 session states cannot be read .*\n$/),
  })
  const listed = JSON.parse(out) as { session_id: string; status: string }[]
  expect(Object.fromEntries(listed.map(({ session_id, status }) => [session_id, status]))).toEqual({
    ...Object.fromEntries(phases.map(([, status], index) => [`s${index}`, status])),
    '2026-01-05-oldest': 'idle',
  })
  expect((await repo.entire(['status'])).code).toBe(0)
  expect((await repo.entire(['session', 'info', '2026-01-05-oldest'])).code).toBe(0)
})

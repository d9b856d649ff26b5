// Follows a session from the first prompt to the checkpoint: what is stored, where, and under which name.
import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fakeAgent } from '../support/fake-agent.ts'
import { recordedRepo } from '../support/recorded-repo.ts'

test('a checkpoint holds everything about the commit that readers ask for', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  await repo.git('checkout', '--quiet', '-b', 'feature/x')
  const h0 = await repo.head()
  const agent = fakeAgent(repo)
  await agent.start()
  await agent.turn('Can you please add a parser?', {
    'src/parser.ts': 'export const parser = 1\n',
    'README.md': '# test\n\nNow with a parser.\n',
  })
  const shadow = `entire/${h0.slice(0, 7)}-e3b0c4`
  expect(await repo.shadows()).toEqual([shadow])
  expect(await repo.subjects(shadow)).toEqual(['Add a parser'])
  expect(existsSync(join(repo.root, '.git/entire-sessions', `${agent.session}.json`))).toBe(true)
  await repo.commitAs('human', 'feat: parser', 'src', 'README.md')

  const id = await repo.checkpointOf()
  expect(id).toMatch(/^[0-9a-f]{12}$/)
  expect(await repo.message()).toBe(`feat: parser\n\nEntire-Checkpoint: ${id}\n`)
  const dir = `/${id.slice(0, 2)}/${id.slice(2)}`
  expect(JSON.parse(await repo.stored(id, 'metadata.json'))).toEqual({
    cli_version: expect.any(String),
    checkpoint_id: id,
    strategy: 'manual-commit',
    branch: 'feature/x',
    checkpoints_count: 1,
    files_touched: ['README.md', 'src/parser.ts'],
    sessions: [
      {
        metadata: `${dir}/0/metadata.json`,
        transcript: `${dir}/0/full.jsonl`,
        context: `${dir}/0/context.md`,
        content_hash: `${dir}/0/content_hash.txt`,
        prompt: `${dir}/0/prompt.txt`,
      },
    ],
    token_usage: {
      input_tokens: 30,
      cache_creation_tokens: 3,
      cache_read_tokens: 15,
      output_tokens: 9,
      api_call_count: 3,
    },
  })
  expect(await repo.storedSession(id)).toMatchObject({
    checkpoint_id: id,
    session_id: agent.session,
    strategy: 'manual-commit',
    branch: 'feature/x',
    checkpoints_count: 1,
    files_touched: ['README.md', 'src/parser.ts'],
    agent: 'Claude Code',
    model: 'claude-test-1',
    turn_id: expect.stringMatching(/^[0-9a-f]{12}$/),
    created_at: expect.stringMatching(/^\d{4}-.*Z$/),
    transcript_identifier_at_start: expect.any(String),
    transcript_path: `.claude/projects/-repo/${agent.session}.jsonl`,
    initial_attribution: { agent_lines: 3, human_added: 0, agent_percentage: 100 },
  })
  const stored = await repo.transcript(id)
  expect(stored).toBe(`${agent.lines().join('\n')}\n`)
  expect(await repo.stored(id, '0/content_hash.txt')).toBe(
    `sha256:${createHash('sha256').update(stored).digest('hex')}`,
  )
  expect(await repo.stored(id, '0/prompt.txt')).toBe('Can you please add a parser?')
  expect(await repo.stored(id, '0/context.md')).toBe(
    '# Session Context\n\n## User Prompts\n\n### Prompt 1\n\nCan you please add a parser?\n',
  )
  expect(await repo.message('entire/checkpoints/v1')).toBe(
    `Checkpoint: ${id}\n\nEntire-Session: ${agent.session}\nEntire-Strategy: manual-commit\nEntire-Agent: Claude Code\nEphemeral-branch: ${shadow}\n`,
  )
})

test('nothing secret reaches the checkpoint or the step', async () => {
  await using repo = await recordedRepo()
  const secret = `ghp_${'A1b2C3d4E5f6G7h8I9j0'.repeat(2).slice(0, 36)}`
  const agent = fakeAgent(repo)
  await agent.prompt(`use ${secret} to log in`)
  agent.write('a.ts', 'export const a = 1\n')
  agent.say(`I used ${secret}.`)
  await agent.stop()
  const shadow = repo.shadow(await repo.head())
  for (const name of ['full.jsonl', 'prompt.txt', 'summary.txt', 'context.md']) {
    expect(await repo.git('show', `${shadow}:.entire/metadata/${agent.session}/${name}`)).not.toContain(
      secret,
    )
  }
  expect(JSON.stringify(repo.state(agent.session))).not.toContain(secret)
  await repo.commitAs('human', 'a', 'a.ts')
  const id = await repo.checkpointOf()
  expect(await repo.transcript(id)).not.toContain(secret)
  expect((await repo.stored(id, '0/prompt.txt')) + (await repo.stored(id, '0/context.md'))).not.toContain(
    secret,
  )
})

test('without the transcript file, everything else is recorded', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  const away = { transcript_path: join(repo.base, 'home', 'nowhere.jsonl') }
  await agent.hook('user-prompt-submit', { prompt: 'write a', ...away })
  agent.run('a.ts', 'export const a = 1\n')
  await agent.hook('stop', { ...away, last_assistant_message: 'Done.' })
  expect(repo.state(agent.session)).toMatchObject({
    phase: 'idle',
    checkpoint_count: 1,
    files_touched: ['a.ts'],
  })
  await repo.commitAs('human', 'a', 'a.ts')
  const id = await repo.checkpointOf()
  expect(await repo.storedSession(id)).toMatchObject({ files_touched: ['a.ts'], checkpoints_count: 1 })
  expect(await repo.stored(id, '0/prompt.txt')).toBe('write a')
  expect(await repo.transcript(id)).toBe('')
})

test('with one ref per checkpoint, commits of every kind are stored in their refs', async () => {
  await using repo = await recordedRepo()
  repo.write(
    '.entire/settings.local.json',
    JSON.stringify({ checkpoints: { primary: { type: 'git-refs' } } }),
  )
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': 'export const a = 1\n' })
  await repo.commitAs('human', 'a', 'a.ts')
  const first = await repo.checkpointOf()
  expect(first).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/)
  await agent.prompt('write b and commit')
  agent.write('b.ts', 'export const b = 1\n')
  await repo.commitAs('agent', 'b', 'b.ts')
  const second = await repo.checkpointOf()
  agent.say('Committed.')
  await agent.stop()
  const ref = (id: string) => `refs/entire/checkpoints/${id.slice(-2)}/${id}`
  expect(
    (await repo.git('for-each-ref', '--format=%(refname)', 'refs/entire/checkpoints/'))
      .split('\n')
      .toSorted(),
  ).toEqual([ref(first), ref(second)].toSorted())
  expect(await repo.subjects(ref(second))).toEqual([
    `Finalize transcript for Checkpoint: ${second}`,
    `Checkpoint: ${second}`,
  ])
  expect(JSON.parse(await repo.git('show', `${ref(second)}:0/metadata.json`))).toMatchObject({
    session_id: agent.session,
    files_touched: ['b.ts'],
  })
  expect(await repo.paths('entire/checkpoints/v1')).toEqual([])
})

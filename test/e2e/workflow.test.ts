// The everyday life of a session from the first prompt to the checkpoint: what is stored, where, and under which name.
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
  await agent.turn('Can you please add a parser?', { 'src/parser.ts': 'export const parser = 1\n', 'README.md': '# test\n\nNow with a parser.\n' })
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
    token_usage: { input_tokens: 30, cache_creation_tokens: 3, cache_read_tokens: 15, output_tokens: 9, api_call_count: 3 },
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
  expect(stored.split('\n')).toEqual(agent.lines())
  expect(await repo.stored(id, '0/content_hash.txt')).toBe(`sha256:${createHash('sha256').update(stored).digest('hex')}`)
  expect(await repo.stored(id, '0/prompt.txt')).toBe('Can you please add a parser?')
  expect(await repo.stored(id, '0/context.md')).toBe('# Session Context\n\n## User Prompts\n\n### Prompt 1\n\nCan you please add a parser?\n')
  expect(await repo.message('entire/checkpoints/v1')).toBe(
    `Checkpoint: ${id}\n\nEntire-Session: ${agent.session}\nEntire-Strategy: manual-commit\nEntire-Agent: Claude Code\nEphemeral-branch: ${shadow}\n`,
  )
})

test('turns without changes are conversation only: no step, no link, and no file left behind', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('how does it work?', {})
  expect(await repo.shadows()).toEqual([])
  expect(repo.state(agent.session)).toMatchObject({ phase: 'idle', checkpoint_count: 0 })
  expect(repo.temporary()).toEqual([])
  repo.write('mine.ts', 'by hand\n')
  await repo.commitAs('human', 'mine', 'mine.ts')
  expect(await repo.checkpointsOf()).toEqual([])
  // What was said is part of the first checkpoint that comes.
  await agent.turn('then write a', { 'a.ts': 'export const a = 1\n' })
  await repo.commitAs('human', 'a', 'a.ts')
  expect(await repo.stored(await repo.checkpointOf(), '0/prompt.txt')).toBe('how does it work?\n\n---\n\nthen write a')
})

test('a second end of the same turn, and a turn that changes files back and forth, add no step without a difference', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': 'export const a = 1\n' })
  const shadow = repo.shadow(await repo.head())
  await agent.stop()
  expect(await repo.subjects(shadow)).toEqual(['Write a'])
  expect(repo.state(agent.session)).toMatchObject({ phase: 'idle', checkpoint_count: 1 })
})

test('files edited or created through a shell are found without the transcript’s help; the user’s own are left out', async () => {
  await using repo = await recordedRepo()
  repo.write('notes.md', 'mine, from before\n')
  repo.write('todo.md', 'mine, from before\n')
  const agent = fakeAgent(repo)
  await agent.prompt('run the generator')
  agent.run('generated/x.ts', 'export const x = 1\n')
  agent.run('README.md', '# test\n\nchanged by sed\n')
  agent.run('todo.md', 'mine, and more by the agent\n')
  agent.say('Done.')
  await agent.stop()
  expect(repo.state(agent.session).files_touched).toEqual(['README.md', 'generated/x.ts', 'todo.md'])
  // The step holds the whole work tree all the same.
  expect(await repo.git('show', `${repo.shadow(await repo.head())}:notes.md`)).toBe('mine, from before')
  await repo.commitAs('human', 'notes', 'notes.md')
  expect(await repo.checkpointsOf()).toEqual([])
})

test('ignored files and our own are never part of a step', async () => {
  await using repo = await recordedRepo()
  repo.write('.gitignore', 'build/\n.env\n')
  await repo.commit('ignore')
  const agent = fakeAgent(repo)
  await agent.turn('build it', { 'a.ts': 'export const a = 1\n', 'build/out.js': 'a\n', '.env': 'TOKEN=1\n' })
  expect(repo.state(agent.session).files_touched).toEqual(['a.ts'])
  const paths = await repo.paths(repo.shadow(await repo.head()))
  expect(paths.filter((path) => /^(build|\.env|\.entire\/(tmp|logs))/.test(path))).toEqual([])
})

test('what the user changes between prompts is theirs, once', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': 'agent one\nagent two\n' })
  repo.write('a.ts', 'agent one\nagent two\nhuman three\n')
  await agent.turn('extend a', { 'a.ts': 'agent one\nagent two\nhuman three\nagent four\n' })
  expect(repo.state(agent.session).prompt_attributions).toMatchObject([{ user_lines_added: 0 }, { user_lines_added: 1, user_added_per_file: { 'a.ts': 1 } }])
  await repo.commitAs('human', 'a', 'a.ts')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({ initial_attribution: { agent_lines: 3, human_added: 1, agent_percentage: 75 } })
  expect(repo.state(agent.session).prompt_attributions).toBeUndefined()
  expect(repo.state(agent.session).pending_prompt_attribution).toBeUndefined()

  // The next checkpoint does not count them again.
  await agent.turn('extend again', { 'a.ts': 'agent one\nagent two\nhuman three\nagent four\nagent five\n' })
  await repo.commitAs('human', 'more', 'a.ts')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({ initial_attribution: { agent_lines: 1, human_added: 0, agent_percentage: 100 } })
})

test('lines the agent only deleted are its work', async () => {
  await using repo = await recordedRepo()
  repo.write('old.ts', 'one\ntwo\nthree\nfour\n')
  await repo.commit('old', 'old.ts')
  const agent = fakeAgent(repo)
  await agent.turn('shorten it', { 'old.ts': 'one\nfour\n' })
  await repo.commitAs('human', 'shorter', 'old.ts')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({ initial_attribution: { agent_lines: 0, agent_removed: 2, human_added: 0, agent_percentage: 100 } })
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
    expect(await repo.git('show', `${shadow}:.entire/metadata/${agent.session}/${name}`)).not.toContain(secret)
  }
  expect(JSON.stringify(repo.state(agent.session))).not.toContain(secret)
  await repo.commitAs('human', 'a', 'a.ts')
  const id = await repo.checkpointOf()
  expect(await repo.transcript(id)).not.toContain(secret)
  expect((await repo.stored(id, '0/prompt.txt')) + (await repo.stored(id, '0/context.md'))).not.toContain(secret)
})

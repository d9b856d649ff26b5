// Plays the life of a repository in nine steps, with the compiled program: what every reader of the data
// relies on.
import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fakeAgent } from '../support/fake-agent.ts'
import { recordedRepo } from '../support/recorded-repo.ts'

test('all nine steps leave the expected data', async () => {
  await using repo = await recordedRepo()
  const h0 = await repo.head()
  const agent = fakeAgent(repo)
  const shadow0 = `entire/${h0.slice(0, 7)}-e3b0c4`

  // 1. Set up.
  const settings = JSON.parse(repo.read('.claude/settings.json'))
  expect(Object.keys(settings.hooks)).toEqual(
    expect.arrayContaining([
      'SessionStart',
      'SessionEnd',
      'Stop',
      'UserPromptSubmit',
      'PreToolUse',
      'PostToolUse',
    ]),
  )
  expect(settings.permissions.deny).toContain('Read(./.entire/metadata/**)')
  for (const hook of ['prepare-commit-msg', 'commit-msg', 'post-commit', 'pre-push'])
    expect(readFileSync(join(repo.repo.commonDir, 'hooks', hook), 'utf8')).toContain('Entire CLI hooks')
  expect(JSON.parse(repo.read('.entire/settings.json'))).toMatchObject({
    enabled: true,
    strategy: 'manual-commit',
  })
  expect(repo.read('.entire/.gitignore')).toContain('metadata/')
  expect(await repo.git('ls-tree', 'entire/checkpoints/v1')).toBe('')
  await repo.git('add', '.claude', '.entire')

  // 2. A prompt.
  await agent.prompt('Please add a and b')
  expect(existsSync(join(repo.repo.gitDir, `entire-tmp/pre-prompt-${agent.session}.json`))).toBe(true)
  expect(repo.state(agent.session)).toMatchObject({
    phase: 'active',
    base_commit: h0,
    attribution_base_commit: h0,
    checkpoint_count: 0,
    pending_prompt_attribution: { checkpoint_number: 1 },
  })

  // 3. The turn ends: one step, after the state before the turn.
  agent.write('a', 'alpha one\nalpha two\n')
  agent.write('b', 'beta one\nbeta two\n')
  agent.say('Added both.')
  await agent.stop()
  expect(await repo.subjects(shadow0)).toEqual(['Add a and b'])
  expect(await repo.message(shadow0)).toBe(
    `Add a and b\n\nEntire-Metadata: .entire/metadata/${agent.session}\nEntire-Session: ${agent.session}\nEntire-Strategy: manual-commit\n`,
  )
  const stepFiles = (await repo.git('ls-tree', '-r', '--name-only', shadow0)).split('\n')
  const metadata = ['context.md', 'full.jsonl', 'prompt.txt', 'summary.txt'].map(
    (name) => `.entire/metadata/${agent.session}/${name}`,
  )
  expect(stepFiles).toEqual(expect.arrayContaining(['a', 'b', ...metadata]))
  expect(await repo.git('show', `${shadow0}:.entire/metadata/${agent.session}/full.jsonl`)).toBe(
    readFileSync(agent.transcript, 'utf8').trimEnd(),
  )
  expect(await repo.git('show', `${shadow0}:.entire/metadata/${agent.session}/summary.txt`)).toBe(
    'Added both.',
  )
  expect(repo.state(agent.session)).toMatchObject({
    phase: 'idle',
    checkpoint_count: 1,
    files_touched: ['a', 'b'],
    prompt_attributions: [{ checkpoint_number: 1 }],
  })
  expect(existsSync(join(repo.repo.gitDir, `entire-tmp/pre-prompt-${agent.session}.json`))).toBe(false)

  // 4. The user commits one of the files.
  await repo.git('reset', '--quiet')
  const h1 = await repo.commitAs('human', 'a', 'a')
  const [x = ''] = await repo.checkpointsOf()
  expect(await repo.message()).toBe(`a\n\nEntire-Checkpoint: ${x}\n`)
  expect(x).toMatch(/^[0-9a-f]{12}$/)
  expect(await repo.git('log', '-1', '--format=%s', 'entire/checkpoints/v1')).toBe(`Checkpoint: ${x}`)
  expect(JSON.parse(await repo.stored(x, 'metadata.json'))).toMatchObject({
    checkpoint_id: x,
    strategy: 'manual-commit',
    branch: 'main',
    checkpoints_count: 1,
    files_touched: ['a', 'b'],
  })
  expect(JSON.parse(await repo.stored(x, '0/metadata.json'))).toMatchObject({
    session_id: agent.session,
    agent: 'Claude Code',
    checkpoints_count: 1,
    files_touched: ['a', 'b'],
    initial_attribution: { agent_lines: 2, human_added: 0, agent_percentage: 100, metric_version: 2 },
  })
  expect(await repo.refs('refs/heads/entire/')).toEqual(
    [`entire/${h1.slice(0, 7)}-e3b0c4`, 'entire/checkpoints/v1'].sort(),
  )
  expect(await repo.git('log', '-1', '--format=%s', `entire/${h1.slice(0, 7)}-e3b0c4`)).toBe(
    'carry forward: uncommitted session files',
  )
  const afterA = repo.state(agent.session)
  expect(afterA).toMatchObject({ base_commit: h1, files_touched: ['b'], checkpoint_count: 1 })
  expect(afterA.checkpoint_transcript_start).toBeUndefined()
  expect(afterA.last_checkpoint_id).toBeUndefined()

  // 5. The user commits the other one: a checkpoint of its own, with the whole transcript.
  const h2 = await repo.commitAs('human', 'b', 'b')
  const [y = ''] = await repo.checkpointsOf()
  expect(y).not.toBe(x)
  expect(JSON.parse(await repo.stored(y, '0/metadata.json')).files_touched).toEqual(['b'])
  expect(await repo.stored(y, '0/full.jsonl')).toBe(await repo.stored(x, '0/full.jsonl'))
  expect(await repo.refs('refs/heads/entire/')).toEqual(['entire/checkpoints/v1'])
  const lines = readFileSync(agent.transcript, 'utf8').trimEnd().split('\n').length
  const afterB = repo.state(agent.session)
  expect(afterB).toMatchObject({
    base_commit: h2,
    checkpoint_count: 0,
    last_checkpoint_id: y,
    checkpoint_transcript_start: lines,
  })
  expect(afterB.files_touched).toBeUndefined()

  // 6. Amending never makes a second checkpoint.
  const stored = await repo.git('rev-parse', 'entire/checkpoints/v1')
  await repo.git('commit', '--quiet', '--amend', '--no-edit')
  expect(await repo.checkpointsOf()).toEqual([y])
  await repo.git('commit', '--quiet', '--amend', '-m', 'b2')
  expect(await repo.git('rev-parse', 'entire/checkpoints/v1')).toBe(stored)

  // 7. Work by hand is not the agent's.
  const before = repo.state(agent.session)
  repo.write('c', 'by hand\n')
  await repo.commitAs('human', 'c', 'c')
  expect(await repo.checkpointsOf()).toEqual([])
  expect(repo.state(agent.session)).toEqual(before)

  // 8. The agent commits in the middle of its turn, and continues.
  await agent.prompt('now add d')
  agent.write('d', 'delta\n')
  await repo.commitAs('agent', 'd', 'd')
  const [z = ''] = await repo.checkpointsOf()
  expect(z).toMatch(/^[0-9a-f]{12}$/)
  expect(JSON.parse(await repo.stored(z, '0/metadata.json'))).toMatchObject({
    checkpoints_count: 0,
    files_touched: ['d'],
  })
  expect(repo.state(agent.session)).toMatchObject({ phase: 'active_committed', turn_checkpoint_ids: [z] })
  agent.say('Committed; all done.')
  await agent.stop()
  expect(await repo.git('log', '-1', '--format=%s', 'entire/checkpoints/v1')).toBe(
    `Finalize transcript for Checkpoint: ${z}`,
  )
  expect(await repo.stored(z, '0/full.jsonl')).toContain('Committed; all done.')
  expect(repo.state(agent.session).turn_checkpoint_ids).toBeUndefined()

  // 9. Points to go back to, and a push that takes the checkpoints along, once.
  const points = JSON.parse((await repo.entire(['rewind', '--list'])).out) as {
    condensation_id?: string
    is_logs_only: boolean
  }[]
  expect(points.filter((point) => point.is_logs_only).map((point) => point.condensation_id)).toEqual(
    expect.arrayContaining([x, z]),
  )
  await repo.git('init', '--quiet', '--bare', `${repo.base}/remote.git`)
  await repo.git('remote', 'add', 'origin', `${repo.base}/remote.git`)
  const env = { ...repo.env, GIT_PROGRESS_DELAY: '0' }
  const first = await repo.run(['git', 'push', 'origin', 'main'], { env })
  expect(first.stderr).toContain('[entire] Pushing entire/checkpoints/v1 to origin...')
  expect(await repo.git('ls-remote', 'origin', 'refs/heads/entire/checkpoints/v1')).toContain(
    await repo.git('rev-parse', 'entire/checkpoints/v1'),
  )
  expect(await repo.git('ls-remote', 'origin')).not.toContain(shadow0)
  const second = await repo.run(['git', 'push', 'origin', 'main'], { env })
  expect(second.stderr).not.toContain('[entire]')
})

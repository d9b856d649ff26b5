// Commits in mid-turn: the checkpoint exists at once with the transcript so far, and is completed when the
// turn has ended.
import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { fakeAgent } from '../support/fake-agent.ts'
import { recordedRepo } from '../support/recorded-repo.ts'

test('a checkpoint made in mid-turn has the transcript so far, and the whole turn when the turn has ended', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.prompt('add a parser and commit it')
  agent.write('parser.ts', 'export const parse = 1\n')
  const before = agent.lines()
  await repo.commitAs('agent', 'add parser', 'parser.ts')
  const id = await repo.checkpointOf()
  const metadata = await repo.stored(id, '0/metadata.json')
  expect(await repo.transcriptLines(id)).toEqual(before)
  expect(repo.state(agent.session)).toMatchObject({ phase: 'active_committed', turn_checkpoint_ids: [id] })

  agent.write('parser.test.ts', 'test()\n')
  agent.say('Committed, and a test is still to be committed.')
  await agent.stop()
  const stored = await repo.transcript(id)
  expect(stored).toBe(`${agent.lines().join('\n')}\n`)
  expect(await repo.stored(id, '0/content_hash.txt')).toBe(
    `sha256:${createHash('sha256').update(stored).digest('hex')}`,
  )
  expect(await repo.stored(id, '0/prompt.txt')).toBe('add a parser and commit it')
  expect(await repo.stored(id, '0/context.md')).toContain('add a parser and commit it')
  expect(await repo.stored(id, '0/metadata.json')).toBe(metadata)
  expect(repo.state(agent.session)).toMatchObject({ phase: 'idle', files_touched: ['parser.test.ts'] })
  expect(repo.state(agent.session).turn_checkpoint_ids).toBeUndefined()
})

test('every commit of one turn has a checkpoint of its own, and the end of the turn completes them all', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.prompt('make three commits')
  const ids: string[] = []
  for (const name of ['one', 'two', 'three']) {
    agent.write(`${name}.ts`, `export const ${name} = true\n`)
    await repo.commitAs('agent', name, `${name}.ts`)
    ids.push(await repo.checkpointOf())
    expect(await repo.storedSession(ids.at(-1) as string)).toMatchObject({
      files_touched: [`${name}.ts`],
      checkpoints_count: 0,
    })
  }
  expect(new Set(ids).size).toBe(3)
  expect(repo.state(agent.session)).toMatchObject({ phase: 'active_committed', turn_checkpoint_ids: ids })

  agent.say('Three commits made.')
  await agent.stop()
  for (const id of ids) expect(await repo.transcriptLines(id)).toEqual(agent.lines())
  expect((await repo.subjects('entire/checkpoints/v1')).slice(0, 3).toSorted()).toEqual(
    ids.map((id) => `Finalize transcript for Checkpoint: ${id}`).toSorted(),
  )
  expect(repo.state(agent.session).turn_checkpoint_ids).toBeUndefined()

  // A commit of an idle session has nothing to complete later.
  await agent.turn('one more', { 'four.ts': 'export const four = true\n' })
  await repo.commitAs('human', 'four', 'four.ts')
  const tip = await repo.git('rev-parse', 'entire/checkpoints/v1')
  expect(repo.state(agent.session).turn_checkpoint_ids).toBeUndefined()
  await agent.stop()
  expect(await repo.git('rev-parse', 'entire/checkpoints/v1')).toBe(tip)
})

for (const [event, next] of Object.entries({
  'the next prompt': (agent: ReturnType<typeof fakeAgent>) => agent.prompt('go on'),
  'the next start of the session': (agent: ReturnType<typeof fakeAgent>) =>
    agent.start('resume').then(() => {}),
  'the end of the session': (agent: ReturnType<typeof fakeAgent>) => agent.end(),
})) {
  test(`a turn whose end was never reported is completed by ${event}`, async () => {
    await using repo = await recordedRepo()
    const agent = fakeAgent(repo)
    await agent.prompt('commit, then be interrupted')
    agent.write('a.ts', 'export const a = 1\n')
    await repo.commitAs('agent', 'a', 'a.ts')
    const id = await repo.checkpointOf()
    agent.write('b.ts', 'export const b = 1\n')
    agent.say('The last words before the crash.')
    const spoken = agent.lines()

    await next(agent)
    expect(await repo.transcriptLines(id)).toEqual(spoken)
    expect(await repo.stored(id, '0/prompt.txt')).toBe('commit, then be interrupted')
    expect(repo.state(agent.session)).toMatchObject({ files_touched: ['b.ts'], checkpoint_count: 1 })
    expect(repo.state(agent.session).turn_checkpoint_ids).toBeUndefined()
  })
}

test('a checkpoint of the turn that has disappeared does not keep the others from being completed', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  const empty = await repo.git('rev-parse', 'entire/checkpoints/v1')
  await agent.prompt('two commits')
  agent.write('lost.ts', 'export const lost = 1\n')
  await repo.commitAs('agent', 'lost', 'lost.ts')
  const lost = await repo.checkpointOf()
  await repo.git('update-ref', 'refs/heads/entire/checkpoints/v1', empty)
  agent.write('kept.ts', 'export const kept = 1\n')
  await repo.commitAs('agent', 'kept', 'kept.ts')
  const kept = await repo.checkpointOf()

  agent.say('The end.')
  await agent.stop()
  expect(await repo.transcript(kept)).toContain('The end.')
  expect(repo.state(agent.session).phase).toBe('idle')
  expect(repo.log().filter((line) => line.level === 'WARN')).toEqual([
    expect.objectContaining({ checkpoint: lost, session_id: agent.session }),
  ])
})

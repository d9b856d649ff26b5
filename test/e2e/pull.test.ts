// Pulls under a session: its steps follow HEAD with the next step, and pulled commits are not attributed to
// it.
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'

const line = (name: string) => `export const ${name} = '${name}'\n`

/** Pushes a commit of another person, and returns its id. */
async function colleaguePushes(repo: RecordedRepo, path: string): Promise<string> {
  const clone = join(repo.base, 'colleague')
  const quiet = ['-c', 'user.name=Colleague', '-c', 'user.email=colleague@example.com']
  await repo.git('clone', '--quiet', join(repo.base, 'origin.git'), clone)
  await repo.run(
    [
      'sh',
      '-c',
      `echo theirs >${path} && git add ${path} && git ${quiet.join(' ')} commit --quiet -m theirs && git push --quiet origin main`,
    ],
    { cwd: clone },
  )
  return (await repo.git('ls-remote', 'origin', 'refs/heads/main')).slice(0, 40)
}

async function withOrigin(): Promise<RecordedRepo> {
  const repo = await recordedRepo()
  await repo.commit('set up')
  await repo.git('init', '--quiet', '--bare', '--initial-branch=main', join(repo.base, 'origin.git'))
  await repo.git('remote', 'add', 'origin', join(repo.base, 'origin.git'))
  await repo.git('push', '--quiet', '--set-upstream', 'origin', 'main')
  return repo
}

test('after a pull between two turns the steps move to the new HEAD with the state before the next turn', async () => {
  await using repo = await withOrigin()
  const h0 = await repo.head()
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': line('a') })
  const pulled = await colleaguePushes(repo, 'theirs.ts')
  await repo.git('pull', '--quiet')
  expect(await repo.head()).toBe(pulled)
  await agent.prompt('write b')
  expect(repo.state(agent.session)).toMatchObject({ base_commit: pulled, checkpoint_count: 1 })
  agent.write('b.ts', line('b'))
  agent.say('Done.')
  await agent.stop()
  expect(repo.state(agent.session)).toMatchObject({
    base_commit: pulled,
    attribution_base_commit: h0,
    checkpoint_count: 2,
    files_touched: ['a.ts', 'b.ts'],
  })
  expect(await repo.shadows()).toEqual([repo.shadow(pulled)])
  expect(await repo.subjects(repo.shadow(pulled))).toEqual(['Write b', 'Write a'])
  expect(await repo.paths(repo.shadow(pulled))).toEqual(expect.arrayContaining(['a.ts', 'b.ts', 'theirs.ts']))

  await repo.commitAs('human', 'a and b', 'a.ts', 'b.ts')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({
    checkpoints_count: 2,
    files_touched: ['a.ts', 'b.ts'],
    initial_attribution: { agent_lines: 2, human_added: 0 },
  })
  expect(await repo.shadows()).toEqual([])
})

test('after a pull the next commit is linked even when no turn came in between', async () => {
  await using repo = await withOrigin()
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': line('a') })
  await colleaguePushes(repo, 'theirs.ts')
  await repo.git('pull', '--quiet')
  await repo.commitAs('human', 'a', 'a.ts')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({
    checkpoints_count: 1,
    files_touched: ['a.ts'],
  })
  expect(await repo.shadows()).toEqual([])
})

test('commits of others that are pulled during a turn are not attributed to the agent', async () => {
  await using repo = await withOrigin()
  const agent = fakeAgent(repo)
  await agent.prompt('pull and write a')
  await colleaguePushes(repo, 'theirs.ts')
  await repo.gitAs('agent', ['pull', '--quiet'])
  agent.write('a.ts', line('a'))
  agent.say('Done.')
  await agent.stop()
  expect(repo.state(agent.session)).toMatchObject({ base_commit: await repo.head(), files_touched: ['a.ts'] })
  expect(await repo.refs('refs/notes/')).toEqual([])
  expect(await repo.paths('entire/checkpoints/v1')).toEqual([])
})

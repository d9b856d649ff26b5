// Counts the lines of the user and of the agent, from the first prompt to the commit.
import { expect, test } from 'bun:test'
import { fakeAgent } from '../support/fake-agent.ts'
import { recordedRepo } from '../support/recorded-repo.ts'

test('changes by the user between prompts are attributed to the user, once', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': 'agent one\nagent two\n' })
  repo.write('a.ts', 'agent one\nagent two\nhuman three\n')
  await agent.turn('extend a', { 'a.ts': 'agent one\nagent two\nhuman three\nagent four\n' })
  expect(repo.state(agent.session).prompt_attributions).toMatchObject([
    { user_lines_added: 0 },
    { user_lines_added: 1, user_added_per_file: { 'a.ts': 1 } },
  ])
  await repo.commitAs('human', 'a', 'a.ts')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({
    initial_attribution: { agent_lines: 3, human_added: 1, agent_percentage: 75 },
  })
  expect(repo.state(agent.session).prompt_attributions).toBeUndefined()
  expect(repo.state(agent.session).pending_prompt_attribution).toBeUndefined()

  // The next checkpoint does not count them again.
  await agent.turn('extend again', { 'a.ts': 'agent one\nagent two\nhuman three\nagent four\nagent five\n' })
  await repo.commitAs('human', 'more', 'a.ts')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({
    initial_attribution: { agent_lines: 1, human_added: 0, agent_percentage: 100 },
  })
})

test('lines the agent only deleted are its work', async () => {
  await using repo = await recordedRepo()
  repo.write('old.ts', 'one\ntwo\nthree\nfour\n')
  await repo.commit('old', 'old.ts')
  const agent = fakeAgent(repo)
  await agent.turn('shorten it', { 'old.ts': 'one\nfour\n' })
  await repo.commitAs('human', 'shorter', 'old.ts')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({
    initial_attribution: { agent_lines: 0, agent_removed: 2, human_added: 0, agent_percentage: 100 },
  })
})

test('what enable wrote counts for nobody, whoever commits it along', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': 'agent one\nagent two\n' })
  await repo.commitAs('human', 'a and the settings')
  expect(await repo.paths('HEAD')).toEqual(
    expect.arrayContaining(['.claude/settings.json', '.entire/settings.json']),
  )
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({
    files_touched: ['a.ts'],
    initial_attribution: { agent_lines: 2, human_added: 0, agent_percentage: 100 },
  })

  await using other = await recordedRepo()
  const committer = fakeAgent(other)
  await committer.prompt('write a and commit it')
  committer.write('a.ts', 'agent one\nagent two\n')
  await other.git('add', '--all')
  await other.gitAs('agent', ['commit', '--quiet', '-m', 'all'], {
    env: { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: committer.session },
  })
  committer.say('Done.')
  await committer.stop()
  expect(await other.storedSession(await other.checkpointOf())).toMatchObject({
    files_touched: ['a.ts'],
    initial_attribution: { agent_lines: 2, human_added: 0, agent_percentage: 100 },
  })
})

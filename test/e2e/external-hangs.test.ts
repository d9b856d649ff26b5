// Commits with a plugin that never answers, and counts the calls: each would wait until its time limit.
import { expect, setDefaultTimeout, test } from 'bun:test'
import {
  type ExternalRepo,
  forgetCalls,
  putPlugin,
  repoWithSample,
  shellAgent,
} from '../support/external-repo.ts'

setDefaultTimeout(60_000)

const hanging = `if [ "$1" = read-transcript ]; then echo "$@" >> "$HOME/calls"; sleep 60; fi`

async function enabledRepo(): Promise<ExternalRepo> {
  const repo = await repoWithSample()
  Object.assign(repo.env, { ENTIRE_TEST_PLUGIN_TIMEOUT_MS: '300' })
  return repo
}

async function commitFile(repo: ExternalRepo, name: string): Promise<void> {
  repo.write(name, 'text\n')
  await repo.commitAs('human', name, name)
}

test('a commit without a running session calls no plugin', async () => {
  await using repo = await enabledRepo()
  const agent = await shellAgent(repo)
  // A new version: its info is not cached.
  putPlugin(repo, '# changed')
  forgetCalls(repo)
  await commitFile(repo, 'a.txt')
  expect(agent.calls()).toEqual([''])
})

test('a plugin that hangs is called once, and not by the commits that follow', async () => {
  await using repo = await enabledRepo()
  const agent = await shellAgent(repo)
  putPlugin(repo, hanging)
  await agent.hook('prompt', { prompt: 'work' })
  agent.say({ file: 'a.txt' })
  forgetCalls(repo)
  await commitFile(repo, 'a.txt')
  await commitFile(repo, 'b.txt')
  await commitFile(repo, 'c.txt')
  expect(agent.calls().filter((call) => call.startsWith('read-transcript'))).toHaveLength(1)
})

test('a plugin that hung in a hook of its agent is not called by a commit, and the commit gets its checkpoint', async () => {
  await using repo = await enabledRepo()
  const agent = await shellAgent(repo)
  await agent.turn('first', { 'a.txt': 'one\n' })
  putPlugin(repo, hanging)
  await agent.turn('second', { 'a.txt': 'two\n' })
  await agent.hook('prompt', { prompt: 'third' })
  forgetCalls(repo)
  await repo.commitAs('human', 'a', 'a.txt')
  expect(agent.calls()).toEqual([''])
  expect(await repo.checkpointsOf()).toHaveLength(1)
})

test('hooks of its agent call a plugin that hung again, and commits call a new version of it', async () => {
  await using repo = await enabledRepo()
  const agent = await shellAgent(repo)
  putPlugin(repo, hanging)
  await agent.turn('first', { 'a.txt': 'one\n' })
  forgetCalls(repo)
  await agent.turn('second', { 'a.txt': 'two\n' })
  expect(agent.calls().some((call) => call.startsWith('read-transcript'))).toBe(true)
  putPlugin(repo)
  await agent.hook('prompt', { prompt: 'third' })
  agent.say({ file: 'a.txt' })
  forgetCalls(repo)
  await repo.commitAs('human', 'a', 'a.txt')
  expect(agent.calls().some((call) => call.startsWith('read-transcript'))).toBe(true)
})

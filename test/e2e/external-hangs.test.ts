// A plugin that never answers, seen from the commits of a person: counted in calls, since it is calls that take the time.
import { expect, setDefaultTimeout, test } from 'bun:test'
import {
  type ExternalRepo,
  forgetCalls,
  putPlugin,
  repoWithPlugins,
  shellAgent,
} from '../support/external-repo.ts'

setDefaultTimeout(60_000)

const hanging = `if [ "$1" = read-transcript ]; then echo "$@" >> "$HOME/calls"; sleep 60; fi`

async function enabledRepo(): Promise<ExternalRepo> {
  const repo = await repoWithPlugins()
  putPlugin(repo)
  await repo.commitAs('human', 'begin')
  const enabled = await repo.entire(['enable', '--agent', 'sample'])
  if (enabled.code !== 0) throw new Error(enabled.err)
  Object.assign(repo.env, { ENTIRE_TEST_PLUGIN_TIMEOUT_MS: '300' })
  return repo
}

async function commitFile(repo: ExternalRepo, name: string): Promise<void> {
  repo.write(name, 'text\n')
  await repo.commitAs('human', name, name)
}

test('a commit asks no plugin anything where no session is going on', async () => {
  await using repo = await enabledRepo()
  const agent = await shellAgent(repo)
  // A new version: whoever wanted to know it would have to ask.
  putPlugin(repo, '# changed')
  forgetCalls(repo)
  await commitFile(repo, 'a.txt')
  expect(agent.calls()).toEqual([''])
})

test('a plugin that hangs is asked once, and then left alone by the commits that follow', async () => {
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

test('one that has hung in a hook of its agent is not asked by a commit, and the commit has its checkpoint', async () => {
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

test('its agent asks it again, and a new version of it is asked by everybody', async () => {
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

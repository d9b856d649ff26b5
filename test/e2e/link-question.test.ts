// Tests when a commit asks whether to link it: never by default, and with `commit_linking: prompt` only a
// person who can see the question.
import { expect, test } from 'bun:test'
import { fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { keys, openTerminal, underControl } from '../support/terminal.ts'

const question = 'Link this commit'

async function repoWithTurn(linking?: 'prompt'): Promise<RecordedRepo> {
  const repo = await recordedRepo()
  if (linking) repo.write('.entire/settings.local.json', JSON.stringify({ commit_linking: linking }))
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.txt': 'a\n' })
  await repo.git('add', 'a.txt')
  return repo
}

function atTerminal(repo: RecordedRepo, script: string) {
  const { ENTIRE_TEST_TTY: _, ...env } = repo.env
  return openTerminal([...underControl, 'sh', '-c', script], { cwd: repo.root, env })
}

test('by default a commit is linked without a question', async () => {
  await using repo = await repoWithTurn()
  await using terminal = atTerminal(repo, 'git commit -m mine')
  expect(await terminal.exited()).toBe(0)
  expect(terminal.text()).not.toContain(question)
  expect(await repo.checkpointsOf('HEAD')).toHaveLength(1)
})

test.each([
  ['n', 0, undefined],
  ['y', 1, 'prompt'],
  ['a', 1, 'always'],
] as const)('a person who wants to be asked answers %s', async (key, links, kept) => {
  await using repo = await repoWithTurn('prompt')
  await using terminal = atTerminal(repo, 'git commit -m mine')
  await terminal.sees(question)
  await terminal.press(key, keys.enter)
  expect(await terminal.exited()).toBe(0)
  expect(await repo.checkpointsOf('HEAD')).toHaveLength(links)
  if (kept) expect(repo.read('.entire/settings.local.json')).toContain(`"${kept}"`)
})

test.each([
  ['standard error is not a terminal, as below lazygit', 'git commit -m mine 2>errors.txt'],
  ['the commit runs in the background', 'set -m; git commit -m mine & wait $!'],
])('nobody is asked when %s', async (_, script) => {
  await using repo = await repoWithTurn('prompt')
  await using terminal = atTerminal(repo, script)
  expect(await terminal.exited()).toBe(0)
  expect(terminal.text()).not.toContain(question)
  expect(await repo.checkpointsOf('HEAD')).toHaveLength(1)
})

test('a question without an answer is given up, and the commit is linked', async () => {
  await using repo = await repoWithTurn('prompt')
  repo.env.ENTIRE_TEST_QUESTION_MS = '300'
  await using terminal = atTerminal(repo, 'git commit -m mine')
  await terminal.sees('linked without an answer')
  expect(await terminal.exited()).toBe(0)
  expect(await repo.checkpointsOf('HEAD')).toHaveLength(1)
})

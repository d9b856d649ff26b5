// Tests what the user of an agent sees when a session starts.
import { expect, test } from 'bun:test'
import { readdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { fakeAgent } from '../support/fake-agent.ts'
import { recordedRepo } from '../support/recorded-repo.ts'

const alone = '\n\nPowered by Entire:\n  This conversation will be linked to your next commit.'
const company = (count: number) =>
  `${alone}\n  ${count} other active conversation(s) in this workspace will also be included.\n  Use 'entire status' for more information.`

test('the banner counts the other sessions that have uncommitted work on this HEAD', async () => {
  await using repo = await recordedRepo()
  const [one, two, three, newcomer] = [fakeAgent(repo), fakeAgent(repo), fakeAgent(repo), fakeAgent(repo)]
  expect(await one.start()).toBe(alone)
  await one.turn('write a', { 'a.ts': 'export const a = 1\n' })
  expect(await newcomer.start()).toBe(company(1))
  expect(await one.start('resume')).toBe(alone)
  await two.turn('write b', { 'b.ts': 'export const b = 1\n' })
  // A conversation without changes is not counted.
  await three.turn('just talk', {})
  expect(await newcomer.start()).toBe(company(2))
  await repo.commitAs('human', 'all', 'a.ts', 'b.ts')
  expect(await newcomer.start()).toBe(alone)
  expect(repo.hasState(newcomer.session)).toBe(false)
})

test('sessions on another HEAD are not counted', async () => {
  await using repo = await recordedRepo()
  const [one, two] = [fakeAgent(repo), fakeAgent(repo)]
  await one.turn('write a', { 'a.ts': 'export const a = 1\n' })
  repo.write('mine.ts', 'by hand\n')
  await repo.commitAs('human', 'mine', 'mine.ts')
  expect(await two.start()).toBe(alone)
})

test('a model that is reported only at session start applies to the first turn, and leaves nothing behind', async () => {
  await using repo = await recordedRepo()
  const [agent, idler] = [fakeAgent(repo), fakeAgent(repo)]
  const states = join(repo.repo.commonDir, 'entire-sessions')
  await agent.hook('session-start', { source: 'startup', model: 'told-at-the-start' })
  await idler.hook('session-start', { source: 'startup', model: 'never-used' })
  expect(repo.hasState(agent.session)).toBe(false)
  expect((await repo.entire(['status', '--json'])).code).toBe(0)
  await agent.prompt('write a')
  expect(repo.state(agent.session).model_name).toBe('told-at-the-start')
  repo.write('a.ts', 'export const a = 1\n')
  await agent.stop()
  await repo.commitAs('human', 'a', 'a.ts')
  expect((await repo.storedSession(await repo.checkpointOf())).model).toBe('told-at-the-start')
  expect(readdirSync(states).filter((name) => !name.endsWith('.json'))).toEqual([`${idler.session}.model`])
  // A session without a turn is removed after a while.
  const old = new Date(Date.now() - 8 * 86_400_000)
  utimesSync(join(states, `${idler.session}.model`), old, old)
  await agent.prompt('go on')
  expect(readdirSync(states)).toEqual([`${agent.session}.json`])
})

test('Gemini gets its answer in its own format', async () => {
  await using repo = await recordedRepo({ agent: 'gemini' })
  const payload = {
    session_id: 'c6e3dc5e-7c40-4655-b6db-87627775080b',
    cwd: repo.root,
    hook_event_name: 'SessionStart',
    source: 'startup',
  }
  const { code, out } = await repo.entire(['hooks', 'gemini', 'session-start'], {
    stdin: JSON.stringify(payload),
  })
  expect(code).toBe(0)
  expect(JSON.parse(out)).toEqual({ systemMessage: alone })
  expect(out).toEndWith('}\n')
})

test('no other hook writes to standard output, because agents read it as an answer', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  const said: string[] = []
  said.push((await agent.hook('user-prompt-submit', { prompt: 'write a' })).out)
  agent.write('a.ts', 'export const a = 1\n')
  said.push((await agent.hook('pre-task', { tool_use_id: 'toolu_1', tool_input: {} })).out)
  said.push(
    (await agent.hook('post-task', { tool_use_id: 'toolu_1', tool_input: {}, tool_response: {} })).out,
  )
  for (const verb of ['pre-compact', 'stop', 'session-end']) said.push((await agent.hook(verb)).out)
  expect(said).toEqual(said.map(() => ''))
})

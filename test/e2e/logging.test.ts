// Tests the log file: one JSON line for each hook, with its session, and no text of the conversation.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { logFile } from '../../src/sessions/places.ts'
import { fakeAgent } from '../support/fake-agent.ts'
import { recordedRepo } from '../support/recorded-repo.ts'

test('hooks write JSON lines with component, agent and session, and no prompts', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.start()
  await agent.turn('the unspeakable prompt', { 'a.ts': 'const secret = "unspeakable content"\n' })
  const lines = repo.log()
  expect(lines.length).toBeGreaterThanOrEqual(3)
  for (const line of lines) {
    expect(line).toMatchObject({
      level: 'INFO',
      component: 'hooks',
      agent: 'claude-code',
      session_id: agent.session,
      msg: expect.stringMatching(/^claude-code /),
    })
    expect(Date.parse(line.time as string)).not.toBeNaN()
  }
  expect(readFileSync(logFile(repo.repo), 'utf8')).not.toContain('unspeakable')
})

test('git hooks log without a session, and the level decides what is written', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': 'export const a = 1\n' })
  await repo.git('add', 'a.ts')
  await repo.gitAs('human', ['commit', '--quiet', '-m', 'a'], { env: { ENTIRE_LOG_LEVEL: 'debug' } })
  const written = repo.log().filter((line) => line.component === 'git-hooks')
  expect(written.map((line) => line.msg)).toEqual(
    expect.arrayContaining(['git prepare-commit-msg', 'git post-commit']),
  )
  for (const line of written) expect(line.session_id).toBeUndefined()

  const before = repo.log().length
  await agent.hook('user-prompt-submit', { prompt: 'quiet' }, { env: { ENTIRE_LOG_LEVEL: 'ERROR' } })
  expect(repo.log()).toHaveLength(before)
  repo.write('.entire/settings.local.json', '{"log_level":"warn"}')
  await agent.stop()
  expect(repo.log()).toHaveLength(before)
  // The environment outranks the settings.
  await agent.hook('session-end', {}, { env: { ENTIRE_LOG_LEVEL: 'info' } })
  expect(repo.log()).toHaveLength(before + 1)
})

test('a hook that fails is logged as an error', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.prompt('write a')
  agent.write('a.ts', 'export const a = 1\n')
  // The objects of the repository are gone: nothing can be written.
  repo.write('.git/objects/info/keep', '')
  await repo.run(['mv', '.git/objects', '.git/objects.away'])
  const stopped = await agent.hook('stop')
  expect(stopped.code).toBe(0)
  expect(repo.log().at(-1)).toMatchObject({ level: 'ERROR' })
  await repo.run(['mv', '.git/objects.away', '.git/objects'])
  await agent.stop()
  expect(repo.state(agent.session)).toMatchObject({ phase: 'idle', files_touched: ['a.ts'] })
})

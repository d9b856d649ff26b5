// Tests that hooks are silent and change nothing when recording is disabled or not set up, or their input is
// bad.
import { expect, test } from 'bun:test'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fakeAgent } from '../support/fake-agent.ts'
import { binary, recordedRepo } from '../support/recorded-repo.ts'
import { tempDir, tempRepo } from '../support/repo.ts'

const silent = { code: 0, out: '', err: '' }

test('while disabled, hooks print and record nothing; when enabled again, the session continues', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': 'export const a = 1\n' })
  const before = repo.state(agent.session)
  expect((await repo.entire(['disable'])).code).toBe(0)

  expect(await agent.hook('session-start', { source: 'startup' })).toEqual(silent)
  expect(await agent.hook('user-prompt-submit', { prompt: 'unseen' })).toEqual(silent)
  agent.write('b.ts', 'export const b = 1\n')
  expect(await agent.hook('stop')).toEqual(silent)
  expect(repo.state(agent.session)).toEqual(before)
  expect(repo.temporary()).toEqual([])
  const said =
    (await repo.gitAs('human', ['commit', '--quiet', '--allow-empty', '-m', 'empty'])) +
    (await repo.gitAs('agent', ['commit', '--quiet', '--allow-empty', '-m', 'empty']))
  expect(said).toBe('')
  await repo.commitAs('human', 'b', 'b.ts')
  expect(await repo.checkpointsOf()).toEqual([])
  expect(await repo.paths('entire/checkpoints/v1')).toEqual([])

  expect((await repo.entire(['enable'])).code).toBe(0)
  await repo.commitAs('human', 'a', 'a.ts')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({
    session_id: agent.session,
    files_touched: ['a.ts'],
  })
})

test('in a repository that was never set up, hooks leave no trace', async () => {
  await using repo = await tempRepo()
  const payload = JSON.stringify({ session_id: 's1', cwd: repo.root, prompt: 'hello', source: 'startup' })
  for (const args of [
    ['claude-code', 'session-start'],
    ['claude-code', 'user-prompt-submit'],
    ['claude-code', 'stop'],
    ['gemini', 'before-agent'],
    ['git', 'post-commit'],
    ['git', 'pre-push', 'origin'],
  ]) {
    const ran = await repo.run([binary, 'hooks', ...args], { stdin: payload })
    expect([ran.code, ran.stdout.toString(), ran.stderr]).toEqual([0, '', ''])
  }
  expect(existsSync(join(repo.root, '.entire'))).toBe(false)
  expect(existsSync(join(repo.root, '.git', 'entire-sessions'))).toBe(false)
  expect(await repo.git('for-each-ref', 'refs/heads/entire/')).toBe('')
})

test('outside of any repository, hooks print nothing', async () => {
  await using dir = tempDir()
  const child = Bun.spawn([binary, 'hooks', 'claude-code', 'stop'], {
    cwd: dir.base,
    env: dir.env,
    stdin: Buffer.from(JSON.stringify({ session_id: 's1', cwd: dir.base })),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  expect([await child.stdout.text(), await child.stderr.text(), await child.exited]).toEqual(['', '', 0])
})

test('a prompt restores git hooks that another tool overwrote or deleted', async () => {
  await using repo = await recordedRepo()
  const hook = (name: string) => join(repo.repo.commonDir, 'hooks', name)
  const marker = 'Entire CLI hooks'
  writeFileSync(hook('post-commit'), '#!/bin/sh\necho "someone else" >>"$(git rev-parse --git-dir)/theirs"\n')
  rmSync(hook('prepare-commit-msg'))
  const agent = fakeAgent(repo)
  await agent.prompt('write a')
  for (const name of ['prepare-commit-msg', 'commit-msg', 'post-commit', 'pre-push'])
    expect(readFileSync(hook(name), 'utf8')).toContain(marker)
  agent.write('a.ts', 'export const a = 1\n')
  await repo.commitAs('agent', 'a', 'a.ts')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({ session_id: agent.session })
  expect(repo.read('.git/theirs')).toBe('someone else\n')
})

test('an unusable payload gives one line on stderr, and the agent continues', async () => {
  await using repo = await recordedRepo()
  const send = (args: string[], stdin: string) => repo.entire(['hooks', ...args], { stdin })
  for (const [args, stdin] of [
    [['claude-code', 'stop'], 'not json'],
    [['claude-code', 'stop'], ''],
    [['claude-code', 'stop'], '{"transcript_path":"/nowhere"}'],
    [['claude-code', 'user-prompt-submit'], '{"session_id":"../../etc/passwd","prompt":"x"}'],
    [['claude-code', 'pre-task'], '{"session_id":"s1","tool_use_id":"../x","tool_input":{}}'],
    [['claude-code', 'no-such-hook'], '{"session_id":"s1"}'],
    [['nobody', 'stop'], '{"session_id":"s1"}'],
  ] as const) {
    const { code, out, err } = await send([...args], stdin)
    expect({ args, stdin, code, out, lines: err.split('\n').length }).toEqual({
      args,
      stdin,
      code: 0,
      out: '',
      lines: 2,
    })
    expect(err).toStartWith('[entire] ')
  }
  expect(existsSync(join(repo.root, '.git', 'entire-sessions'))).toBe(false)
  expect(repo.temporary()).toEqual([])
})

test('unreadable settings do not stop recording, and the log says so', async () => {
  await using repo = await recordedRepo()
  repo.write('.entire/settings.json', '{ broken')
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': 'export const a = 1\n' })
  await repo.commitAs('human', 'a', 'a.ts')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({ strategy: 'manual-commit' })
  expect(repo.log().filter((line) => line.level === 'ERROR').length).toBeGreaterThan(0)
})

test('the trailer is all that is added to the user’s commits', async () => {
  await using repo = await recordedRepo()
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': 'export const a = 1\n' })
  await repo.commitAs('human', 'everything there is')
  expect(await repo.git('show', '--name-only', '--format=')).toBe('a.ts')
  expect(await repo.git('status', '--porcelain')).toBe('')
})

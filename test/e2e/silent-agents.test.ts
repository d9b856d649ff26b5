// Plays agents that run no hook of ours: what can be made to work works, and status and doctor tell the rest.
import { expect, test } from 'bun:test'
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { rememberHooks } from '../../src/agents/external/hooked-plugins.ts'
import { hookSite } from '../../src/cli/setup/setup.ts'
import { logFile } from '../../src/sessions/places.ts'
import { doctor } from '../support/doctor.ts'
import { fakeAgent } from '../support/fake-agent.ts'
import { binary, type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'

test('Claude Code finds the hooks in a sub-directory, and git does not offer the file that has them', async () => {
  await using repo = await recordedRepo()
  const hooksOf = (path: string) => JSON.parse(repo.read(path)).hooks
  // It reads the second file of the root also when it was started below the root.
  expect(hooksOf('.claude/settings.local.json')).toEqual(hooksOf('.claude/settings.json'))
  expect(await repo.git('status', '--porcelain', '--untracked-files=all')).not.toContain('settings.local')
  expect((await repo.entire(['status'])).out).not.toContain('!')

  repo.write('.claude/settings.local.json', '{}\n')
  expect((await repo.entire(['status'])).out).toContain('Claude Code hooks out of date')
  expect(JSON.parse((await repo.entire(['doctor', '--json'])).out)).toMatchObject({
    findings: expect.arrayContaining([expect.objectContaining({ id: 'agent-hooks-outdated' })]),
  })
  await repo.entire(['enable'])
  expect(hooksOf('.claude/settings.local.json')).toEqual(hooksOf('.claude/settings.json'))
  await repo.entire(['agent', 'remove', 'claude-code'])
  expect(existsSync(join(repo.root, '.claude/settings.json'))).toBe(false)
  expect(repo.read('.claude/settings.local.json')).toBe('{}\n')
  expect(repo.read('.git/info/exclude')).not.toContain('claude')
})

/** Writes what Claude Code writes when it works in a directory; `at` is when it did. */
function work(repo: RecordedRepo, cwd: string, session: string, at = new Date()): string {
  const slug = cwd.replace(/[^A-Za-z0-9]/g, '-')
  const path = join(repo.base, 'home/.claude/projects', slug, `${session}.jsonl`)
  mkdirSync(dirname(path), { recursive: true })
  const common = { cwd, sessionId: session, timestamp: at.toISOString() }
  const lines = [
    { type: 'user', uuid: 'u1', message: { role: 'user', content: 'do it' }, ...common },
    {
      type: 'assistant',
      uuid: 'a1',
      message: { id: 'm1', role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
      ...common,
    },
  ]
  appendFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  utimesSync(path, at, at)
  return path
}

const later = (minutes: number) => new Date(Date.now() + minutes * 60_000)

// What no step holds is named, too.
const overlooked = /^ {2}! Files of repositories inside of this one .*\n/m

async function warnings(repo: RecordedRepo, env: Record<string, string> = {}): Promise<string[]> {
  const shown = JSON.parse((await repo.entire(['status', '--json'], { env })).out)
  const text = (await repo.entire(['status'], { env })).out
  const found = (shown.warnings ?? []) as { message: string; fix: string }[]
  for (const { message, fix } of found) expect(text).toContain(`  ! ${message}\n    ${fix}\n`)
  if (found.length === 0) expect(text.replace(overlooked, '')).not.toContain('!')
  return found.map(({ message }) => message)
}

test('status and doctor name a session that grows without hooks, and no other', async () => {
  await using repo = await recordedRepo()
  // Before the hooks; beside the work tree; in another repository below it; put there by `entire resume`.
  work(repo, repo.root, '00000000-0000-4000-8000-000000000001', later(-600))
  mkdirSync(`${repo.root}-other`)
  work(repo, `${repo.root}-other`, '00000000-0000-4000-8000-000000000002', later(1))
  await repo.git('init', '--quiet', join(repo.root, 'nested'))
  work(repo, join(repo.root, 'nested'), '00000000-0000-4000-8000-000000000003', later(1))
  const resumed = work(repo, repo.root, '00000000-0000-4000-8000-000000000004', later(1))
  utimesSync(resumed, later(30), later(30))
  expect(await warnings(repo)).toEqual([])

  const session = '00000000-0000-4000-8000-000000000005'
  mkdirSync(join(repo.root, 'packages/core'), { recursive: true })
  const transcript = work(repo, join(repo.root, 'packages/core'), session, later(1))
  expect(await warnings(repo)).toEqual([expect.stringContaining(`session ${session}`)])
  const unreported = {
    id: 'session-not-reported',
    subject: session,
    detail: expect.stringContaining(transcript),
  }
  expect((await doctor(repo)).findings).toEqual([expect.objectContaining(unreported)])

  // As soon as its hooks run, it is recorded; until they stop.
  const hook = (verb: string, fields: object) =>
    repo.entire(['hooks', 'claude-code', verb], {
      stdin: JSON.stringify({ session_id: session, transcript_path: transcript, cwd: repo.root, ...fields }),
    })
  await hook('user-prompt-submit', { prompt: 'do it' })
  work(repo, join(repo.root, 'packages/core'), session, later(60))
  expect(await warnings(repo)).toEqual([])
  await hook('stop', {})
  expect(await warnings(repo)).toEqual([expect.stringContaining(`session ${session}`)])
})

test('an agent without hooks that works here is named with the command that adds them', async () => {
  await using repo = await recordedRepo()
  const fixture = join(import.meta.dir, '../fixtures/agents/codex/A1-create/home/.codex/sessions/2026/11/15')
  const name = 'rollout-2026-11-15T19-42-57-01a1e0bb-f7e9-71d1-9885-c8386c66670e.jsonl'
  const path = join(repo.base, 'home/.codex/sessions/2026/11/15', name)
  mkdirSync(dirname(path), { recursive: true })
  const text = readFileSync(join(fixture, name), 'utf8').replaceAll('/home/dev/app', repo.root)
  writeFileSync(path, text.replace(/"timestamp":"[^"]+"/g, `"timestamp":"${later(1).toISOString()}"`))
  utimesSync(path, later(1), later(1))
  expect(await warnings(repo)).toEqual([expect.stringMatching(/^Codex works here in session 01a1e0bb/)])
  writeFileSync(
    path,
    readFileSync(path, 'utf8').replace('"thread_source":"user"', '"thread_source":"subagent"'),
  )
  utimesSync(path, later(1), later(1))
  expect(await warnings(repo)).toEqual([])

  // Hooks that Codex does not trust are named instead.
  writeFileSync(path, text)
  await repo.entire(['agent', 'add', 'codex'])
  expect(await warnings(repo)).toEqual([expect.stringContaining('Codex does not trust')])
})

test('a git that is too old is refused by enable, and named by status', async () => {
  await using repo = await recordedRepo()
  const old = join(repo.base, 'old')
  mkdirSync(old)
  const git = Bun.which('git', { PATH: repo.env.PATH ?? '' })
  writeFileSync(
    join(old, 'git'),
    `#!/bin/sh\n[ "$1" != --version ] || { echo git version 2.34.1; exit; }\nexec ${git} "$@"\n`,
  )
  chmodSync(join(old, 'git'), 0o755)
  const env = { PATH: `${old}:${repo.env.PATH}` }
  expect(await warnings(repo, env)).toEqual(['This git is too old: git version 2.34.1.'])
  const refused = await repo.entire(['enable', '--agent', 'gemini'], { env })
  expect(refused.code).toBe(1)
  expect(refused.err).toContain('This git is too old to record anything: git version 2.34.1.')
  expect(refused.err).toContain('Install git 2.38 or later.')
  expect(existsSync(join(repo.root, '.gemini'))).toBe(false)
})

test('hooks that failed lately, and a plugin that is gone, are named', async () => {
  await using repo = await recordedRepo()
  const line = (fields: object) =>
    `${JSON.stringify({ time: new Date().toISOString(), level: 'INFO', msg: 'x', component: 'hooks', ...fields })}\n`
  const log = logFile(repo.repo)
  mkdirSync(dirname(log), { recursive: true })
  writeFileSync(log, line({ level: 'ERROR', msg: 'No space left on device' }))
  expect(await warnings(repo)).toEqual(['Hooks failed lately: No space left on device'])
  appendFileSync(log, line({ ms: 12 }))
  expect(await warnings(repo)).toEqual([])
  rememberHooks(hookSite(repo.repo), { name: 'x', type: 'X', path: '/gone/entire-agent-x', dirs: [] })
  expect(await warnings(repo)).toEqual(['The plugin of X is gone: its sessions are not recorded.'])
})

test('git hooks find the program that installed them where the PATH does not have it', async () => {
  await using repo = await recordedRepo({ isCommitted: true })
  await fakeAgent(repo).turn('write a', { 'a.ts': 'export const a = 1\n' })
  const PATH = (repo.env.PATH ?? '').split(':').slice(1).join(':')
  expect(Bun.which('entire', { PATH })).toBe(null)
  await repo.git('add', 'a.ts')
  await repo.gitAs('agent', ['commit', '--quiet', '-m', 'a'], { env: { PATH } })
  expect(await repo.checkpointsOf()).toHaveLength(1)

  // Another copy of the program leaves the hooks as they are, unless the one they name is gone.
  const hook = join(repo.repo.commonDir, 'hooks/post-commit')
  const copy = join(repo.base, 'copy')
  copyFileSync(binary, copy)
  const before = readFileSync(hook, 'utf8')
  expect(before).toContain(binary)
  await repo.run([copy, 'enable', '--agent', 'claude-code'])
  expect(readFileSync(hook, 'utf8')).toBe(before)
  writeFileSync(hook, before.replaceAll(binary, '/gone/entire'))
  expect((await repo.entire(['status'])).out).toContain('git hooks out of date')
  await repo.entire(['enable'])
  expect(readFileSync(hook, 'utf8')).toBe(before)
})

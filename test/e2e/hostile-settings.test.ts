// Clones a project whose settings, committed local ones included, try to have programs of the clone run.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'

setDefaultTimeout(120_000)

const setting = (fields: object) => JSON.stringify({ enabled: true, ...fields })

/** Programs in the clone that leave a file behind when they run, and a PATH that leads to them. */
function plantPrograms(repo: RecordedRepo, ...names: string[]): { trace: string; path: string } {
  const trace = join(repo.base, 'ran')
  for (const dir of ['', 'bin/', 'node_modules/.bin/'])
    for (const name of names) repo.write(`${dir}${name}`, `#!/bin/sh\ntouch '${trace}'\n`, 0o755)
  const dirs = ['.', 'bin', '', join(repo.root, 'bin'), join(repo.root, 'node_modules/.bin'), repo.env.PATH]
  return { trace, path: dirs.join(':') }
}

async function commitTurn(repo: RecordedRepo): Promise<string> {
  await fakeAgent(repo).turn('write a file', { 'a.txt': 'a file of the agent\n' })
  await repo.commitAs('human', 'a file', 'a.txt')
  return repo.checkpointOf()
}

test.each(['settings.json', 'settings.local.json'])(
  'external_agents in %s of the clone runs no plugin that the clone brings',
  async (file) => {
    await using repo = await recordedRepo()
    repo.write(`.entire/${file}`, setting({ external_agents: true }))
    const { trace, path } = plantPrograms(repo, 'entire-agent-evil', 'entire-evil')
    repo.env.PATH = path
    await commitTurn(repo)
    await repo.entire(['hooks', 'evil', 'stop'], { stdin: '{}' })
    for (const args of [['agent', 'list'], ['status'], ['doctor'], ['evil'], ['enable', '--agent', 'evil']])
      await repo.entire(args)
    expect(existsSync(trace)).toBe(false)
  },
)

test('summary_generation runs no program of the clone, and its values are no flags', async () => {
  await using repo = await recordedRepo()
  repo.write(
    '.entire/settings.json',
    setting({ summary_generation: { provider: 'claude-code', model: '--dangerously-skip-permissions' } }),
  )
  const id = await commitTurn(repo)
  const { trace, path } = plantPrograms(repo, 'claude', 'gemini', 'codex')
  const ran = await repo.entire(['explain', id, '--generate'], { env: { PATH: path } })
  expect(ran).toMatchObject({ code: 1, err: expect.stringContaining('program not found: claude') })
  expect(existsSync(trace)).toBe(false)
  const own = join(repo.base, 'bin', 'claude')
  writeFileSync(own, `#!/bin/sh\nprintf '%s\\n' "$@" >'${repo.base}/args'\n`)
  chmodSync(own, 0o755)
  await repo.entire(['explain', id, '--generate'], { env: { PATH: path } })
  const args = readFileSync(join(repo.base, 'args'), 'utf8').split('\n')
  expect(args).toContain('--model=--dangerously-skip-permissions')
  expect(args).not.toContain('--dangerously-skip-permissions')
  expect(existsSync(trace)).toBe(false)
})

test('a transcript is not fetched by a program that a relative entry of the PATH leads to', async () => {
  await using repo = await recordedRepo({ agent: 'opencode' })
  const { trace } = plantPrograms(repo, 'opencode')
  repo.env.PATH = `.:bin::${repo.env.PATH}`
  for (const verb of ['session-start', 'turn-start', 'turn-end'])
    await repo.entire(['hooks', 'opencode', verb], {
      stdin: JSON.stringify({ session_id: 'ses_1', prompt: 'do it', cwd: repo.root }),
    })
  expect(existsSync(trace)).toBe(false)
})

test('an invalid value stops no command that reads or goes back, and is mended by configure', async () => {
  await using repo = await recordedRepo()
  const id = await commitTurn(repo)
  await fakeAgent(repo).turn('write another', { 'b.txt': 'b\n' })
  repo.write(
    '.entire/settings.json',
    setting({ max_untracked_mb: -1, redaction: { pii: { enabled: true } } }),
  )
  const named = '"-1" is not a valid value for max_untracked_mb in .entire/settings.json'
  const commands = [
    ['status', '--detailed'],
    ['rewind', '--list'],
    ['diff'],
    ['explain', id],
    ['resume', '--yes', 'main'],
    ['undo', '--dry-run'],
    ['undo'],
    ['agent', 'list'],
  ]
  for (const args of commands) {
    const { code, err } = await repo.entire(args)
    expect({ args, code, warnings: err.split(named).length - 1 }).toEqual({ args, code: 0, warnings: 1 })
  }
  expect(await repo.entire(['redo'])).toMatchObject({ code: 0 })
  const redacted = await repo.entire(['redact'], { stdin: 'write to jane.doe@corp.example.com' })
  expect(redacted).toMatchObject({ code: 0, out: expect.not.stringContaining('jane.doe') })
  const { code, out } = await repo.entire(['status', '--json'])
  expect({ code, status: JSON.parse(out) }).toMatchObject({
    code: 0,
    status: { enabled: true, error: named },
  })
  const mended = await repo.entire(['configure', '--project', 'max_untracked_mb', '100'])
  expect(mended).toMatchObject({ code: 0 })
  expect(await repo.entire(['status'])).toMatchObject({ code: 0, err: '' })
})

test('a committed settings.local.json does not count as the choice of the user', async () => {
  await using repo = await recordedRepo()
  const [trace, evil] = [join(repo.base, 'ran'), join(repo.root, 'vendor/evil.git')]
  await repo.git('init', '--quiet', '--bare', evil)
  rmSync(join(evil, 'hooks'), { recursive: true, force: true })
  repo.write('vendor/evil.git/hooks/pre-receive', `#!/bin/sh\ntouch '${trace}'\n`, 0o755)
  await repo.git('init', '--quiet', '--bare', '--initial-branch=main', `${repo.base}/origin.git`)
  await repo.git('remote', 'add', 'origin', `${repo.base}/origin.git`)
  const remote = { checkpoint_remote: { url: `file://${evil}` } }
  repo.write('.entire/settings.local.json', setting({ strategy_options: remote }))
  await repo.git('add', '--force', '.entire/settings.local.json')
  await commitTurn(repo)
  const pushed = await repo.gitAs('human', ['push', '--quiet', 'origin', 'main'])
  expect(pushed).toContain('.entire/settings.local.json is committed')
  expect(existsSync(trace)).toBe(false)
})

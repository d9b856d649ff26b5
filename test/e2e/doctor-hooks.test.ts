// `entire doctor` on hooks, the program they call, git, settings and directories: each fault is found, and
// fixed if possible.
import { expect, setDefaultTimeout, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { doctor } from '../support/doctor.ts'
import { fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'

setDefaultTimeout(60_000)

async function ready(): Promise<RecordedRepo> {
  const repo = await recordedRepo({ isCommitted: true })
  return repo
}

const hook = (repo: RecordedRepo, name: string) => join(repo.repo.commonDir, 'hooks', name)

const hookFaults: Record<string, (repo: RecordedRepo) => void> = {
  missing: (repo) => rmSync(hook(repo, 'post-commit')),
  foreign: (repo) => writeFileSync(hook(repo, 'post-commit'), '#!/bin/sh\necho theirs >theirs.txt\n'),
  outdated: (repo) =>
    writeFileSync(
      hook(repo, 'post-commit'),
      `${readFileSync(hook(repo, 'post-commit'), 'utf8')}# of another version\n`,
    ),
}

test.each(Object.entries(hookFaults))(
  'a git hook that is %s is found, and installed again',
  async (fault, break_) => {
    await using repo = await ready()
    break_(repo)
    const found = await doctor(repo)
    expect(found).toMatchObject({ code: 1, findings: [{ id: `git-hooks-${fault}`, fixable: true }] })
    expect(found.findings[0]?.title).toContain('post-commit')
    const fixed = await doctor(repo, ['--force'])
    expect(fixed).toMatchObject({ code: 0, ok: true, fixed: [{ id: `git-hooks-${fault}` }] })
    const agent = fakeAgent(repo)
    await agent.turn('write a', { 'a.txt': 'work of the agent\n' })
    await repo.commitAs('human', 'a')
    expect(await repo.checkpointsOf()).toHaveLength(1)
    // The other tool's hook runs as before.
    expect(existsSync(join(repo.root, 'theirs.txt'))).toBe(fault === 'foreign')
  },
)

test('missing or changed hooks of an agent are found and installed again', async () => {
  await using repo = await ready()
  const settings = join(repo.root, '.claude/settings.json')
  const installed = readFileSync(settings, 'utf8')
  writeFileSync(settings, '{"model": "theirs"}\n')
  writeFileSync(join(repo.root, '.claude/settings.local.json'), '{}\n')
  expect(await doctor(repo)).toMatchObject({
    code: 1,
    findings: [{ id: 'agent-hooks-missing', subject: 'claude-code', fixable: true }],
  })
  expect(await doctor(repo, ['--force'])).toMatchObject({ code: 0, findings: [] })
  const fixed = JSON.parse(readFileSync(settings, 'utf8'))
  expect(fixed).toMatchObject({ model: 'theirs', hooks: JSON.parse(installed).hooks })
  writeFileSync(
    settings,
    readFileSync(settings, 'utf8').replace('claude-code stop', 'claude-code stop-of-old'),
  )
  expect(await doctor(repo)).toMatchObject({
    code: 1,
    findings: [{ id: 'agent-hooks-outdated', subject: 'claude-code' }],
  })
  expect(await doctor(repo, ['--force'])).toMatchObject({ code: 0, findings: [] })
})

test('without hooks of any agent, doctor fixes nothing and names the command that installs them', async () => {
  await using repo = await ready()
  rmSync(join(repo.root, '.claude'), { recursive: true })
  rmSync(join(repo.repo.gitDir, 'entire-originals'), { recursive: true })
  const found = await doctor(repo, ['--force'])
  expect(found).toMatchObject({
    code: 1,
    findings: [{ id: 'agent-hooks-missing', fixable: false, fix: 'Run `entire enable --agent <name>`.' }],
  })
})

test('hooks that call a missing program or another copy of it are reported', async () => {
  await using repo = await ready()
  const PATH = (repo.env.PATH ?? '').split(':').slice(1).join(':')
  const found = await doctor(repo, [], { PATH })
  expect(found).toMatchObject({ code: 1, findings: [{ id: 'program-not-found', severity: 'error' }] })
  const other = join(repo.base, 'other-bin')
  mkdirSync(other)
  writeFileSync(join(other, 'entire'), '#!/bin/sh\n', { mode: 0o755 })
  expect(await doctor(repo, [], { PATH: `${other}:${PATH}` })).toMatchObject({
    code: 0,
    findings: [{ id: 'other-program', severity: 'info' }],
  })
})

test('a git that is too old is reported, and so is a missing git', async () => {
  await using repo = await ready()
  const bin = join(repo.base, 'old-git')
  mkdirSync(bin)
  const git = Bun.which('git') as string
  writeFileSync(
    join(bin, 'git'),
    `#!/bin/sh\nif [ "$1" = --version ]; then echo git version 2.20.1; else exec ${git} "$@"; fi\n`,
  )
  chmodSync(join(bin, 'git'), 0o755)
  const old = await doctor(repo, [], { PATH: `${bin}:${repo.env.PATH}` })
  expect(old).toMatchObject({
    code: 1,
    findings: [{ id: 'git-too-old', severity: 'error', fix: 'Install git 2.38 or later.' }],
  })
  const none = await doctor(repo, [], { PATH: join(repo.base, 'bin') })
  expect(none.code).toBe(1)
  expect(none.findings).toMatchObject([{ id: 'check-failed', detail: 'program not found: git' }])
})

test('unreadable settings are reported with their file, and the other checks still run', async () => {
  await using repo = await ready()
  repo.write('.entire/settings.local.json', '{ this is not JSON')
  rmSync(hook(repo, 'post-commit'))
  const found = await doctor(repo)
  expect(found.code).toBe(1)
  expect(found.findings).toMatchObject([
    {
      id: 'settings-unreadable',
      severity: 'error',
      title: expect.stringContaining('settings.local.json'),
      fixable: false,
    },
    { id: 'git-hooks-missing' },
  ])
  const left = await doctor(repo, ['--force'])
  expect(left).toMatchObject({
    code: 1,
    findings: [{ id: 'settings-unreadable' }],
    fixed: [{ id: 'git-hooks-missing' }],
  })
})

test('a repository that is not set up, or disabled, is not a problem', async () => {
  await using repo = await ready()
  await repo.entire(['disable'])
  rmSync(hook(repo, 'post-commit'))
  expect(await doctor(repo)).toMatchObject({
    code: 0,
    ok: true,
    findings: [{ id: 'disabled', severity: 'info' }],
  })
  rmSync(join(repo.root, '.entire'), { recursive: true })
  expect(await doctor(repo)).toMatchObject({
    code: 0,
    findings: [{ id: 'not-set-up', severity: 'info', fix: 'Run `entire enable`.' }],
  })
  expect(await repo.entire(['doctor'], { cwd: repo.base })).toMatchObject({
    code: 1,
    err: expect.stringContaining('Not a git repository'),
  })
})

test('a symbolic link instead of a directory and an unwritable log are reported', async () => {
  await using repo = await ready()
  renameSync(join(repo.root, '.entire'), join(repo.base, 'elsewhere'))
  symlinkSync(join(repo.base, 'elsewhere'), join(repo.root, '.entire'))
  expect(await doctor(repo)).toMatchObject({
    code: 1,
    findings: [{ id: 'settings-unreadable' }, { id: 'symlinked-directory', subject: '.entire' }],
  })
  rmSync(join(repo.root, '.entire'))
  renameSync(join(repo.base, 'elsewhere'), join(repo.root, '.entire'))
  rmSync(join(repo.repo.gitDir, 'entire-logs'), { recursive: true, force: true })
  writeFileSync(join(repo.repo.gitDir, 'entire-logs'), 'a file where the directory should be\n')
  expect(await doctor(repo)).toMatchObject({ code: 1, findings: [{ id: 'log-unwritable', fixable: false }] })
})

test('stale locks are removed; a lock held for long is reported with its owner', async () => {
  await using repo = await ready()
  const dead = await Bun.spawn(['true']).exited.then(() =>
    Bun.spawnSync(['sh', '-c', 'echo $$']).stdout.toString().trim(),
  )
  const old = Date.now() / 1000 - 120
  const put = (path: string, content: string) => {
    const place = join(repo.repo.gitDir, path)
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(place, content)
    utimesSync(place, old, old)
    return place
  }
  const locks = [
    put('entire.lock', `${dead} ${hostname()}\n`),
    put('entire-checkpoint-push-queue.jsonl.lock', `${dead} ${hostname()}\n`),
    put('refs/heads/entire/checkpoints/v1.lock', ''),
  ]
  const found = await doctor(repo)
  expect(found).toMatchObject({ code: 1, findings: [{ id: 'stale-lock', fixable: true }] })
  expect(found.findings[0]?.detail.split('\n')).toHaveLength(3)
  expect(await doctor(repo, ['--force'])).toMatchObject({ code: 0, findings: [] })
  expect(locks.filter(existsSync)).toEqual([])
  const held = put('entire.lock', `${process.pid} ${hostname()}\n`)
  const told = await doctor(repo)
  expect(told).toMatchObject({
    code: 1,
    findings: [{ id: 'lock-held', fixable: false, detail: expect.stringContaining(`${process.pid}`) }],
  })
  expect(existsSync(held)).toBe(true)
})

test('hook failures of the last day are counted, and are not reported once hooks succeed again', async () => {
  await using repo = await ready()
  const agent = fakeAgent(repo)
  await agent.prompt('write a')
  agent.write('a.txt', 'work of the agent\n')
  renameSync(join(repo.root, '.git/objects'), join(repo.root, '.git/objects.away'))
  await agent.hook('stop')
  await agent.hook('stop')
  renameSync(join(repo.root, '.git/objects.away'), join(repo.root, '.git/objects'))
  const found = await doctor(repo)
  expect(found).toMatchObject({
    code: 1,
    findings: [
      { id: 'hook-errors', severity: 'warning', title: expect.stringContaining('Hooks failed 2 times') },
    ],
  })
  await agent.stop()
  expect(await doctor(repo)).toMatchObject({ code: 0, findings: [{ id: 'hook-errors', severity: 'info' }] })
})

test('locks that git left behind are reported with a fix, and never removed', async () => {
  await using repo = await ready()
  const old = new Date(Date.now() - 20 * 60_000)
  const names = ['HEAD.lock', 'index.lock', 'packed-refs.lock', 'refs/heads/topic.lock']
  for (const name of names) {
    writeFileSync(join(repo.repo.gitDir, name), '')
    utimesSync(join(repo.repo.gitDir, name), old, old)
  }
  // Held by a running process.
  writeFileSync(join(repo.repo.gitDir, 'config.lock'), '')
  const { code, findings } = await doctor(repo, ['--force'])
  expect(code).toBe(1)
  expect(findings.map(({ id, subject, fixable }) => ({ id, subject, fixable }))).toEqual(
    names.map((subject) => ({ id: 'git-lock', subject, fixable: false })),
  )
  expect(findings[0]?.fix).toContain(`rm ${join(repo.repo.gitDir, 'HEAD.lock')}`)
  expect(names.every((name) => existsSync(join(repo.repo.gitDir, name)))).toBe(true)
})

// Tests locks and notes: those of dead processes never block, and those of living processes are respected.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { logFile } from '../../src/sessions/places.ts'
import { fakeAgent } from '../support/fake-agent.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { expectNoLeftovers, expectRecorded } from './faulty-repo.ts'

setDefaultTimeout(60_000)

const hour = 3600
const deadPid = await Bun.spawn(['true']).exited.then(() =>
  Bun.spawnSync(['sh', '-c', 'echo $$']).stdout.toString().trim(),
)

// File below the git directory, its content, its age in seconds.
const stale: Record<string, [path: string, content: string, age: number]> = {
  'the lock of a dead process': ['entire.lock', `${deadPid} ${hostname()}\n`, 0],
  'a lock without a name, from a moment long ago': ['entire.lock', '', 60],
  'a lock of garbage': ['entire.lock', '\0\x01 not a pid', 60],
  'the lock of another machine, hours old': ['entire.lock', '1 another-host\n', hour],
  'an hours-old lock whose process number belongs to another process now': [
    'entire.lock',
    `1 ${hostname()}\n`,
    hour,
  ],
  'a takeover that died half way': ['entire.lock.takeover', `${deadPid} ${hostname()}\n`, 60],
  'the lock of git on the metadata branch': ['refs/heads/entire/checkpoints/v1.lock', '', 60],
  'half a state file': [`entire-sessions/other.json.${deadPid}.tmp`, '{"session_id": "oth', 0],
  'half an index of sessions': [`entire-live.json.${deadPid}.tmp`, '{', 0],
}

test.each(Object.entries(stale))(
  '%s blocks nothing and does not stay',
  async (_name, [path, content, age]) => {
    await using repo = await recordedRepo()
    put(repo, path, content, age)
    if (path.endsWith('.takeover')) put(repo, 'entire.lock', content, age)
    const agent = fakeAgent(repo)
    await agent.turn('work', { a: 'one line of a\nanother line of a\n' })
    await repo.commitAs('human', 'a')
    await expectRecorded(repo, 'HEAD', ['a'], agent)
    expectNoLeftovers(repo)
  },
)

test('the crash report of an import that the user made is left alone', async () => {
  await using repo = await recordedRepo()
  await repo.run(['git', 'fast-import', '--quiet', '--done'], {
    stdin: 'blob\nmark :1\ndata 3\nabc\ncommit refs/heads/theirs\n',
  })
  const reports = () => [...new Bun.Glob('fast_import_crash_*').scanSync(repo.repo.gitDir)]
  expect(reports()).toHaveLength(1)
  await fakeAgent(repo).turn('work', { a: 'a\n' })
  expect(reports()).toHaveLength(1)
})

test('a lock that a living process holds is waited for, and then the agent is let go with a message', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('work', { a: 'one line of a\nanother line of a\n' })
  const lock = put(repo, 'entire.lock', `${process.pid} ${hostname()}\n`, 0)
  const ran = await agent.hook('session-end', { reason: 'other' })
  expect(ran).toMatchObject({ code: 0, err: expect.stringContaining('Another process holds') })
  expect(readFileSync(lock, 'utf8')).toContain(String(process.pid))
  expect(readFileSync(logFile(repo.repo), 'utf8')).toContain('Another process holds')
  rmSync(lock)
  await agent.end()
  await repo.commitAs('human', 'a')
  await expectRecorded(repo, 'HEAD', ['a'], agent)
})

test('an event that comes while another one holds the lock is handled after it', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.prompt('work')
  agent.write('a', 'one line of a\nanother line of a\n')
  const lock = put(repo, 'entire.lock', `${process.pid} ${hostname()}\n`, 0)
  const stopping = agent.stop()
  await Bun.sleep(150)
  rmSync(lock)
  await stopping
  expect(repo.state(agent.session)).toMatchObject({ phase: 'idle', files_touched: ['a'] })
})

function put({ repo }: RecordedRepo, path: string, content: string, age: number): string {
  const place = join(repo.gitDir, path)
  mkdirSync(dirname(place), { recursive: true })
  writeFileSync(place, content)
  const then = Date.now() / 1000 - age
  utimesSync(place, then, then)
  expect(existsSync(place)).toBe(true)
  return place
}

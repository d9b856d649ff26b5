// `entire doctor trace`, `logs` and `bundle`; the bundle contains no private data.
import { expect, setDefaultTimeout, test } from 'bun:test'
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { logFile } from '../../src/sessions/places.ts'
import { fakeAgent } from '../support/fake-agent.ts'
import { binary, type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { openTerminal } from '../support/terminal.ts'
import { until } from '../support/until.ts'

setDefaultTimeout(60_000)

const logOf = (repo: RecordedRepo) => logFile(repo.repo)

async function worked(): Promise<RecordedRepo> {
  const repo = await recordedRepo({ isCommitted: true })
  await fakeAgent(repo, { session: 'aaaaaaaa-1' }).turn('write a', { 'a.txt': 'work of the agent\n' })
  return repo
}

test('trace shows the last hooks with their phases, and the median of each kind', async () => {
  await using repo = await worked()
  appendFileSync(
    logOf(repo),
    'no JSON at all\n{"time":"2026-02-10T12:00:00Z","level":"INFO","msg":"old hook","ms":12}\n',
  )
  const { code, out } = await repo.entire(['doctor', 'trace'])
  expect(code).toBe(0)
  const lines = out.split('\n')
  expect(lines[0]).toMatch(/^TIME +HOOK +SESSION +MS +SLOWEST +PHASES$/)
  expect(out).toMatch(/claude-code stop +aaaaaaaa +\d+ +\w+ \d+ +start=\d+ .*write=\d+/)
  expect(out).toMatch(/^HOOK +RUNS +MEDIAN MS +SLOWEST MS$/m)
  expect(out).toMatch(/^old hook +1 +12 +12$/m)
  const json = JSON.parse((await repo.entire(['doctor', 'trace', '--json', '--limit', '2'])).out)
  expect(json.hooks).toHaveLength(2)
  expect(json.hooks[0]).toMatchObject({
    hook: 'claude-code stop',
    session_id: 'aaaaaaaa-1',
    ms: expect.any(Number),
    phases: { start: expect.any(Number) },
  })
  expect(json.hooks[1]).toMatchObject({ hook: 'old hook', phases: {} })
  expect(json.medians).toContainEqual({ hook: 'old hook', count: 1, median: 12, slowest: 12 })
  expect((await repo.entire(['doctor', 'trace', '--limit', '0'])).code).toBe(2)
  const narrow = openTerminal([binary, 'doctor', 'trace'], { cwd: repo.root, env: repo.env, columns: 60 })
  await narrow.exited()
  for (const line of narrow.text().split('\n')) expect(line.length).toBeLessThanOrEqual(60)
  await narrow[Symbol.asyncDispose]()
})

test('trace reports when no hook has run yet', async () => {
  await using repo = await recordedRepo()
  expect(await repo.entire(['doctor', 'trace'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('No hook has been logged yet.'),
  })
  expect(JSON.parse((await repo.entire(['doctor', 'trace', '--json'])).out)).toEqual({
    hooks: [],
    medians: [],
  })
})

test('logs shows the end of the log, filtered by session or level, even with garbage in it', async () => {
  await using repo = await worked()
  await fakeAgent(repo, { session: 'bbbbbbbb-2' }).turn('write b', { 'b.txt': 'work of another\n' })
  appendFileSync(
    logOf(repo),
    '\x1b[31mgarbage\x07 line\n{"time":"2026-02-10T12:00:00Z","level":"ERROR","msg":"it \\u001b[2J broke","session_id":"bbbbbbbb-2"}\n',
  )
  const all = await repo.entire(['doctor', 'logs'])
  expect(all.out).toContain('claude-code stop')
  expect(all.out).toMatch(/^\? garbage +line$/m)
  expect(all.out).not.toContain('\x1b')
  const last = await repo.entire(['doctor', 'logs', '-n', '1'])
  expect(last.out).toMatch(/^2026-02-10 .* ERROR \[bbbbbbbb\] it +broke\n$/)
  const one = await repo.entire(['doctor', 'logs', '--session', 'aaaa'])
  expect(one.out.trim().split('\n')).toHaveLength(2)
  const errors = await repo.entire(['doctor', 'logs', '--level', 'error', '--json'])
  expect(JSON.parse(errors.out)).toMatchObject({ level: 'ERROR', session_id: 'bbbbbbbb-2' })
  const json = (await repo.entire(['doctor', 'logs', '--json'])).out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(json.at(-2)).toEqual({ garbage: '\x1b[31mgarbage\x07 line' })
  expect((await repo.entire(['doctor', 'logs', '--level', 'loud'])).code).toBe(2)
  expect(await repo.entire(['doctor', 'logs', '--session', 'nobody'])).toMatchObject({ code: 0, out: '' })
})

test('logs reads the rotated file, too, and follows new lines until Ctrl-C', async () => {
  await using repo = await worked()
  renameSync(logOf(repo), `${logOf(repo)}.1`)
  writeFileSync(logOf(repo), '{"time":"2026-02-10T12:00:00Z","level":"INFO","msg":"newest"}\n')
  const two = await repo.entire(['doctor', 'logs', '--limit', '2'])
  expect(two.out).toMatch(/claude-code stop.*\n.*newest\n$/)
  await using following = follow(repo)
  await following.sees('newest')
  await fakeAgent(repo, { session: 'cccccccc-3' }).prompt('now')
  await following.sees('[cccccccc] claude-code user-prompt-submit')
  renameSync(logOf(repo), `${logOf(repo)}.1`)
  writeFileSync(logOf(repo), '{"time":"2026-02-10T12:00:00Z","level":"INFO","msg":"in the new file"}\n{"half')
  await following.sees('in the new file')
  appendFileSync(logOf(repo), ' a line"}\n')
  await following.sees('? {"half a line"}')
  expect(await following.interrupt()).toBe('SIGINT')
})

function follow(repo: RecordedRepo) {
  const child = Bun.spawn([binary, 'doctor', 'logs', '--follow', '--limit', '1'], {
    cwd: repo.root,
    env: repo.env,
    stdout: 'pipe',
  })
  let output = ''
  let hasEnded = false
  const reading = (async () => {
    for await (const bytes of child.stdout) output += Buffer.from(bytes).toString('utf8')
    hasEnded = true
  })()
  return {
    async sees(text: string) {
      const problem = () => `${text} did not appear in ${output}`
      await until(() => hasEnded || output.includes(text), problem)
      if (!output.includes(text)) throw new Error(problem())
    },
    async interrupt() {
      child.kill('SIGINT')
      await child.exited
      return child.signalCode
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await child.exited
      await reading
    },
  }
}

async function unpack(repo: RecordedRepo, file: string): Promise<{ names: string[]; text: string }> {
  const dir = join(repo.base, `unpacked-${file.replace(/\W/g, '')}`)
  mkdirSync(dir)
  const ran = await repo.run(['tar', '-xzf', join(repo.root, file), '-C', dir])
  expect(ran).toMatchObject({ code: 0, stderr: '' })
  const names = readdirSync(dir).sort()
  return { names, text: names.map((name) => readFileSync(join(dir, name), 'utf8')).join('\n') }
}

test('a bundle holds what is needed, without secrets, prompts, file contents and names', async () => {
  await using repo = await recordedRepo()
  const key = ['AKIA', 'Q3EGRIJKLMNOP2QR'].join('')
  const password = 'hunter2-in-the-address'
  const words = 'unspeakable-words'
  await repo.commitAs('human', 'setup')
  await repo.git('remote', 'add', 'origin', `https://someone:${password}@host.test/unspeakable-words.git`)
  const agent = fakeAgent(repo)
  await agent.turn(`${words} and ${key}`, { 'a.txt': `${words} in a file\n` })
  agent.say(`${words} of the assistant`)
  await agent.stop()
  await repo.commitAs('human', 'a')
  await agent.prompt(`${words} again`)
  const ended = fakeAgent(repo)
  await ended.turn(words, { [`${words}.txt`]: 'x\n' })
  await ended.end()
  writeFileSync(join(repo.repo.commonDir, 'entire-sessions/broken.json'), `{"first_prompt": "${words} ${key}`)
  repo.write(
    '.entire/settings.local.json',
    JSON.stringify({
      log_level: 'debug',
      odd: `${words} ${key}`,
      redaction: { rules: [{ label: 'x', regex: words }] },
    }),
  )
  appendFileSync(
    logOf(repo),
    [
      JSON.stringify({
        time: '2026-02-10T12:00:00Z',
        level: 'ERROR',
        msg: `failed for ${key} in ${repo.root}/x and ${repo.env.HOME}/y`,
        component: 'hooks',
        prompt: words,
      }),
      JSON.stringify({
        time: '2026-02-10T12:00:00Z',
        level: 'ERROR',
        msg: `fatal: unable to access 'https://someone:${password}@host.test/'`,
        remote: `https://someone:${password}@host.test`,
      }),
      `${words} that are not JSON`,
      '',
    ].join('\n'),
  )
  const { code, out } = await repo.entire(['doctor', 'bundle', '--output', 'report.tar.gz'], {
    env: { USER: 'someone', SECRET: key },
  })
  expect(code).toBe(0)
  expect(out).toContain('Wrote report.tar.gz')
  expect(out).toContain('Nothing was sent.')
  expect(statSync(join(repo.root, 'report.tar.gz')).mode & 0o777).toBe(0o600)
  const { names, text } = await unpack(repo, 'report.tar.gz')
  expect(names).toEqual([
    'environment.json',
    'findings.json',
    'hooks.json',
    'log.jsonl',
    'refs.txt',
    'sessions.json',
    'settings.json',
  ])
  for (const name of names) expect(out).toContain(name)
  for (const secret of [words, key, password, 'someone', repo.env.HOME as string, repo.root, 'a.txt'])
    expect(text).not.toContain(secret)
  expect(text).toContain(agent.session)
  expect(text).toContain('"log_level": "debug"')
  expect(text).toContain('failed for ')
  expect(text).toContain('<repository>/x and ~/y')
  expect(text).toContain('state-unreadable')
  expect(text).toContain('waiting-sessions')
  expect(text).toContain('refs/heads/entire/checkpoints/v1')
})

test('a bundle never overwrites a file, reports what it wrote, and works in a broken repository', async () => {
  await using repo = await worked()
  const ran = await repo.entire(['doctor', 'bundle', '--json'])
  const { path, files } = JSON.parse(ran.out)
  expect(path).toMatch(/entire-bundle-\d{4}-\d\d-\d\d-\d{6}\.tar\.gz$/)
  expect(files).toHaveLength(7)
  const before = readFileSync(path)
  const again = await repo.entire(['doctor', 'bundle', '-o', path])
  expect(again).toMatchObject({ code: 1, err: expect.stringContaining('already exists') })
  expect(readFileSync(path).equals(before)).toBe(true)
  repo.write('.entire/settings.json', 'garbage')
  renameSync(join(repo.root, '.git/objects'), join(repo.root, '.git/objects.away'))
  expect((await repo.entire(['doctor', 'bundle', '-o', 'broken.tar.gz'])).code).toBe(0)
  const { text } = await unpack(repo, 'broken.tar.gz')
  expect(text).toContain('not JSON (7 characters)')
  expect(text).toContain('settings-unreadable')
})

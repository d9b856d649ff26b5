// Runs plugins that misbehave: the agent goes on, a clear message reports it, and nothing is lost.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type ExternalRepo,
  putPlugin,
  repoWithSample,
  type ShellAgent,
  shellAgent,
} from '../support/external-repo.ts'
import { on } from '../support/plugin-defects.ts'

setDefaultTimeout(60_000)

const soon = { ENTIRE_TEST_PLUGIN_TIMEOUT_MS: '1500' }

/** The agent is enabled with a plugin that works; the defect comes afterwards, as an update would. */
async function brokenRepo(defect: string): Promise<ExternalRepo> {
  const repo = await repoWithSample(defect)
  Object.assign(repo.env, soon)
  return repo
}

// Without its last newline, as git shows what is stored.
const told = (agent: ShellAgent) => readFileSync(agent.transcript, 'utf8')

const shows = (pattern: RegExp) => expect.stringMatching(pattern)

// The defect in parse-hook, and the message about it.
const events: [title: string, script: string, message: RegExp][] = [
  ['hangs', 'sleep 60', /entire-agent-sample parse-hook did not answer within 1\.5 s, and was ended\./],
  [
    'floods its output',
    'exec yes',
    /entire-agent-sample parse-hook wrote more than 10 MB to stdout, and was ended\./,
  ],
  ['floods its error output', 'exec yes >&2', /wrote more than 10 MB to stderr/],
  [
    'prints garbage',
    'echo hello; exit 0',
    /entire-agent-sample parse-hook gave an invalid answer: not JSON: hello/,
  ],
  ['prints JSON of another kind', `echo '{"type":"stop"}'; exit 0`, /gave an invalid answer: type must be/],
  ['dies', 'kill -9 $$', /entire-agent-sample parse-hook: it was ended by SIGKILL/],
  [
    'fails and says why',
    'echo "no such session" >&2; echo "try again" >&2; exit 3',
    /parse-hook: no such session\ntry again/,
  ],
  ['fails and says nothing', 'exit 3', /entire-agent-sample parse-hook: exit code 3/],
  ['draws on the terminal', `printf '\\033[2Jcleared\\007' >&2; exit 1`, /parse-hook: cleared\. /],
  ['has no session', `echo '{"type":3,"session_id":""}'; exit 0`, /get-session-id|without a session/],
  [
    'has a session id that climbs',
    `echo '{"type":2,"session_id":"../../evil","prompt":"x"}'; exit 0`,
    /not a valid value for a session id/,
  ],
]

for (const [title, script, message] of events) {
  test(`a plugin that ${title} at a hook does not disturb the agent, and the next hook works`, async () => {
    await using repo = await brokenRepo(on('parse-hook', script))
    const agent = await shellAgent(repo)
    expect(await agent.hook('prompt', { prompt: 'x' })).toEqual({ code: 0, out: '', err: shows(message) })
    expect(JSON.stringify(repo.log())).toContain('"level":"ERROR"')
    putPlugin(repo)
    await agent.turn('add a file', { 'a.txt': 'a\n' })
    await repo.commitAs('human', 'a file', 'a.txt')
    expect(await repo.transcript(await repo.checkpointOf())).toBe(told(agent))
  })
}

test('a grandchild that keeps the output open does not hold up the hook', async () => {
  await using repo = await brokenRepo(on('parse-hook', 'sleep 30 &'))
  const agent = await shellAgent(repo)
  const { err } = await agent.turn('add a file', { 'a.txt': 'a\n' })
  expect(err).toContain('Saved step 1')
  expect(repo.state(agent.session)).toMatchObject({ session_turn_count: 1 })
})

// What happens in read-transcript: the files are saved at once, the transcript as soon as the plugin works
// again.
const readings: [title: string, script: string, message: RegExp][] = [
  ['hangs', 'sleep 60', /read-transcript did not answer within 1\.5 s/],
  ['dies in the middle', 'head -c 10 "$3"; kill -9 $$', /read-transcript: it was ended by SIGKILL/],
  ['fails', 'echo "database is locked" >&2; exit 1', /read-transcript: database is locked/],
]

for (const [title, script, message] of readings) {
  test(`a plugin that ${title} while it gives the transcript loses neither files nor transcript`, async () => {
    await using repo = await brokenRepo(on('read-transcript', script))
    const agent = await shellAgent(repo)
    const { code, err } = await agent.turn('add a file', { 'a.txt': 'a\n' })
    expect({ code, err }).toEqual({ code: 0, err: shows(message) })
    expect(err).toContain('Saved step 1')
    putPlugin(repo)
    await agent.turn('add another', { 'b.txt': 'b\n' })
    await repo.commitAs('human', 'two files')
    const id = await repo.checkpointOf()
    expect(await repo.transcript(id)).toBe(told(agent))
    expect(await repo.storedSession(id)).toMatchObject({ files_touched: ['a.txt', 'b.txt'] })
  })
}

test('a transcript that is larger than a plugin may print is read from its file', async () => {
  await using repo = await brokenRepo('')
  const agent = await shellAgent(repo)
  await agent.hook('prompt', { prompt: 'add a file' })
  for (let line = 0; line < 11; line += 1) agent.say({ assistant: String(line).repeat(1024 * 1024) })
  repo.write('a.txt', 'a\n')
  expect((await agent.hook('stop')).err).toContain('Saved step 1')
  await repo.commitAs('human', 'a file', 'a.txt')
  expect(await repo.transcript(await repo.checkpointOf())).toBe(told(agent))
})

test('a large file that is not in the directory of sessions is not read', async () => {
  await using repo = await brokenRepo('')
  const agent = await shellAgent(repo)
  const other = join(repo.base, 'home', 'diary.txt')
  writeFileSync(other, 'dear diary\n'.repeat(1024 * 1024))
  await agent.hook('prompt', { prompt: 'add a file', ref: other })
  repo.write('a.txt', 'a\n')
  const { code, err } = await agent.hook('stop', { ref: other })
  expect({ code, err }).toEqual({ code: 0, err: shows(/diary\.txt" is refused: it is outside/) })
  expect(err).toContain('Saved step 1')
})

test('when the analysis fails, the step is saved from what git reports', async () => {
  const broken = [
    'extract-modified-files',
    'extract-prompts',
    'extract-summary',
    'calculate-total-tokens',
    'calculate-tokens',
  ]
  await using repo = await brokenRepo(broken.map((name) => on(name, 'echo garbage; exit 0')).join(''))
  const agent = await shellAgent(repo)
  const { code, err } = await agent.turn('add a file', { 'a.txt': 'a\n' })
  expect({ code, err }).toEqual({
    code: 0,
    err: shows(/extract-modified-files gave an invalid answer/),
  })
  await repo.commitAs('human', 'a file', 'a.txt')
  const id = await repo.checkpointOf()
  expect(await repo.storedSession(id)).toMatchObject({ files_touched: ['a.txt'] })
  expect(await repo.transcript(id)).toBe(told(agent))
})

test('files outside the work tree are not the work of a session', async () => {
  const paths = '["../../x","/etc/passwd","a.txt",".git/config",".entire/settings.json"]'
  await using repo = await brokenRepo(
    on('extract-modified-files', `printf '{"files":${paths},"current_position":1}'; exit 0`),
  )
  const agent = await shellAgent(repo)
  await agent.turn('add a file', { 'a.txt': 'a\n' })
  await repo.commitAs('human', 'a file', 'a.txt')
  expect(await repo.storedSession(await repo.checkpointOf())).toMatchObject({ files_touched: ['a.txt'] })
})

for (const [title, defect] of [
  [
    'outside the directory of sessions',
    on('resolve-session-file', `printf '{"session_file":"../../evil"}'; exit 0`),
  ],
  [
    'somewhere else altogether',
    on('resolve-session-file', `printf '{"session_file":"%s/evil"}' "$HOME"; exit 0`),
  ],
  ['in a directory that climbs', on('get-session-dir', `printf '{"session_dir":"../../evil"}'; exit 0`)],
] as const) {
  test(`a session file ${title} is not written`, async () => {
    await using repo = await brokenRepo('')
    const agent = await shellAgent(repo)
    await agent.turn('add a file', { 'a.txt': 'a\n' })
    await repo.commitAs('human', 'a file', 'a.txt')
    rmSync(agent.transcript)
    putPlugin(repo, defect)
    const { code, err } = await repo.entire(['resume'])
    expect({ code, err }).toEqual({ code: 1, err: shows(/evil.*refused/) })
    for (const place of [repo.base, join(repo.base, 'home'), join(repo.base, '..')])
      expect(existsSync(join(place, 'evil'))).toBe(false)
    expect(existsSync(agent.transcript)).toBe(false)
  })
}

// The answer to `info`.
const infos: [title: string, script: string, message: RegExp][] = [
  [
    'lies about its name',
    `printf '{"protocol_version":1,"name":"claude-code","type":"T","description":"d","capabilities":{}}'`,
    /it reports the name "claude-code"/,
  ],
  [
    'speaks another version',
    `printf '{"protocol_version":2,"name":"sample","type":"T","description":"d","capabilities":{}}'`,
    /protocol_version must be 1/,
  ],
  ['prints garbage', 'echo hello', /not JSON: hello/],
  ['hangs', 'sleep 60', /info did not answer within 1\.5 s/],
]

for (const [title, script, message] of infos) {
  test(`a plugin that ${title} when it is asked for its info is not used`, async () => {
    await using repo = await brokenRepo(on('info', `echo asked >> "$HOME/asked"; ${script}; exit 0`))
    const agent = await shellAgent(repo)
    expect(await agent.hook('prompt', { prompt: 'x' })).toMatchObject({ code: 0, err: shows(message) })
    // The program remembers that it cannot be used, and does not wait for it again until a user asks for it.
    expect((await repo.entire(['status'])).code).toBe(0)
    await repo.commitAs('human', 'meanwhile')
    expect(readFileSync(join(repo.base, 'home', 'asked'), 'utf8')).toBe('asked\n')
    expect(await repo.entire(['enable', '--agent', 'sample'])).toMatchObject({ code: 1, err: shows(message) })
  })
}

test('a plugin that hangs is not called again in the same hook', async () => {
  await using repo = await brokenRepo(on('get-transcript-position', 'sleep 60'))
  const agent = await shellAgent(repo)
  await agent.hook('prompt', { prompt: 'add a file' })
  agent.say({ user: 'add a file' })
  repo.write('a.txt', 'a\n')
  const { code, err } = await agent.hook('stop')
  expect(code).toBe(0)
  expect(err.match(/did not answer/g)).toHaveLength(1)
  expect(err).toContain('was not tried')
  expect(err).toContain('Saved step 1')
})

test('a program that cannot be started is reported', async () => {
  await using repo = await brokenRepo('')
  const agent = await shellAgent(repo)
  writeFileSync(join(repo.bin, 'entire-agent-sample'), '#!/no/such/interpreter\n', { mode: 0o755 })
  const { code, err } = await agent.hook('prompt', { prompt: 'x' })
  expect({ code, err }).toEqual({ code: 0, err: shows(/entire-agent-sample info could not be started/) })
})

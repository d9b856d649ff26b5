// Summaries are written by the program of an agent, and stored in the checkpoint only if everything
// succeeded.
import { expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fakeAgent } from '../support/fake-agent.ts'
import { binary, type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { keys, openTerminal } from '../support/terminal.ts'
import { until } from '../support/until.ts'

const secret = `ghp_${'A1b2C3d4E5f6G7h8I9j0'.repeat(2).slice(0, 36)}`
const summary = {
  intent: `Add a parser, with ${secret}`,
  outcome: 'The parser is \x1b[31mthere',
  learnings: {
    repo: ['uses bun'],
    code: [{ path: 'src/a.ts', line: 3, end_line: 9, finding: 'slow' }],
    workflow: ['small steps'],
  },
  friction: ['flaky test'],
  open_items: ['docs'],
}
const fenced = `Here it is:\n\`\`\`json\n${JSON.stringify(summary, null, 2)}\n\`\`\``
const claudeAnswer = JSON.stringify({
  type: 'result',
  subtype: 'success',
  is_error: false,
  duration_ms: 5,
  result: fenced,
})

interface Recorded {
  repo: RecordedRepo
  id: string
  /** Puts a program of this name on the PATH; `seen` receives its input. */
  program(name: string, script: string): void
  seen(what: 'args' | 'env' | 'stdin' | 'cwd'): string
  tip(): Promise<string>
}

async function recorded(): Promise<Recorded> {
  const repo = await recordedRepo()
  const agent = fakeAgent(repo)
  await agent.turn('add a parser', { 'a.ts': 'export const a = 1\n' })
  await repo.commitAs('human', 'parser', 'a.ts')
  const file = (what: string) => join(repo.base, `seen-${what}`)
  return {
    repo,
    id: await repo.checkpointOf(),
    program(name, script) {
      const look = `printf '%s\\n' "$@" > ${file('args')}; env > ${file('env')}; pwd > ${file('cwd')}; cat > ${file('stdin')}`
      writeFileSync(join(repo.base, 'bin', name), `#!/bin/sh\n${look}\n${script}\n`, { mode: 0o755 })
    },
    seen: (what) => readFileSync(file(what), 'utf8'),
    tip: () => repo.git('rev-parse', 'entire/checkpoints/v1'),
  }
}

const prints = (text: string) => `cat <<'END'\n${text}\nEND`

test('the agent of the session writes a summary, which is shown and stored', async () => {
  const { repo, id, program, seen, tip } = await recorded()
  await using _repo = repo
  program('claude', prints(claudeAnswer))
  program('gemini', 'exit 1')
  const before = await tip()
  const metadata = await repo.storedSession(id)
  const sessions = readdirSync(join(repo.repo.commonDir, 'entire-sessions'))
  const { code, out, err } = await repo.entire(['explain', '-c', id.slice(0, 8), '--generate'], {
    env: {
      CLAUDECODE: '1',
      CLAUDE_CODE_SESSION_ID: 'outer',
      CLAUDE_PROJECT_DIR: repo.root,
      GIT_DIR: 'x',
      ANTHROPIC_API_KEY: 'kept',
    },
  })
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toStartWith(`✓ Summary generated and saved\n\nCheckpoint: ${id}\n`)
  expect(out).toContain(
    [
      'Intent: Add a parser, with REDACTED',
      'Outcome: The parser is there',
      '',
      'Learnings:',
      '  Repository:',
      '    - uses bun',
      '  Code:',
      '    - src/a.ts:3-9: slow',
      '  Workflow:',
      '    - small steps',
      '',
      'Friction:',
      '  - flaky test',
      '',
      'Open Items:',
      '  - docs',
      '',
    ].join('\n'),
  )

  expect(seen('args').split('\n')).toEqual([
    '--print',
    '--output-format',
    'json',
    '--setting-sources',
    '',
    '',
  ])
  expect(seen('stdin')).toContain('<transcript>\n[User] add a parser\n\n[Tool] Write: ')
  expect(seen('env')).toContain('ANTHROPIC_API_KEY=kept')
  expect(seen('env')).not.toMatch(/^(CLAUDECODE|CLAUDE_CODE_SESSION_ID|CLAUDE_PROJECT_DIR|GIT_\w+)=/m)
  expect(seen('cwd')).not.toContain(repo.root)
  expect(existsSync(seen('cwd').trim())).toBe(false)

  expect(await repo.git('log', '-1', '--format=%s|%P', 'entire/checkpoints/v1')).toBe(
    `Update summary for checkpoint ${id} (session: ${metadata.session_id})|${before}`,
  )
  const stored = await repo.storedSession(id)
  expect(stored).toEqual({ ...metadata, summary: { ...summary, intent: 'Add a parser, with REDACTED' } })
  expect(await repo.git('diff-tree', '-r', '--name-only', before, 'entire/checkpoints/v1')).toEndWith(
    '/0/metadata.json',
  )
  expect(readdirSync(join(repo.repo.commonDir, 'entire-sessions'))).toEqual(sessions)
  expect((await repo.entire(['explain', id, '--short'])).out).toContain('Outcome: The parser is there\n')
})

test('a summary is replaced only with --force', async () => {
  const { repo, id, program, tip } = await recorded()
  await using _repo = repo
  program('claude', prints(claudeAnswer))
  await repo.entire(['explain', '-c', id, '--generate'])
  const before = await tip()
  program('claude', prints(claudeAnswer.replace('uses bun', 'uses make')))
  expect(await repo.entire(['explain', '-c', id, '--generate'])).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining(`checkpoint ${id} already has a summary (use --force to regenerate)`),
  })
  expect(await tip()).toBe(before)
  const { out, err } = await repo.entire(['explain', id, '--generate', '--force', '--json', '--short'])
  expect(err).toContain('✓ Summary generated and saved')
  expect(JSON.parse(out)).toMatchObject({ sessions: [{ summary: { learnings: { repo: ['uses make'] } } }] })
})

test('the settings select agent and model; without the agent of the session another one writes the summary', async () => {
  const { repo, id, program, seen } = await recorded()
  await using _repo = repo
  expect(await repo.entire(['explain', id, '--generate'], { env: { PATH: '/usr/bin:/bin' } })).toMatchObject({
    code: 1,
    err: expect.stringContaining(
      'No agent that can write a summary is installed.\nhint: Install one of these programs',
    ),
  })
  program('gemini', prints(JSON.stringify({ response: JSON.stringify(summary), stats: {} })))
  expect(await repo.entire(['explain', id, '--generate'])).toMatchObject({ code: 0 })
  expect(seen('args')).toBe('--output-format\njson\n')
  expect(seen('env')).toContain('GEMINI_CLI_TRUST_WORKSPACE=true')
  program('claude', 'exit 1')
  repo.write(
    '.entire/settings.local.json',
    JSON.stringify({ summary_generation: { provider: 'gemini', model: 'flash' } }),
  )
  expect(await repo.entire(['explain', id, '--generate', '--force'])).toMatchObject({ code: 0 })
  expect(seen('args')).toBe('--output-format\njson\n--model=flash\n')
  repo.write('.entire/settings.local.json', JSON.stringify({ summary_generation: { provider: 'nobody' } }))
  expect(await repo.entire(['explain', id, '--generate', '--force'])).toMatchObject({
    code: 1,
    err: expect.stringContaining(
      '"nobody" is not a valid value for setting summary_generation.provider\nhint: Use one of: claude-code, gemini',
    ),
  })
})

test.each([
  ['hangs', 'sleep 600 & sleep 600', 'did not answer within 1 seconds'],
  ['floods', 'yes', 'printed far more than a summary'],
  ['floods with errors', 'yes >&2', 'printed far more than a summary'],
  [
    'fails',
    'echo "Invalid API key \x1b[2J" >&2; exit 1',
    'could not write a summary (exit code 1: Invalid API key',
  ],
  ['says nothing', 'true', 'It printed no result.'],
  ['prints garbage', 'head -c 100000 /dev/urandom', 'It printed no result.'],
  [
    'refuses',
    prints('{"type":"result","is_error":true,"result":"Credit balance is too low"}'),
    'Credit balance is too low',
  ],
  [
    'chats',
    prints('{"type":"result","result":"What a nice parser!"}'),
    'did not answer with a summary: What a nice parser!',
  ],
  [
    'answers with something else',
    prints('{"type":"result","result":"{\\"intent\\": 5}"}'),
    'did not answer with a summary',
  ],
])('an agent that %s does not change the checkpoint', async (_what, script, message) => {
  const { repo, id, program, tip, seen } = await recorded()
  await using _repo = repo
  repo.write(
    '.entire/settings.local.json',
    JSON.stringify({ summary_timeout_seconds: script.startsWith('sleep') ? 1 : 60 }),
  )
  program('claude', script)
  const before = await tip()
  const { code, out, err } = await repo.entire(['explain', '-c', id, '--generate'])
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).toContain(message)
  expect(err).toContain('hint: Nothing was saved.')
  expect(err).not.toContain('\x1b')
  expect(await tip()).toBe(before)
  expect(existsSync(seen('cwd').trim())).toBe(false)
})

test('without a conversation there is nothing to summarise, and no agent is run', async () => {
  await using repo = await recordedRepo()
  const agent = fakeAgent(repo)
  const away = { transcript_path: join(repo.base, 'home', 'nowhere.jsonl') }
  await agent.hook('user-prompt-submit', { prompt: 'write a', ...away })
  agent.run('a.ts', 'export const a = 1\n')
  await agent.hook('stop', { ...away, last_assistant_message: 'Done.' })
  await repo.commitAs('human', 'a', 'a.ts')
  expect(await repo.entire(['explain', await repo.checkpointOf(), '--generate'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('has no transcript to summarise'),
  })
})

test('a summary of a checkpoint with its own ref is queued for the next push', async () => {
  await using repo = await recordedRepo()
  repo.write(
    '.entire/settings.local.json',
    JSON.stringify({ checkpoints: { primary: { type: 'git-refs' } } }),
  )
  const agent = fakeAgent(repo)
  await agent.turn('write a', { 'a.ts': 'export const a = 1\n' })
  await repo.commitAs('human', 'a', 'a.ts')
  const id = await repo.checkpointOf()
  const queue = join(repo.repo.commonDir, 'entire-checkpoint-push-queue.jsonl')
  writeFileSync(queue, '')
  writeFileSync(join(repo.base, 'bin', 'claude'), `#!/bin/sh\ncat > /dev/null\n${prints(claudeAnswer)}\n`, {
    mode: 0o755,
  })
  expect(await repo.entire(['explain', id, '--generate'])).toMatchObject({ code: 0 })
  expect(readFileSync(queue, 'utf8')).toContain(id)
  expect(await repo.subjects(`refs/entire/checkpoints/${id.slice(-2)}/${id}`)).toHaveLength(2)
})

test('Ctrl-C stops the agent and everything it started, and leaves nothing behind', async () => {
  const { repo, id, program, tip, seen } = await recorded()
  await using _repo = repo
  program('claude', `sleep 600 & echo $! > ${join(repo.base, 'pid')}; wait`)
  const before = await tip()
  // In its own terminal: only there Ctrl-C sends a signal.
  await using terminal = openTerminal(['setsid', '-cw', binary, 'explain', id, '--generate'], {
    cwd: repo.root,
    env: repo.env,
  })
  await terminal.sees('Asking Claude Code for a summary…')
  await until(() => existsSync(join(repo.base, 'pid')) && readFileSync(join(repo.base, 'pid'), 'utf8') !== '')
  await terminal.press(keys.interrupt)
  expect(await terminal.exited()).toBe(1)
  expect(terminal.text()).toContain('Claude Code was stopped.')
  expect(await tip()).toBe(before)
  expect(existsSync(seen('cwd').trim())).toBe(false)
  const child = readFileSync(join(repo.base, 'pid'), 'utf8').trim()
  const isGone = () =>
    !existsSync(`/proc/${child}`) || readFileSync(`/proc/${child}/stat`, 'utf8').includes(') Z ')
  await until(isGone)
  expect(readdirSync(tmpdir()).filter((name) => name === seen('cwd').trim().split('/').at(-1))).toEqual([])
})

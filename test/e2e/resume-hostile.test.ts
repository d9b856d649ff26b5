// Resuming untrusted data, which may name any file, hold any text, or be incomplete, and resuming on failing
// disks.
import { expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fakeAgent } from '../support/fake-agent.ts'
import { putCommit } from '../support/put-commit.ts'
import { binary, type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { featureWithSession } from '../support/resumable.ts'

const metadata = 'refs/heads/entire/checkpoints/v1'
const id = 'abcdef012345'
const entry = (text: string, timestamp = '2026-11-15T12:00:00.000Z') =>
  JSON.stringify({ type: 'user', timestamp, message: { content: text } })

/** HEAD is linked to a checkpoint that holds these sessions, each with its files. */
async function linked(repo: RecordedRepo, ...sessions: Record<string, unknown>[]): Promise<void> {
  const dir = `${id.slice(0, 2)}/${id.slice(2)}`
  const files = sessions.flatMap((session, slot) =>
    Object.entries(session).map(([name, content]) => [`${dir}/${slot}/${name}`, content]),
  )
  const head = {
    checkpoint_id: id,
    strategy: 'manual-commit',
    checkpoints_count: 1,
    files_touched: null,
    sessions: sessions.map(() => ({})),
  }
  await putCommit(repo.repo, metadata, {
    message: `Checkpoint: ${id}\n`,
    files: { [`${dir}/metadata.json`]: head, ...Object.fromEntries(files) },
  })
  repo.write('linked.txt', 'x\n')
  await repo.git('add', 'linked.txt')
  await repo.git(
    '-c',
    'core.hooksPath=/dev/null',
    'commit',
    '--quiet',
    '-m',
    `linked\n\nEntire-Checkpoint: ${id}`,
  )
}

/** Removes one object of the checkpoint, as a broken disk would. */
async function lose(repo: RecordedRepo, path: string): Promise<void> {
  const blob = await repo.git('rev-parse', `entire/checkpoints/v1:${id.slice(0, 2)}/${id.slice(2)}/${path}`)
  // Unpacked, so that a single object can be removed.
  await repo.run([
    'sh',
    '-c',
    'mv .git/objects/pack "$HOME/packs"; for pack in "$HOME"/packs/*.pack; do git unpack-objects -q <"$pack"; done',
  ])
  rmSync(join(repo.root, '.git/objects', blob.slice(0, 2), blob.slice(2)))
}

const record = (session: string, more: Record<string, unknown> = {}) => ({
  checkpoint_id: id,
  session_id: session,
  agent: 'Claude Code',
  created_at: '2026-11-15T12:00:00Z',
  ...more,
})

const everything = (dir: string): string[] =>
  existsSync(dir) ? (readdirSync(dir, { recursive: true }) as string[]).sort() : []

test.each([
  '../../../../evil',
  '/tmp/evil-entire',
  '..',
  'a/b',
  'x; touch evil',
  '$(touch evil)',
  '-rf',
  '',
  'a\nb',
  'a\x1b[31mb',
  `${'long'.repeat(100)}`,
])('a session with the id %j is not written', async (session) => {
  await using repo = await recordedRepo()
  await linked(repo, { 'metadata.json': record(session), 'full.jsonl': `${entry('evil')}\n` })
  const before = everything(repo.base).filter((path) => !path.includes('/.git/'))
  const ran = await repo.entire(['resume', '--force'])
  expect(ran.code).toBe(0)
  expect(ran.err).not.toContain('claude -r')
  expect(ran.err).not.toMatch(/\x1b|\n\s+at /)
  expect(
    everything(repo.base).filter((path) => !path.includes('/.git/') && !path.endsWith('entire.log')),
  ).toEqual(before)
})

test('a stored path outside the session directory is not used', async () => {
  await using repo = await recordedRepo()
  await linked(repo, {
    'metadata.json': record('good-1', { transcript_path: '../../outside/good-1.jsonl' }),
    'full.jsonl': `${entry('hello')}\n`,
  })
  const [session] = JSON.parse((await repo.entire(['resume', '--json'])).out).sessions
  expect(session.path).toBe(
    join(repo.base, 'home/.claude/projects', repo.root.replace(/[^A-Za-z0-9]/g, '-'), 'good-1.jsonl'),
  )
})

test('a prompt cannot inject anything into the terminal, or into the shell where the command is pasted', async () => {
  await using repo = await recordedRepo()
  await linked(repo, {
    'metadata.json': record('good-1'),
    'full.jsonl': entry('hello'),
    'prompt.txt': 'do \x1b[2J\x1b]0;owned\x07$(touch evil) `touch evil`; rm -rf ~ & echo\nsecond line',
  })
  const ran = await repo.entire(['resume'])
  expect(ran.code).toBe(0)
  expect(ran.err).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f]|owned/)
  const line = ran.err.split('\n').find((text) => text.includes('claude -r')) ?? ''
  expect(line).toBe('  claude -r good-1  # do touch evil touch evil rm -rf ~ echo second line')
  // A missing last newline is added, or the agent would append to the last line.
  const [name = ''] = everything(join(repo.base, 'home/.claude/projects')).filter((path) =>
    path.endsWith('.jsonl'),
  )
  expect(readFileSync(join(repo.base, 'home/.claude/projects', name), 'utf8')).toBe(`${entry('hello')}\n`)
})

test('data of all versions is resumed: without an agent, with the old file name, in chunks, and of an unknown agent', async () => {
  await using repo = await recordedRepo()
  await linked(
    repo,
    {
      'metadata.json': record('old-1', { agent: undefined }),
      'full.log': `${entry('old')}\n`,
      'prompt.txt': 'the old one',
    },
    {
      'metadata.json': record('old-2', { agent: 'Agent' }),
      'full.jsonl': entry('a'),
      'full.jsonl.001': entry('b'),
      'full.jsonl.002': entry('c'),
    },
    { 'metadata.json': record('strange-1', { agent: 'Nobody Knows \x1b[31m' }), 'full.jsonl': entry('x') },
    { 'metadata.json': record('empty-1') },
  )
  const ran = await repo.entire(['resume', '--json'])
  const { sessions } = JSON.parse(ran.out) as { sessions: { session_id: string; path: string }[] }
  expect(sessions.map((session) => session.session_id)).toEqual(['old-1', 'old-2'])
  expect(sessions.map(({ path }) => readFileSync(path, 'utf8'))).toEqual([
    `${entry('old')}\n`,
    `${entry('a')}\n${entry('b')}\n${entry('c')}\n`,
  ])
  expect(ran.err).toContain('Warning: Session strange-1 was skipped: its agent (Nobody Knows')
  expect(ran.err).toContain("Session 'empty-1' found in commit trailer but session log not available")
})

test('a missing chunk is reported with a hint, and the local log is kept', async () => {
  await using repo = await recordedRepo()
  await linked(repo, {
    'metadata.json': record('good-1'),
    'full.jsonl': entry('one'),
    'full.jsonl.001': entry('two'),
  })
  const [session] = JSON.parse((await repo.entire(['resume', '--json'])).out).sessions
  const mine = `${entry('mine', '2026-11-14T12:00:00.000Z')}\n`
  writeFileSync(session.path, mine)
  await lose(repo, '0/full.jsonl')
  const ran = await repo.entire(['resume', '--force'])
  expect(ran.code).toBe(1)
  expect(ran.err).toContain('error: A part of the stored session log is missing in this repository.')
  expect(ran.err).toMatch(/hint: .*git fetch/)
  expect(everything(dirname(session.path))).toEqual(['good-1.jsonl'])
  expect(readFileSync(session.path, 'utf8')).toBe(mine)
})

test.each([
  ['resume', ['resume', '--force'], 'Warning'],
  ['rewind', ['rewind', '--to', 'HEAD', '--logs-only'], 'Note'],
])(
  '%s restores the other sessions of a checkpoint when a chunk of one is missing, and names that one',
  async (_name, args, word) => {
    await using repo = await recordedRepo()
    await linked(
      repo,
      { 'metadata.json': record('good-1'), 'full.jsonl': entry('one') },
      {
        'metadata.json': record('broken-1'),
        'full.jsonl': entry('two'),
        'full.jsonl.001': entry('three'),
        'full.jsonl.002': entry('four'),
      },
      { 'metadata.json': record('good-2'), 'full.jsonl': entry('five') },
    )
    await lose(repo, '1/full.jsonl.001')
    const head = await repo.head()
    const ran = await repo.entire(args.map((arg) => (arg === 'HEAD' ? head : arg)))
    expect(ran.code).toBe(0)
    expect(ran.err).toContain(
      `${word}: Session broken-1 was skipped: a part of its stored log is missing in this repository.\n`,
    )
    const logs = everything(join(repo.base, 'home', '.claude')).filter((path) => path.endsWith('.jsonl'))
    expect(logs.map((path) => path.split('/').at(-1))).toEqual(['good-1.jsonl', 'good-2.jsonl'])
  },
)

test('unreadable metadata is reported without a stack trace', async () => {
  await using repo = await recordedRepo()
  await linked(repo, { 'metadata.json': '{"session_id": ', 'full.jsonl': entry('x') })
  const ran = await repo.entire(['resume'])
  expect(ran.err).not.toMatch(/\n\s+at /)
  expect(ran.err).not.toContain('claude -r')
  expect(existsSync(join(repo.base, 'home/.claude'))).toBe(false)
})

test('transcripts of subagents are restored, too, but existing ones are kept', async () => {
  await using repo = await recordedRepo()
  await repo.entire(['enable', '--agent', 'claude-code', '--strategy', 'auto-commit', '--force'])
  await repo.commit('set up')
  const agent = fakeAgent(repo)
  await agent.prompt('use a subagent')
  await agent.task({
    toolUse: 'toolu_task1',
    subagent: 'a1b2c3',
    work: () => {},
    files: { 'sub.ts': 'export const sub = 1\n' },
  })
  const path = join(agent.transcript.replace(/\.jsonl$/, ''), 'subagents/agent-a1b2c3.jsonl')
  const spoken = readFileSync(path, 'utf8')
  const checkpoint = await repo.checkpointOf()
  rmSync(dirname(agent.transcript), { recursive: true })
  expect((await repo.entire(['resume', checkpoint])).code).toBe(0)
  expect(readFileSync(path, 'utf8')).toBe(spoken)
  writeFileSync(path, 'more\n')
  rmSync(agent.transcript)
  expect((await repo.entire(['resume', checkpoint])).code).toBe(0)
  expect(readFileSync(path, 'utf8')).toBe('more\n')
})

// Root ignores file modes, unless it lacks the capabilities for that.
const asUser =
  process.getuid?.() === 0
    ? ['setpriv', '--bounding-set', '-dac_override,-dac_read_search,-fowner', '--']
    : []

test('an unwritable directory is reported, and its log is kept', async () => {
  await using story = await featureWithSession()
  const { repo, agent } = story
  await repo.git('switch', '--quiet', 'feature')
  const older = `${entry('older', '2026-11-14T00:00:00.000Z')}\n`
  writeFileSync(agent.transcript, older)
  chmodSync(dirname(agent.transcript), 0o500)
  const ran = await repo.run([...asUser, binary, 'resume', '--force'])
  chmodSync(dirname(agent.transcript), 0o700)
  expect(ran.code).toBe(1)
  expect(ran.stderr).toContain(
    `The session log could not be written to ${agent.transcript}: permission denied.`,
  )
  expect(readFileSync(agent.transcript, 'utf8')).toBe(older)
  chmodSync(agent.transcript, 0)
  const unreadable = await repo.run([...asUser, binary, 'resume', '--force'])
  chmodSync(agent.transcript, 0o600)
  expect(unreadable.code).toBe(1)
  expect(unreadable.stderr).toContain('cannot be read')
  expect(readFileSync(agent.transcript, 'utf8')).toBe(older)
})

test('a directory instead of the log, or a file instead of its directory, is reported', async () => {
  await using story = await featureWithSession()
  const { repo, agent } = story
  rmSync(agent.transcript)
  mkdirSync(join(agent.transcript, 'x'), { recursive: true })
  const occupied = await repo.entire(['resume', 'feature'])
  expect(occupied.code).toBe(1)
  expect(occupied.err).toContain(`The session log could not be written to ${agent.transcript}`)
  expect(occupied.err).not.toMatch(/\n\s+at /)
  expect(everything(dirname(agent.transcript)).filter((name) => name.includes('.tmp'))).toEqual([])
  rmSync(dirname(agent.transcript), { recursive: true })
  writeFileSync(dirname(agent.transcript), 'a file')
  const blocked = await repo.entire(['resume', 'feature'])
  expect(blocked.code).toBe(1)
  expect(blocked.err).toContain('could not be written')
})

test.each([0, 1])('a full disk (%d blocks left) leaves the old log as it was', async (blocks) => {
  await using story = await featureWithSession('a long prompt '.repeat(200))
  const { repo, agent } = story
  await repo.git('switch', '--quiet', 'feature')
  const older = `${entry('older', '2026-11-14T00:00:00.000Z')}\n`
  writeFileSync(agent.transcript, older)
  const script = `trap '' XFSZ; ulimit -f ${blocks}; exec "$@"`
  const ran = await repo.run(['sh', '-c', script, 'sh', binary, 'resume'])
  expect(ran.code).toBe(1)
  expect(ran.stderr).toContain('The session log could not be written')
  expect(ran.stderr).toContain('hint:')
  expect(ran.stderr).not.toMatch(/\n\s+at /)
  expect(everything(dirname(agent.transcript))).toEqual([`${agent.session}.jsonl`])
  expect(readFileSync(agent.transcript, 'utf8')).toBe(older)
})

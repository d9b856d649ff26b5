// `entire explain` on prepared data: lists, targets, flags and their errors.
import { expect, test } from 'bun:test'
import { entire } from '../../../test/support/entire.ts'
import { putCommit } from '../../../test/support/put-commit.ts'
import { type TempRepo, tempRepo } from '../../../test/support/repo.ts'
import { metadataRef, shadowRef } from '../../checkpoints/layout.ts'

const id = 'a3b2c4d5e6f7'
const said = (role: 'user' | 'assistant', content: unknown) =>
  `${JSON.stringify({ type: role, message: { role, content } })}\n`
const transcript = [
  said('user', 'write a file'),
  said('user', 'now a \x1b[31mtest'),
  said('assistant', [{ type: 'tool_use', name: 'Bash', input: { command: 'ls' } }]),
  said('assistant', [{ type: 'text', text: 'one\r\n\ttwo\x07'.replace('\t', '  ') }]),
].join('')

async function recordedRepo(): Promise<TempRepo> {
  const repo = await tempRepo()
  await putCommit(repo.repo, metadataRef, {
    message: `Checkpoint: ${id}\n\nEntire-Session: s1\n`,
    files: {
      'a3/b2c4d5e6f7/metadata.json': {
        checkpoint_id: id,
        strategy: 'manual-commit',
        files_touched: ['a.txt'],
        sessions: [{}],
        token_usage: { input_tokens: 10, output_tokens: 5, api_call_count: 1 },
      },
      'a3/b2c4d5e6f7/0/metadata.json': {
        session_id: 's1',
        created_at: '2026-02-10T12:00:00Z',
        agent: 'Claude Code',
        checkpoint_id: id,
        checkpoint_transcript_start: 1,
      },
      'a3/b2c4d5e6f7/0/full.jsonl': transcript,
      'a3/b2c4d5e6f7/0/prompt.txt': 'write \x1b[2Ja file',
      'a3/ffffffffff/metadata.json': { checkpoint_id: 'a3ffffffffff', sessions: [] },
    },
  })
  repo.write('a.txt', 'a')
  await repo.commit(`add a\n\nEntire-Checkpoint: ${id}`)
  return repo
}

test('the list shows checkpoints of the branch and uncommitted steps', async () => {
  await using repo = await recordedRepo()
  const head = await repo.head()
  const step = await putCommit(repo.repo, shadowRef(head, ''), {
    message: 'Now tests\n\nEntire-Metadata: .entire/metadata/session-two\nEntire-Session: session-two\n',
    seconds: 4_000_000_000,
    files: { '.entire/metadata/session-two/prompt.txt': 'now tests' },
  })
  const { out } = await entire(repo, ['explain', '--no-pager'])
  const times = out.replace(/\d\d-\d\d \d\d:\d\d/g, 'MM-DD HH:MM')
  expect(times.split('\n')).toEqual([
    'Branch: main',
    'Checkpoints: 1, uncommitted sessions: 1',
    '',
    '[session-two] [step] "now tests"',
    `  MM-DD HH:MM (${step.slice(0, 7)}) Now tests`,
    '',
    `[${id}] "write a file"`,
    `  MM-DD HH:MM (${head.slice(0, 7)}) add a`,
    '',
    '',
  ])
  expect(JSON.parse((await entire(repo, ['explain', '--json'])).out)).toMatchObject({
    branch: 'main',
    checkpoints: [
      { session_id: 'session-two', is_temporary: true, session_ids: ['session-two'] },
      { checkpoint_id: id, agent: 'Claude Code', session_ids: ['s1'], commits: [{ id: head }] },
    ],
  })
})

test('the list can be filtered by session', async () => {
  await using repo = await recordedRepo()
  expect((await entire(repo, ['explain', '--session', 's'])).out).toStartWith(
    `Branch: main\nCheckpoints: 1\nFiltered by session: s\n\n[${id}] `,
  )
  expect((await entire(repo, ['explain', '--session', 's2'])).out).toStartWith(
    'Branch: main\nCheckpoints: 0\nFiltered by session: s2\n\nNo checkpoints found on this branch.\n',
  )
  expect(JSON.parse((await entire(repo, ['explain', '--session', 's2', '--json'])).out)).toEqual({
    branch: 'main',
    session_filter: 's2',
    checkpoints: [],
  })
})

test('a feature branch shows its own commits only', async () => {
  await using repo = await recordedRepo()
  await repo.git('switch', '-qc', 'feature')
  const { out } = await entire(repo, ['explain'])
  expect(out).toStartWith('Branch: feature\nCheckpoints: 0\n\nNo checkpoints found on this branch.\n')
})

test('a checkpoint is found by a prefix of its id, or by its commit', async () => {
  await using repo = await recordedRepo()
  const byId = await entire(repo, ['explain', '-c', 'a3b2'])
  const dated = byId.out.replace(/\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d)?/g, 'DATE')
  expect(dated.split('\n')).toEqual([
    `Checkpoint: ${id}`,
    'Session: s1',
    'Agent: Claude Code',
    'Created: DATE',
    'Author: Test User <test@example.com>',
    'Tokens: 15',
    '',
    'Commits: (1)',
    `  ${(await repo.head()).slice(0, 7)} DATE add a`,
    '',
    'Intent: now a test',
    'Outcome: (not generated)',
    '',
    'Files: (1)',
    '  - a.txt',
    '',
    'Transcript (checkpoint scope):',
    '[User] now a test',
    '',
    '[Tool] Bash: ls',
    '',
    '[Assistant] one',
    '  two',
    '',
  ])
  for (const args of [
    ['--commit', 'HEAD'],
    [id],
    ['A3B2C'],
    [(await repo.head()).slice(0, 8)],
    ['HEAD'],
    ['-c', id, '--search-all'],
  ])
    expect((await entire(repo, ['explain', ...args])).out).toBe(byId.out)
  expect((await entire(repo, ['explain', '-c', id, '-s'])).out).toEndWith('\nOutcome: (not generated)\n')
  const full = (await entire(repo, ['explain', '-c', id, '--full'])).out
  expect(full).toContain('Intent: now a test\n')
  expect(full).toContain('\nTranscript (full session):\n[User] write a file\n\n[User] now a test\n')
  expect(JSON.parse((await entire(repo, ['explain', '-c', id, '--json'])).out)).toMatchObject({
    checkpoint_id: id,
    sessions: [
      {
        session_id: 's1',
        prompts: [expect.any(String)],
        transcript: [{ role: 'user' }, { role: 'tool' }, { role: 'assistant' }],
      },
    ],
  })
  expect(JSON.parse((await entire(repo, ['explain', '--commit', 'HEAD', '--json', '-s'])).out)).toMatchObject(
    [{ checkpoint_id: id }],
  )
  expect((await entire(repo, ['explain', '-c', id, '--raw-transcript'])).out).toBe(transcript)
})

test('a step is found by a prefix of its commit', async () => {
  await using repo = await recordedRepo()
  const step = await putCommit(repo.repo, shadowRef(await repo.head(), ''), {
    message: 'Now tests\n\nEntire-Metadata: .entire/metadata/two\nEntire-Session: two\n',
    files: { '.entire/metadata/two/prompt.txt': 'now tests', '.entire/metadata/two/full.jsonl': transcript },
  })
  const { out } = await entire(repo, ['explain', '-c', step.slice(0, 9)])
  expect(out).toMatch(
    new RegExp(
      `^Step: ${step.slice(0, 7)}\nSession: two\nCreated: .*\n\nIntent: now tests\nOutcome: \\(not generated\\)\n\nTranscript \\(step scope\\):\n\\[User\\] write a file\n`,
    ),
  )
  expect((await entire(repo, ['explain', step, '--raw-transcript'])).out).toBe(transcript)
  expect(JSON.parse((await entire(repo, ['explain', step, '--json', '-s'])).out)).toMatchObject({
    step_id: step,
    session_id: 'two',
  })
  expect(await entire(repo, ['explain', step, '--generate'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('is a step'),
  })
})

test.each([
  [['-c', 'a3'], 1, 'ambiguous checkpoint prefix "a3" matches 2 checkpoints: a3b2c4d5e6f7, a3ffffffffff'],
  [['-c', 'bbbb'], 1, 'checkpoint not found: bbbb'],
  [['-c', 'no\x1b[2Jsuch\nid'], 1, 'checkpoint not found: nosuch id'],
  [['-c', ' '], 2, 'The checkpoint id is empty.'],
  [['nope'], 1, 'checkpoint, step or commit not found: nope'],
  [['--commit', 'nope'], 1, 'commit not found: nope'],
  [['--commit', 'HEAD~1..HEAD'], 1, 'commit not found: HEAD~1..HEAD'],
  [['--commit=--all'], 1, 'commit not found: --all'],
  [['--commit', 'HEAD:a.txt'], 1, 'commit not found: HEAD:a.txt'],
  [['--commit', 'HEAD', '-c', id], 2, '--commit and --checkpoint cannot be used together'],
  [['--session', 's1', '-c', id], 2, '--session and --checkpoint cannot be used together'],
  [['--session', 's1', '--commit', 'HEAD'], 2, '--session and --commit cannot be used together'],
  [
    ['--session', 's1', '--commit', 'HEAD', '-c', id],
    2,
    '--session, --commit and --checkpoint cannot be used together',
  ],
  [[id, '-c', id], 2, 'an id and --checkpoint cannot be used together'],
  [['--raw-transcript'], 2, '--raw-transcript requires --checkpoint'],
  [['--raw-transcript', '--commit', 'HEAD'], 2, '--raw-transcript requires --checkpoint'],
  [['--generate'], 2, '--generate requires --checkpoint'],
  [['--force', '-c', id], 2, '--force requires --generate'],
  [['-c', id, '--short', '--full'], 2, '--short and --full cannot be used together'],
  [
    ['-c', id, '--generate', '--raw-transcript'],
    2,
    '--generate and --raw-transcript cannot be used together',
  ],
  [['-c', 'a3ffffffffff', '--raw-transcript'], 1, 'Checkpoint a3ffffffffff has no transcript.'],
] as const)('unknown targets and conflicting flags are errors: %j', async (flags, code, message) => {
  await using repo = await recordedRepo()
  expect(await entire(repo, ['explain', ...flags])).toMatchObject({
    code,
    out: '',
    err: expect.stringContaining(message),
  })
})

test('a commit without a checkpoint is not an error', async () => {
  await using repo = await recordedRepo()
  const { code, out } = await entire(repo, ['explain', '--commit', 'HEAD~1'])
  expect(code).toBe(0)
  expect(out).toStartWith('No associated Entire checkpoint\n\nCommit ')
  expect(JSON.parse((await entire(repo, ['explain', '--commit', 'HEAD~1', '--json'])).out)).toEqual([])
})

test('a checkpoint of another branch shows its author', async () => {
  await using repo = await recordedRepo()
  await repo.git('switch', '-q', '--detach', 'HEAD~1')
  const { out } = await entire(repo, ['explain', id, '--short'])
  expect(out).toContain('\nAuthor: Test <test@example.com>\n')
  expect(out).toContain('\nCommits: No commits found on this branch\n')
  expect((await entire(repo, ['explain', id, '--short', '--search-all'])).out).toContain('\nCommits: (1)\n')
})

test('rewind points are listed for scripts', async () => {
  await using repo = await recordedRepo()
  const { out } = await entire(repo, ['rewind', '--list'])
  expect(JSON.parse(out)).toEqual([
    {
      id: await repo.head(),
      message: 'add a',
      metadata_dir: '',
      date: expect.any(String),
      is_task_checkpoint: false,
      is_logs_only: true,
      condensation_id: id,
      session_id: 's1',
      session_prompt: 'write a file',
    },
  ])
})

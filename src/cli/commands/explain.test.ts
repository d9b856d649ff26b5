import { expect, test } from 'bun:test'
import { entire } from '../../../test/support/entire.ts'
import { putCommit } from '../../../test/support/put-commit.ts'
import { type TempRepo, tempRepo } from '../../../test/support/repo.ts'
import { metadataRef, shadowRef } from '../../checkpoints/layout.ts'

const id = 'a3b2c4d5e6f7'

async function recordedRepo(): Promise<TempRepo> {
  const repo = await tempRepo()
  await putCommit(repo.repo, metadataRef, {
    files: {
      'a3/b2c4d5e6f7/metadata.json': {
        checkpoint_id: id,
        strategy: 'manual-commit',
        files_touched: ['a.txt'],
        sessions: [{}],
        token_usage: { input_tokens: 10, output_tokens: 5, api_call_count: 1 },
      },
      'a3/b2c4d5e6f7/0/metadata.json': { session_id: 's1', created_at: '2026-02-10T12:00:00Z', agent: 'Claude Code', checkpoint_id: id },
      'a3/b2c4d5e6f7/0/full.jsonl': '{"one":1}\n{"two":2}\n',
      'a3/b2c4d5e6f7/0/prompt.txt': 'write \x1b[2Ja file',
      'a3/ffffffffff/metadata.json': { checkpoint_id: 'a3ffffffffff', sessions: [] },
    },
  })
  repo.write('a.txt', 'a')
  await repo.commit(`add a\n\nEntire-Checkpoint: ${id}`)
  return repo
}

test('the list shows checkpoints of the branch and steps that are not committed', async () => {
  await using repo = await recordedRepo()
  const head = await repo.head()
  const step = await putCommit(repo.repo, shadowRef(head, ''), {
    message: 'Now tests\n\nEntire-Metadata: .entire/metadata/session-two\nEntire-Session: session-two\n',
    seconds: 4_000_000_000,
    files: { '.entire/metadata/session-two/prompt.txt': 'now tests' },
  })
  const { out } = await entire(repo, ['explain', '--no-pager'])
  expect(out).toMatch(
    new RegExp(
      `^Branch: main\nCheckpoints: 2\n\n\\[session-two\\] \\[temporary\\] "now tests"\n  \\d\\d-\\d\\d \\d\\d:\\d\\d \\(${step.slice(0, 7)}\\) Now tests\n\n\\[${id}\\] "write a file"\n  .{11} \\(${head.slice(0, 7)}\\) add a\n$`,
    ),
  )
  expect(JSON.parse((await entire(repo, ['explain', '--json'])).out)).toMatchObject({
    branch: 'main',
    checkpoints: [
      { session_id: 'session-two', is_temporary: true },
      { checkpoint_id: id, agent: 'Claude Code', commits: [{ id: head }] },
    ],
  })
})

test('a feature branch shows its own commits only', async () => {
  await using repo = await recordedRepo()
  await repo.git('switch', '-qc', 'feature')
  const { out } = await entire(repo, ['explain'])
  expect(out).toStartWith('Branch: feature\nCheckpoints: 0\nNo checkpoints found on this branch.\n')
})

test('a checkpoint is found by the beginning of its id, or by its commit', async () => {
  await using repo = await recordedRepo()
  const byId = await entire(repo, ['explain', '-c', 'a3b2'])
  expect(byId.out).toMatch(
    /^Checkpoint: a3b2c4d5e6f7\nSession: s1 \(Claude Code\)\nCreated: 2026-02-1\d .+\nAuthor: .+ <.+>\nTokens: 15\n\nCommits: \(1\)\n {2}[0-9a-f]{7} [-\d]{10} add a\n\nIntent: write a file\nOutcome: \(not generated\)\n\nFiles: \(1\)\n {2}- a\.txt\n$/,
  )
  expect((await entire(repo, ['explain', '--commit', 'HEAD'])).out).toBe(byId.out)
  expect(JSON.parse((await entire(repo, ['explain', '-c', id, '--json'])).out)).toMatchObject({
    checkpoint_id: id,
    sessions: [{ session_id: 's1', prompts: [expect.any(String)] }],
  })
  expect(JSON.parse((await entire(repo, ['explain', '--commit', 'HEAD', '--json'])).out)).toMatchObject([{ checkpoint_id: id }])
  expect((await entire(repo, ['explain', '-c', id, '--raw-transcript'])).out).toBe('{"one":1}\n{"two":2}\n')
})

test.each([
  [['-c', 'a3'], 1, 'ambiguous checkpoint prefix "a3" matches 2 checkpoints: a3b2c4d5e6f7, a3ffffffffff'],
  [['-c', 'bbbb'], 1, 'checkpoint not found: bbbb'],
  [['--commit', 'nope'], 1, 'commit not found: nope'],
  [['--commit', 'HEAD', '-c', id], 2, 'cannot specify multiple'],
  [['--raw-transcript'], 2, '--raw-transcript requires --checkpoint/-c flag'],
] as const)('what cannot be found is named: %j', async (flags, code, message) => {
  await using repo = await recordedRepo()
  expect(await entire(repo, ['explain', ...flags])).toMatchObject({ code, out: '', err: expect.stringContaining(message) })
})

test('a commit without a checkpoint is an answer, not a failure', async () => {
  await using repo = await recordedRepo()
  const { code, out } = await entire(repo, ['explain', '--commit', 'HEAD~1'])
  expect(code).toBe(0)
  expect(out).toStartWith('No associated Entire checkpoint\n\nCommit ')
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

// Damaged, foreign, huge or malicious data is explained if possible, and never controls the terminal.
import { expect, test } from 'bun:test'
import { chmodSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { metadataRef, shadowRef } from '../../src/checkpoints/layout.ts'
import { runGit } from '../support/process.ts'
import { putCommit } from '../support/put-commit.ts'
import { type RecordedRepo, recordedRepo } from '../support/recorded-repo.ts'
import { repoAt } from '../support/repo.ts'

const id = 'a3b2c4d5e6f7'
const evil = '\x1b]0;owned\x07\x1b[2J\x1b[31mred\r\b\u202eback\x9b31m'
const said = (role: 'user' | 'assistant', content: unknown) =>
  `${JSON.stringify({ type: role, message: { role, content } })}\n`

interface Stored {
  root?: unknown
  session?: object
  files?: Record<string, unknown>
}

async function store(
  repo: RecordedRepo,
  { root, session = {}, files = {} }: Stored = {},
  checkpoint = id,
): Promise<void> {
  const dir = `${checkpoint.slice(0, 2)}/${checkpoint.slice(2)}`
  await putCommit(repo.repo, metadataRef, {
    message: `Checkpoint: ${checkpoint}\n`,
    files: {
      [`${dir}/metadata.json`]: root ?? {
        checkpoint_id: checkpoint,
        strategy: 'manual-commit',
        sessions: [{}],
      },
      [`${dir}/0/metadata.json`]: {
        session_id: 's1',
        created_at: '2026-02-10T12:00:00Z',
        agent: 'Claude Code',
        ...session,
      },
      ...Object.fromEntries(Object.entries(files).map(([path, content]) => [`${dir}/${path}`, content])),
    },
  })
  await repo.git(
    'commit',
    '--quiet',
    '--allow-empty',
    '--no-verify',
    '-m',
    `work\n\nEntire-Checkpoint: ${checkpoint}`,
  )
}

test('escape sequences never reach the terminal', async () => {
  await using repo = await recordedRepo()
  const summary = {
    intent: evil,
    outcome: evil,
    learnings: { repo: [evil], code: [{ path: evil, line: 1, finding: evil }], workflow: [evil] },
    friction: [evil],
    open_items: [evil],
  }
  const transcript = [
    said('user', evil),
    said('assistant', [{ type: 'text', text: `${evil}\n  ${evil}` }]),
    said('assistant', [{ type: 'tool_use', name: evil, input: { command: evil } }]),
  ].join('')
  await store(repo, {
    root: { checkpoint_id: id, sessions: [{}], files_touched: [evil], branch: evil },
    session: { session_id: evil, agent: 'Claude Code', model: evil, created_at: evil, summary },
    files: { '0/full.jsonl': transcript, '0/prompt.txt': evil },
  })
  await store(repo, { session: { agent: evil }, files: { '0/full.jsonl': transcript } }, 'bbbbbbbbbbbb')
  await putCommit(repo.repo, shadowRef(await repo.head(), ''), {
    message: `${evil}\n\nEntire-Session: two${evil}\n`,
    files: { [`.entire/metadata/two${evil}/prompt.txt`]: evil },
  })
  await repo.git(
    '-c',
    `user.name=${evil.replaceAll('\r', '')}`,
    'commit',
    '--quiet',
    '--allow-empty',
    '--no-verify',
    '-m',
    `${evil}\n\nEntire-Checkpoint: ${id}`,
  )
  const step = await repo.git('rev-parse', repo.shadow(await repo.git('rev-parse', 'HEAD~1')))
  for (const args of [
    [],
    ['--session', evil],
    [id],
    [id, '--full'],
    [id, '--short'],
    ['bbbbbbbbbbbb'],
    ['--commit', 'HEAD'],
    [step],
    ['-c', evil],
    ['--commit', evil],
    [evil],
  ]) {
    const { out, err } = await repo.entire(['explain', ...args])
    expect(`${out}${err}`).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]/)
    expect(`${out}${err}`).toContain('red')
  }
  // Programs get the original text.
  expect(JSON.parse((await repo.entire(['explain', id, '--json'])).out)).toMatchObject({
    sessions: [{ session_id: evil }],
  })
})

test.each([
  ['not JSON', '{ broken'],
  ['a list', '[]'],
  ['empty', ''],
])(
  'a checkpoint whose metadata is %s is named as damaged, and the others are listed',
  async (_what, text) => {
    await using repo = await recordedRepo()
    await store(repo, {}, 'bbbbbbbbbbbb')
    await store(repo, { root: text })
    await putCommit(repo.repo, metadataRef, { files: { 'a3/b2c4d5e6f7/0/metadata.json': text } })
    for (const args of [['-c', id], [id.slice(0, 5)]])
      expect(await repo.entire(['explain', ...args])).toMatchObject({
        code: 1,
        out: '',
        err: expect.stringContaining(
          `Checkpoint ${id} cannot be read: its metadata.json is missing or damaged.\nhint: `,
        ),
      })
    const list = await repo.entire(['explain'])
    expect(list.out).toContain('[bbbbbbbbbbbb]')
    expect(list.out).not.toContain(id)
    expect(list.err).toContain(
      `Not shown: 1 checkpoint that commits name but that cannot be read here (${id}).`,
    )
  },
)

test('values of the wrong type are ignored', async () => {
  await using repo = await recordedRepo()
  await store(repo, {
    root: { checkpoint_id: 5, sessions: 'x', files_touched: { a: 1 }, token_usage: [], strategy: null },
    session: {
      agent: [],
      created_at: 7,
      summary: 'yes',
      token_usage: 'many',
      checkpoint_transcript_start: -3,
      files_touched: [null, 'a'],
    },
    files: { '0/full.jsonl': said('user', 'hi') },
  })
  const { code, out } = await repo.entire(['explain', id])
  expect(code).toBe(0)
  expect(out).toStartWith(`Checkpoint: ${id}\nSession: s1\n`)
  expect(out).toEndWith('[User] hi\n')
})

test.each([
  ['of an unknown agent', { agent: 'Hal 9000' }, said('user', 'hi'), '(no reader for Hal 9000)'],
  ['that is not a transcript', {}, 'just\nsome text', '(failed to parse transcript)'],
  ['that has nothing new', { checkpoint_transcript_start: 50 }, said('user', 'hi'), '(none)'],
  ['that is empty', {}, '', '(none)'],
  [
    'of an agent that is not named, in messages',
    { agent: 'Agent' },
    '{"messages":[{"type":"user","content":"hi"}]}',
    '[User] hi',
  ],
  ['of an agent that is not named, in lines', { agent: undefined }, said('user', 'hi'), '[User] hi'],
])('a transcript %s', async (_what, session, transcript, shown) => {
  await using repo = await recordedRepo()
  await store(repo, { session, files: { '0/full.jsonl': transcript, '0/prompt.txt': 'hello there' } })
  const { code, out } = await repo.entire(['explain', id])
  expect(code).toBe(0)
  expect(out).toEndWith(`\nTranscript (checkpoint scope):\n${shown.startsWith('(') ? '  ' : ''}${shown}\n`)
  expect(out).toContain(shown === '[User] hi' ? 'Intent: hi\n' : 'Intent: hello there\n')
})

test('a checkpoint without sessions is shown', async () => {
  await using repo = await recordedRepo()
  await putCommit(repo.repo, metadataRef, {
    files: { 'a3/b2c4d5e6f7/metadata.json': { checkpoint_id: id, sessions: [], files_touched: ['a'] } },
  })
  expect((await repo.entire(['explain', id])).out).toContain(
    'Intent: (unknown)\nOutcome: (not generated)\n\nFiles: (1)\n  - a\n',
  )
})

test('a huge transcript is shown completely', async () => {
  await using repo = await recordedRepo()
  const line = said('assistant', [{ type: 'text', text: 'x'.repeat(1000) }])
  await store(repo, { files: { '0/full.jsonl': said('user', 'go') + line.repeat(20_000) } })
  const { code, out } = await repo.entire(['explain', id])
  expect(code).toBe(0)
  expect(out.match(/^\[Assistant\]/gm)).toHaveLength(20_000)
})

test('a missing chunk of a transcript does not hide the rest', async () => {
  await using repo = await recordedRepo()
  await store(repo, {
    files: {
      '0/full.jsonl': said('user', 'hi'),
      '0/full.jsonl.001': said('user', 'lost'),
      '0/prompt.txt': 'hi',
    },
  })
  const lost = await repo.git('rev-parse', `${metadataRef}:a3/b2c4d5e6f7/0/full.jsonl.001`)
  // Loose objects, so that a single one can be removed.
  const packs = join(repo.repo.commonDir, 'objects/pack')
  for (const name of readdirSync(packs).filter((entry) => entry.endsWith('.pack'))) {
    const pack = join(repo.base, name)
    renameSync(join(packs, name), pack)
    rmSync(join(packs, name.replace(/pack$/, 'idx')))
    chmodSync(pack, 0o644)
    await repo.run(['sh', '-c', `git unpack-objects -q < ${pack}`])
  }
  rmSync(join(repo.repo.commonDir, 'objects', lost.slice(0, 2), lost.slice(2)), { force: true })
  const { code, out } = await repo.entire(['explain', id])
  expect(code).toBe(0)
  expect(out).toEndWith('\nTranscript (checkpoint scope):\n  (transcript is incomplete)\n')
  expect(await repo.entire(['explain', id, '--raw-transcript'])).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining('is missing'),
  })
})

test('a partial clone with an unreachable remote fails at once, with a hint', async () => {
  await using repo = await recordedRepo()
  await store(repo, { files: { '0/full.jsonl': said('user', 'hi'), '0/prompt.txt': 'hello there' } })
  await repo.git('config', 'uploadpack.allowFilter', 'true')
  await runGit(repo.base, repo.env, [
    'clone',
    '--quiet',
    '--filter=blob:none',
    '--no-checkout',
    `file://${repo.root}`,
    'clone',
  ])
  const clone = repoAt(repo, join(repo.base, 'clone'))
  const run = (...args: string[]) => clone.run([join(repo.base, 'bin', 'entire'), 'explain', ...args])
  const away = join(repo.base, 'away')
  renameSync(repo.root, away)
  for (const args of [[], ['-c', id], [id.slice(0, 6), '--short'], ['--commit', 'HEAD']]) {
    const ran = await run(...args)
    expect({ code: ran.code, out: ran.stdout.toString() }).toEqual({ code: 1, out: '' })
    expect(ran.stderr).toMatch(/^error: .*partial clone.*\nhint: .+\n$/s)
  }
  renameSync(away, repo.root)
  expect((await run()).stdout.toString()).toContain(`[${id}] "hello there"`)
  expect((await run('-c', id)).stdout.toString()).toEndWith('[User] hi\n')
})

test('a repository with checkpoints of others can be explained without setup', async () => {
  await using repo = await recordedRepo()
  await store(repo, { files: { '0/full.jsonl': said('user', 'hi') } })
  rmSync(join(repo.root, '.entire'), { recursive: true })
  expect((await repo.entire(['explain', id])).out).toEndWith('[User] hi\n')
  writeFileSync(join(repo.repo.commonDir, 'HEAD.lock'), '')
  expect((await repo.entire(['explain'])).out).toContain(`[${id}]`)
})

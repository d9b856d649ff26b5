import { expect, test } from 'bun:test'
import { putCommit } from '../../test/support/put-commit.ts'
import { tempRepo } from '../../test/support/repo.ts'
import { openObjectReader } from '../git/cat-file.ts'
import { ownRef, remoteMetadataRef } from './copies.ts'
import { metadataRef } from './layout.ts'
import { readNotes } from './links.ts'
import { parsePrompts } from './prompt-files.ts'
import {
  findCheckpointIds,
  listCheckpoints,
  readCheckpoint,
  readStoredPrompts,
  readTranscript,
} from './read.ts'

const first = 'a3b2c4d5e6f7'
const second = 'a3ffffffffff'
const ulid = '01HZXK3V9Q8W7E6R5T4Y3J2H1G'

const session = (id: string, createdAt: string, more: object = {}) => ({
  session_id: id,
  created_at: createdAt,
  strategy: 'manual-commit',
  ...more,
})
const root = (id: string, sessions: number, more: object = {}) => ({
  checkpoint_id: id,
  strategy: 'manual-commit',
  checkpoints_count: 1,
  files_touched: ['a.ts'],
  sessions: Array.from({ length: sessions }, () => ({})),
  ...more,
})

test.each(['plain', 'sha256'] as const)(
  'a checkpoint is read with all its sessions, in order (%s)',
  async (kind) => {
    await using temp = await tempRepo({ kind })
    await putCommit(temp.repo, metadataRef, {
      files: {
        'a3/b2c4d5e6f7/metadata.json': root(first, 2),
        'a3/b2c4d5e6f7/0/metadata.json': session('one', '2026-02-10T12:00:00Z', { agent: 'Claude Code' }),
        'a3/b2c4d5e6f7/0/full.jsonl': '{"a":1}',
        'a3/b2c4d5e6f7/0/full.jsonl.001': '{"a":2}\n',
        'a3/b2c4d5e6f7/0/prompt.txt': 'add a parser\n\n---\n\nnow test it',
        'a3/b2c4d5e6f7/1/metadata.json': session('two', '2026-02-10T13:00:00Z'),
      },
    })
    await using objects = openObjectReader(temp.repo)
    const checkpoint = await readCheckpoint(objects, first)
    expect(checkpoint).toMatchObject({
      checkpoint: first,
      files: ['a.ts'],
      sessions: [{ session: 'one', agent: 'Claude Code' }, { session: 'two' }],
    })
    const [one, two] = checkpoint!.sessions
    expect((await readTranscript(objects, one!))?.toString()).toBe('{"a":1}\n{"a":2}\n')
    expect(await readStoredPrompts(objects, one!)).toEqual(['add a parser', 'now test it'])
    expect(await readTranscript(objects, two!)).toBeUndefined()
    expect(await readCheckpoint(objects, second)).toBeUndefined()
  },
)

test('data of every age is understood', async () => {
  await using temp = await tempRepo()
  await putCommit(temp.repo, metadataRef, {
    files: {
      // A session at the top, null lists, the list of agents, the transcript's old name.
      'a3/b2c4d5e6f7/metadata.json': {
        ...root(first, 0),
        ...session('old', '2026-01-01T00:00:00Z'),
        files_touched: null,
        sessions: null,
        agents: ['Agent'],
        branch: '',
      },
      'a3/b2c4d5e6f7/full.log': 'plain log',
      // No checkpoint id inside, and one of two sessions missing.
      'a3/ffffffffff/metadata.json': { strategy: 'manual-commit', sessions: [{}, {}] },
      'a3/ffffffffff/1/metadata.json': session('kept', '2026-01-02T00:00:00Z'),
      // Not checkpoints.
      'a3/eeeeeeeeee/metadata.json': '{ broken',
      'README.md': 'hello',
      'zz/b2c4d5e6f7/metadata.json': root('x', 0),
    },
  })
  await using objects = openObjectReader(temp.repo)
  const [kept, old, ...rest] = await listCheckpoints(temp.repo, objects)
  expect(rest).toEqual([])
  expect(kept).toMatchObject({ checkpoint: second, sessions: [{ session: 'kept' }] })
  expect(old).toMatchObject({ checkpoint: first, files: [], sessions: [{ session: 'old', agent: 'Agent' }] })
  expect((await readTranscript(objects, old!.sessions[0]!))?.toString()).toBe('plain log')
})

test('chunks are joined by number, not by name', async () => {
  await using temp = await tempRepo()
  const chunks = Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [
      index === 0 ? 'full.jsonl' : `full.jsonl.${String(index).padStart(3, '0')}`,
      `${index}`,
    ]),
  )
  const files = Object.fromEntries(
    Object.entries({ ...chunks, 'full.jsonl.1000': '1000', 'full.jsonl.999': '999' }).map(([name, text]) => [
      `a3/b2c4d5e6f7/0/${name}`,
      text,
    ]),
  )
  await putCommit(temp.repo, metadataRef, {
    files: {
      'a3/b2c4d5e6f7/metadata.json': root(first, 1),
      'a3/b2c4d5e6f7/0/metadata.json': session('one', ''),
      ...files,
    },
  })
  await using objects = openObjectReader(temp.repo)
  const { sessions } = (await readCheckpoint(objects, first))!
  expect((await readTranscript(objects, sessions[0]!))?.toString().split('\n').map(Number)).toEqual([
    ...Array(12).keys(),
    999,
    1000,
  ])
})

test('checkpoints are found on the branch, on origin’s copy of it, and under refs of their own', async () => {
  await using temp = await tempRepo()
  const files = (id: string, name: string, createdAt: string) => ({
    [`${id.slice(0, 2)}/${id.slice(2)}/metadata.json`]: root(id, 1),
    [`${id.slice(0, 2)}/${id.slice(2)}/0/metadata.json`]: session(name, createdAt),
  })
  await putCommit(temp.repo, remoteMetadataRef, {
    files: {
      ...files(first, 'remote', '2026-01-01T00:00:00Z'),
      ...files(second, 'remote', '2026-01-02T00:00:00Z'),
    },
  })
  await using before = openObjectReader(temp.repo)
  expect((await readCheckpoint(before, first))?.sessions[0]?.session).toBe('remote')

  await putCommit(temp.repo, metadataRef, { files: files(first, 'local', '2026-01-01T00:00:00Z') })
  await putCommit(temp.repo, ownRef(ulid), {
    files: {
      'metadata.json': root(ulid, 1),
      '0/metadata.json': session('own ref', '2026-01-03T00:00:00Z'),
      '0/prompt.txt': 'hi',
    },
  })
  await putCommit(temp.repo, 'refs/entire/checkpoints/v2/main', { files: { 'metadata.json': root(ulid, 1) } })
  await using objects = openObjectReader(temp.repo)
  const all = await listCheckpoints(temp.repo, objects)
  expect(all.map((checkpoint) => [checkpoint.checkpoint, checkpoint.sessions[0]?.session])).toEqual([
    [ulid, 'own ref'],
    [second, 'remote'],
    [first, 'local'],
  ])
  expect(await readStoredPrompts(objects, (await readCheckpoint(objects, ulid))!.sessions[0]!)).toEqual([
    'hi',
  ])
  expect(await findCheckpointIds(temp.repo, objects, 'a3')).toEqual([first, second])
  expect(await findCheckpointIds(temp.repo, objects, '01hzx')).toEqual([ulid])
})

test('a repository without checkpoints has none', async () => {
  await using temp = await tempRepo()
  await using objects = openObjectReader(temp.repo)
  expect(await listCheckpoints(temp.repo, objects)).toEqual([])
  expect(await readNotes(objects)).toEqual(new Map())
})

test('notes link commits, even when the tree of notes is fanned out', async () => {
  await using temp = await tempRepo()
  temp.write('a.txt', 'a')
  const commit = await temp.commit('no hook ran')
  await temp.git('notes', '--ref=entire-checkpoints', 'add', '-m', `Entire-Checkpoint: ${first}`, commit)
  await temp.git('notes', '--ref=entire-checkpoints', 'append', '-m', `Entire-Checkpoint: ${second}`, commit)
  const fanned = 'ab'.repeat(20)
  await putCommit(temp.repo, 'refs/notes/entire-checkpoints', {
    files: {
      [`ab/ab/${'ab'.repeat(18)}`]: `Entire-Checkpoint: ${ulid}\n`,
      'not/a/note': 'x',
      [`cd/${'cd'.repeat(19)}`]: 'Entire-Checkpoint: nonsense\n',
    },
  })
  await using objects = openObjectReader(temp.repo)
  expect(await readNotes(objects)).toEqual(
    new Map([
      [commit, [first, second]],
      [fanned, [ulid]],
    ]),
  )
})

test.each([
  ['', []],
  ['one', ['one']],
  ['one\n\n---\n\n\n\n---\n\ntwo\n', ['one', 'two']],
  ['---', []],
])('prompts are separated by a rule: %j', (text, prompts) => {
  expect(parsePrompts(text)).toEqual(prompts as string[])
})
